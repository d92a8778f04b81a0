"""``fj.masked`` against ``torch.masked``."""

from __future__ import annotations

import pytest

import framejit as fj

torch = pytest.importorskip("torch", reason="PyTorch is the oracle")

X = torch.tensor([[[1.0, -2, 3], [4, 5, -6]], [[0, 7, 7], [2.5, -1, 0.5]]])
MASKS = {
    "whole": [[[1, 0, 1], [0, 0, 0]], [[1, 1, 1], [0, 1, 0]]],
    "row": [1, 0, 1],
    "none": None,
}


def compare(case, x, mask) -> None:
    mask = None if mask is None else torch.tensor(mask, dtype=torch.bool)
    ours = (fj.from_dlpack(x.clone()), None if mask is None else fj.from_dlpack(mask.clone()))
    try:
        expected = case(torch.masked, x, mask)
    except Exception as error:
        with pytest.raises(type(error)):
            case(fj.masked, *ours)
        return
    got = torch.from_dlpack(case(fj.masked, *ours))
    assert got.dtype == expected.dtype
    torch.testing.assert_close(got, expected, equal_nan=True)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bool])
@pytest.mark.parametrize("name", ["sum", "prod", "amax", "amin", "mean", "var", "std"])
def test_reductions(name, dtype, mask):
    for dim in (None, 1, (0, 2)):
        compare(
            lambda m, x, mask, dim=dim: getattr(m, name)(x, dim, keepdim=dim == 1, mask=mask),
            X.to(dtype),
            MASKS[mask],
        )


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
@pytest.mark.parametrize("name", ["argmax", "argmin", "median", "cumsum", "cumprod"])
def test_along_a_dim(name, dtype, mask):
    compare(lambda m, x, mask: getattr(m, name)(x, 2, mask=mask), X.to(dtype), MASKS[mask])


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "softmin", "logsumexp"])
def test_exponentials(name, mask):
    compare(lambda m, x, mask: getattr(m, name)(x, 1, mask=mask), X, MASKS[mask])


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("order", [2.0, 0.0, -1.0, float("inf")])
def test_norms(order, mask):
    compare(lambda m, x, mask: m.norm(x, order, 2, mask=mask), X, MASKS[mask])
    compare(lambda m, x, mask: m.normalize(x, order, 1, mask=mask), X, MASKS[mask])


def test_logaddexp_and_other_arguments():
    compare(lambda m, x, mask: m.logaddexp(x, x, input_mask=mask), X, MASKS["whole"])
    compare(lambda m, x, mask: m.var(x, 0, False, mask=mask), X, MASKS["whole"])
    compare(lambda m, x, mask: m.sum(x, dtype=x.dtype, mask=mask), X.to(torch.int32), MASKS["whole"])
    with pytest.raises(TypeError, match="expected a bool mask"):
        fj.masked.sum(fj.ones(2), mask=fj.ones(2))


def test_gradients_are_of_what_is_included():
    x = fj.tensor([1.0, 2.0, 3.0], requires_grad=True)
    fj.masked.mean(x, mask=fj.tensor([True, False, True])).backward()
    assert x.grad.tolist() == [0.5, 0.0, 0.5]
