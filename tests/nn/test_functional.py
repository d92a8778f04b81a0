"""Functions of nn.functional that are written in Python, against PyTorch's; what is a row alone is in tests/eager."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import framejit as fj
import framejit.nn.functional as F

torch = pytest.importorskip("torch", reason="PyTorch is the oracle")
TF = torch.nn.functional


def both(name: str, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """The function in framejit and in PyTorch, arrays being made tensors."""

    def convert(library: Any, value: Any) -> Any:
        return library.tensor(value) if isinstance(value, np.ndarray) else value

    return tuple(
        getattr(functions, name)(
            *[convert(library, a) for a in args], **{k: convert(library, v) for k, v in kwargs.items()}
        )
        for library, functions in ((fj, F), (torch, TF))
    )


def check(got: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            check(one, other)
        return
    assert tuple(got.shape) == tuple(expected.shape)
    np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=2e-5, atol=2e-6)


def array(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


CASES = [
    ("max_pool1d", (array(2, 3, 9), 3, 2, 1, 1, False, True), {}),
    ("max_pool2d", (array(2, 3, 9, 8), 3, 2), {"return_indices": True}),
    ("max_pool2d", (array(2, 3, 9, 8), (3, 2)), {}),
    ("max_pool3d", (array(2, 3, 5, 4, 6), 2), {"ceil_mode": True}),
    ("adaptive_avg_pool2d", (array(2, 3, 9, 8), (None, 3)), {}),
    ("adaptive_avg_pool3d", (array(2, 3, 5, 4, 6), (2, None, 3)), {}),
    ("adaptive_max_pool1d", (array(2, 3, 9), 4), {}),
    ("adaptive_max_pool2d", (array(2, 3, 9, 8), (4, None)), {"return_indices": True}),
    ("adaptive_max_pool3d", (array(2, 3, 5, 4, 6), 2), {"return_indices": True}),
    (
        "fractional_max_pool2d",
        (array(1, 2, 9, 8), 2, 4),
        {"_random_samples": np.full((1, 2, 2), 0.4, "float32")},
    ),
    ("interpolate", (array(2, 3, 5, 4),), {"scale_factor": 2}),
    ("interpolate", (array(2, 3, 5, 4), 7), {"mode": "bilinear"}),
    ("interpolate", (array(2, 3, 5), None, 1.5), {"mode": "linear"}),
    ("interpolate", (array(2, 3, 5, 4), (3, 2)), {"mode": "area"}),
    ("affine_grid", (array(2, 2, 3), (2, 3, 4, 5)), {"align_corners": False}),
    ("affine_grid", (array(2, 3, 4), (2, 3, 4, 5, 2)), {"align_corners": True}),
    ("affine_grid", (array(1, 2, 3), (1, 3, 1, 5)), {"align_corners": False}),
    (
        "grid_sample",
        (array(2, 3, 5, 4), 0.8 * array(2, 3, 3, 2)),
        {"padding_mode": "reflection", "align_corners": False},
    ),
    ("embedding", (np.array([[0, 2], [5, 2]]), array(6, 4)), {"padding_idx": -1}),
    ("embedding", (np.array([[0, 2], [5, 2]]), array(6, 4)), {"max_norm": 1.0}),
    ("normalize", (array(3, 4),), {}),
    ("normalize", (array(3, 4),), {"p": 3.0, "dim": 0}),
    ("bilinear", (array(5, 3), array(5, 4), array(2, 3, 4), array(2)), {}),
    ("softmin", (array(3, 4),), {"dim": 1}),
    ("softmax", (array(3, 4), 1), {}),
    (
        "triplet_margin_with_distance_loss",
        (array(4, 5), array(4, 5, seed=1), array(4, 5, seed=2)),
        {"swap": True},
    ),
    ("dropout2d", (array(2, 3, 4, 4), 0.5, False), {}),
]


@pytest.mark.parametrize(
    ("name", "args", "kwargs"), CASES, ids=[f"{case[0]}-{i}" for i, case in enumerate(CASES)]
)
def test_as_in_torch(name: str, args: tuple, kwargs: dict) -> None:
    check(*both(name, *args, **kwargs))


ACTIVATIONS = "relu relu6 leaky_relu rrelu elu selu celu silu mish hardsigmoid hardswish hardtanh".split()


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_inplace_activations(name: str) -> None:
    data = array(4, 5)
    x, y = fj.tensor(data), torch.tensor(data)
    result = getattr(F, name)(x, inplace=True)
    getattr(TF, name)(y, inplace=True)
    assert result is x
    check(x, y)
    if hasattr(TF, name + "_"):
        x, y = fj.tensor(data), torch.tensor(data)
        assert getattr(F, name + "_")(x) is x
        check(x, getattr(TF, name + "_")(y))


@pytest.mark.parametrize(
    ("name", "args", "error", "message"),
    [
        ("hardtanh", (array(3), 2.0, 1.0), ValueError, "min_val cannot be greater than max_val"),
        ("softshrink", (array(3), -1.0), RuntimeError, "lambda must be greater or equal to 0, but found to be -1.0."),
        ("dropout", (array(3), 1.5), ValueError, "dropout probability has to be between 0 and 1, but got 1.5"),
        ("grid_sample", (array(1, 1, 2, 2), array(1, 1, 1, 2), "cubic"), ValueError, "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: 'cubic'"),
        ("embedding", (np.array([0]), array(3, 2), 3), AssertionError, "Padding_idx must be within num_embeddings, got 3 for 3"),
    ],
)  # fmt: skip
def test_errors(name: str, args: tuple, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        getattr(F, name)(*[fj.tensor(a) if isinstance(a, np.ndarray) else a for a in args])
    assert str(raised.value) == message


def test_gradient_by_frequency() -> None:
    index = np.array([0, 2, 2, 2, 1, 0])
    grads = []
    for library, functions in ((fj, F), (torch, TF)):
        table = library.tensor(array(4, 3)).requires_grad_()
        rows = functions.embedding(library.tensor(index), table, scale_grad_by_freq=True)
        (rows * library.tensor(array(6, 3, seed=3))).sum().backward()
        grads.append(table.grad)
    check(*grads)


@pytest.mark.parametrize(
    ("name", "shape"),
    [("dropout1d", (5, 40, 7)), ("dropout2d", (5, 40, 2, 3)), ("dropout3d", (5, 40, 2, 3, 2))],
)
def test_channels_drop_as_a_whole(name: str, shape: tuple[int, ...]) -> None:
    fj.manual_seed(0)
    x = fj.ones(shape)
    result = getattr(F, name)(x, 0.25).numpy().reshape(200, -1)
    assert ((result == 0).all(1) | np.isclose(result, 4 / 3).all(1)).all()
    assert 0.1 < (result[:, 0] == 0).mean() < 0.4
    assert getattr(F, name)(x, 0.5, training=False) is x


def test_alpha_dropout_keeps_mean_and_variance() -> None:
    fj.manual_seed(0)
    x = F.selu(fj.randn(20000))
    result = F.alpha_dropout(x, 0.2, training=True).numpy()
    assert abs(result.mean()) < 0.05
    assert abs(result.var() - 1) < 0.1
    channels = F.feature_alpha_dropout(fj.ones(30, 10, 4), 0.5, training=True).numpy()
    assert (channels == channels[..., :1]).all()
    assert len(np.unique(channels)) == 2


def test_gumbel_softmax() -> None:
    fj.manual_seed(0)
    logits = fj.tensor(array(50, 4)).requires_grad_()
    soft, hard = F.gumbel_softmax(logits, 0.7), F.gumbel_softmax(logits, 0.7, hard=True)
    np.testing.assert_allclose(soft.detach().numpy().sum(1), 1, rtol=1e-5)
    assert set(np.unique(hard.detach().numpy().round(6))) == {0.0, 1.0}
    (hard * hard).sum().backward()
    assert logits.grad is not None
