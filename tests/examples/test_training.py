"""The training examples, a few steps of each: compiled and PyTorch's losses are those of the eager run."""

import importlib
import pathlib
import sys

import pytest

import framejit as fj

pytest.importorskip("sklearn")
EXAMPLES = str(pathlib.Path(__file__).parents[2] / "examples")


@pytest.fixture(params=["cnn", "transformer"])
def example(request, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    yield importlib.import_module(request.param)
    for name in ("cnn", "transformer", "training"):  # names that a test of another folder may want
        sys.modules.pop(name, None)


def run_steps(example, library, compile):
    """Losses and score of one epoch, or eight steps."""
    fj.manual_seed(0)
    if example.__name__ == "cnn":
        return example.run("run", library, compile, example.make_model(fj), 1)
    return example.run("run", library, compile, example.make_model(fj, example.load_text()[2]), 8)


def test_examples_train_as_pytorch_does(example):
    torch = pytest.importorskip("torch")
    training = sys.modules["training"]
    eager, compiled = run_steps(example, fj, lambda step: step), run_steps(example, fj, fj.compile)
    theirs = run_steps(example, torch, lambda step: step)
    assert eager.losses[-1] < 0.8 * eager.losses[0]
    for other in (compiled, theirs):
        assert len(other.losses) == len(eager.losses)
        assert training.largest_difference(eager, other, steps=8) < 1e-4
        assert other.score == pytest.approx(eager.score, abs=0.08)  # rounding errors grow while a network is untrained


def test_reports_name_what_is_wrong(example, capsys):
    training = sys.modules["training"]
    eager = training.Run("eager", [1.0, 0.5], [0.01, 0.01], 0.9)
    other = training.Run("other", [1.0, 0.6], [0.01, 0.01], 0.7)
    assert training.report([eager, eager], close_steps=2, score_tolerance=0.1) == []
    assert training.report([eager, other], close_steps=2, score_tolerance=0.1) == [
        "the losses of other and eager differ by 2.0e-01",
        "other reaches 0.7000, eager 0.9000",
    ]
    assert "held out 0.7000" in capsys.readouterr().out
