"""Bad arguments of ops: the exception's type and its whole text, which names sizes, dims and dtypes."""

from __future__ import annotations

import pytest

import framejit as fj

torch = pytest.importorskip("torch", reason="PyTorch is the oracle")


def ones(library, *sizes: int, dtype: str = "float32"):
    return library.ones(sizes, dtype=getattr(library, dtype))


# Where the text is PyTorch's.
SAME = {
    "broadcast": lambda m: ones(m, 2, 3) + ones(m, 4),
    "view": lambda m: ones(m, 7).view(2, 3),
    "view of strides": lambda m: ones(m, 3, 4).t().view(12),
    "view twice -1": lambda m: ones(m, 4).view(-1, -1),
    "reshape ambiguous": lambda m: ones(m, 0).reshape(-1, 0),
    "expand": lambda m: ones(m, 3).expand(2, 4),
    "permute repeated": lambda m: ones(m, 2, 3).permute(0, 0),
    "permute length": lambda m: ones(m, 2, 3).permute(0, 1, 2),
    "dim": lambda m: ones(m, 2, 3).transpose(0, 5),
    "dim of 0-dim": lambda m: m.tensor(1.0).sum(1),
    "dim twice": lambda m: ones(m, 2, 3).sum((0, 0)),
    "select": lambda m: ones(m, 3).select(0, 5),
    "narrow": lambda m: ones(m, 3).narrow(0, 2, 2),
    "split sizes": lambda m: ones(m, 4).split([1, 1]),
    "unfold": lambda m: ones(m, 3).unfold(0, 5, 1),
    "diagonal": lambda m: ones(m, 3, 3).diagonal(0, 0, 0),
    "flatten": lambda m: ones(m, 2, 3).flatten(1, 0),
    "t": lambda m: ones(m, 2, 3, 4).t(),
    "mm": lambda m: m.mm(ones(m, 2, 3), ones(m, 4, 5)),
    "mm rank": lambda m: m.mm(ones(m, 2), ones(m, 4, 5)),
    "bmm": lambda m: m.bmm(ones(m, 2, 3, 4), ones(m, 2, 5, 6)),
    "matmul": lambda m: m.matmul(ones(m, 2, 3, 4), ones(m, 5, 6)),
    "dot": lambda m: m.dot(ones(m, 3), ones(m, 4)),
    "cat sizes": lambda m: m.cat([ones(m, 2, 3), ones(m, 2, 4)]),
    "cat ranks": lambda m: m.cat([ones(m, 2, 3), ones(m, 2)]),
    "cat 0-dim": lambda m: m.cat([m.tensor(1.0)]),
    "stack": lambda m: m.stack([ones(m, 2), ones(m, 3)]),
    "gather": lambda m: m.gather(ones(m, 2, 3), 0, m.tensor([[5, 0, 0]])),
    "index": lambda m: ones(m, 3)[m.tensor([0, 7])],
    "too many indices": lambda m: ones(m, 3)[0, m.tensor([0])],
    "mask shape": lambda m: ones(m, 3)[m.tensor([True, False])],
    "bool minus bool": lambda m: m.tensor([True]) - m.tensor([False]),
    "minus bool": lambda m: -m.tensor([True]),
    "bool minus int": lambda m: m.tensor([True]) - 1,
    "mean of ints": lambda m: m.tensor([1, 2]).mean(),
    "amax of nothing": lambda m: m.amax(ones(m, 0, 3), 0),
    "integer pow": lambda m: m.tensor([2]) ** -1,
    "integer division by zero": lambda m: m.tensor([2]) // m.tensor([0]),
    "item": lambda m: ones(m, 3).item(),
    "clamp": lambda m: ones(m, 3).clamp(),
    "rounding mode": lambda m: m.div(ones(m, 3), 2, rounding_mode="up"),
    "arange step": lambda m: m.arange(0, 5, 0),
    "arange direction": lambda m: m.arange(0, 5, -1),
    "negative size": lambda m: m.empty(-1),
    "one_hot": lambda m: m.nn.functional.one_hot(ones(m, 3), 2),
    "gelu": lambda m: m.nn.functional.gelu(ones(m, 3), approximate="fast"),
    "layer_norm": lambda m: m.nn.functional.layer_norm(ones(m, 2, 3), (4,)),
    "nll batch": lambda m: m.nn.functional.nll_loss(ones(m, 2, 3), m.tensor([0])),
    "movedim": lambda m: ones(m, 2, 3).movedim((0, 0), (0, 1)),
    "repeat": lambda m: ones(m, 2, 3).repeat(2),
    "copy_": lambda m: ones(m, 2).copy_(ones(m, 3)),
    "in-place cast": lambda m: m.tensor([1]).add_(1.5),
}

# Where ours tells more: type, text.
OURS = {
    "topk": (lambda: fj.topk(fj.ones(3), 5), RuntimeError, "selected index k out of range: k = 5, size 3 of dimension 0"),
    "embedding": (
        lambda: fj.embedding(fj.ones(3, 2), fj.tensor([4])),
        IndexError,
        "index out of range in self: index 4, embedding of 3 rows",
    ),
    "where": (
        lambda: fj.where(fj.ones(2), 1.0, fj.ones(2)),
        RuntimeError,
        "where expected condition to be a boolean tensor, but got a tensor with dtype float32",
    ),
    "missing kernel": (
        lambda: fj.bitwise_and(fj.ones(2), fj.ones(2)),
        NotImplementedError,
        "\"bitwise_and\" not implemented for 'float32' on cpu; it exists for bool, uint8, int8, int16, int32, int64",
    ),
    "softmax of ints": (
        lambda: fj.softmax(fj.tensor([1, 2]), 0),
        NotImplementedError,
        "\"softmax_rows\" not implemented for 'int64'; give dtype= or call .float() first",
    ),
}


def failure(call) -> Exception:
    with pytest.raises(Exception) as info:  # the type is compared below
        call()
    return info.value


@pytest.mark.parametrize("name", SAME)
def test_text_is_pytorchs(name: str) -> None:
    ours, theirs = failure(lambda: SAME[name](fj)), failure(lambda: SAME[name](torch))
    assert (type(ours), str(ours)) == (type(theirs), str(theirs).split("\n")[0])


@pytest.mark.parametrize("name", OURS)
def test_text_is_ours(name: str) -> None:
    call, error, text = OURS[name]
    raised = failure(call)
    assert (type(raised), str(raised)) == (error, text)
