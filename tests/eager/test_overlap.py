"""In-place ops where elements share memory, with each other or with another argument."""

from __future__ import annotations

from typing import Any

import pytest
from tests.eager.sample_call import KNOWN, TABLE, Call
from tests.op_samples import T

import framejit as fj

INPLACE = {name: row for name, row in TABLE.items() if row["kind"] == "inplace" and row["functional"] in KNOWN}
# One value for all elements, or for those that are listed: what they become is known.
OF_ONE_VALUE = {"fill_", "fill_.tensor", "zero_", "index_put_", "index_fill_", "index_fill_.tensor"}


def calls(name: str, count: int) -> list[Call]:
    """Of the functional row, with a tensor first."""
    base = INPLACE[name]["functional"]
    samples = [sample for sample in KNOWN[base] if sample.args and isinstance(sample.args[0], T)]
    return [Call(base, sample, sample.dtypes[0]) for sample in samples[:count]]


def run(name: str, call: Call, tensors: list) -> Any:
    (self, *args), kwargs = call.arguments(fj, tensors)
    return getattr(self, INPLACE[name]["name"])(*args, **kwargs)


def answers(name: str, call: Call, tensors: list) -> bool:
    try:
        run(name, call, tensors)
    except (RuntimeError, TypeError, ValueError, IndexError):
        return False
    return True


@pytest.mark.parametrize("name", [name for name in INPLACE if name not in OF_ONE_VALUE])
def test_expanded_tensors_are_refused(name: str) -> None:
    for call in calls(name, 4):
        x, *others = call.tensors(fj)
        if x.dim() == 0 or x.shape[0] < 2 or x.numel() == 0 or not answers(name, call, [x, *others]):
            continue
        _, *others = call.tensors(fj)
        with pytest.raises(RuntimeError, match="refers to a single memory location"):
            run(name, call, [x[:1].clone().expand(x.shape), *others])


@pytest.mark.parametrize("name", ["fill_", "zero_"])
def test_one_value_is_written_to_an_expanded_tensor(name: str) -> None:
    x = fj.ones(1).expand(3)
    getattr(x, name)(*([5] if name == "fill_" else []))
    assert x.tolist() == ([5, 5, 5] if name == "fill_" else [0, 0, 0])


@pytest.mark.parametrize("name", INPLACE)
def test_arguments_may_overlap_with_what_is_written(name: str) -> None:
    """Each argument is read as it was before the call."""
    for call in calls(name, 4):
        first, *others = call.tensors(fj)
        like_first = [i for i, other in enumerate(others) if (other.shape, other.dtype) == (first.shape, first.dtype)]
        if not like_first or first.dim() == 0:
            continue
        count = first.shape[0]
        memory = fj.cat([first, others[like_first[0]]])[: count + 1].contiguous()
        before = memory.clone()
        shifted = lambda buffer, start: buffer[start : start + count]  # noqa: E731
        overlapping, apart = list(others), list(others)
        overlapping[like_first[0]], apart[like_first[0]] = shifted(memory, 0), shifted(before, 0)
        fresh = shifted(before, 1).clone()
        if not answers(name, call, [fresh, *apart]):
            continue
        run(name, call, [shifted(memory, 1), *overlapping])
        assert shifted(memory, 1).tolist() == pytest.approx(fresh.tolist(), nan_ok=True) if first.dim() == 1 else fj.allclose(shifted(memory, 1), fresh, equal_nan=True)
