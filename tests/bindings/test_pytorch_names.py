"""Small names of PyTorch: what they are here."""

from __future__ import annotations

import pytest

import framejit as fj


def test_out_of_memory_is_a_runtime_error() -> None:
    assert fj.OutOfMemoryError is fj.cuda.OutOfMemoryError
    with pytest.raises(RuntimeError, match="out of memory on cpu: asked for 43980465111040 bytes") as caught:
        fj.empty(10**13)
    assert type(caught.value) is fj.OutOfMemoryError
    assert isinstance(caught.value, MemoryError)


def test_layout() -> None:
    x = fj.ones(2)
    assert x.layout is fj.strided
    assert fj.zeros(2, layout=x.layout).layout is fj.strided


def test_numbers_that_may_be_symbols() -> None:
    assert fj.sym_int(-2.5) == -2
    assert fj.sym_float(3) == 3.0
    assert fj.sym_not(0 > 1) is True
    assert fj.sym_max(3, 2.0) == 3.0
    assert isinstance(fj.sym_max(3, 2.0), float)
    assert fj.sym_min(3, 2) == 2
    assert isinstance(fj.sym_min(3, 2.5), float)
    assert fj.sym_sum([1, 2, 3]) == 6
    assert fj.sym_ite(True, 1, 2) == 1
    assert fj.sym_sqrt(9) == 3.0
    with pytest.raises(TypeError, match="sym_ite"):
        fj.sym_ite(True, 1, 2.0)


def test_symbolic_numbers_in_a_trace() -> None:
    @fj.compile(dynamic=True, fullgraph=True)
    def function(x: fj.Tensor) -> fj.Tensor:
        return x.new_zeros(fj.sym_max(x.shape[0], fj.sym_int(3)), layout=x.layout) + fj.sym_sum([x.shape[0], x.shape[1]])

    for rows in (2, 5, 9):
        assert fj.equal(function(fj.ones(rows, 4)), fj.full((max(rows, 3),), float(rows + 4)))
