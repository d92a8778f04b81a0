"""``assert_close``: tensors, numbers, arrays, and sequences and mappings of them, equal up to a tolerance."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import framejit as fj
from framejit import Tensor

_Message = str | Callable[[str], str] | None

_EXACT = (0.0, 0.0)
_TOLERANCES = {  # relative, absolute
    fj.float16: (1e-3, 1e-5),
    fj.bfloat16: (1.6e-2, 1e-5),
    fj.float32: (1.3e-6, 1e-5),
    fj.complex64: (1.3e-6, 1e-5),
    fj.float64: (1e-7, 1e-7),
    fj.complex128: (1e-7, 1e-7),
}


@dataclass(frozen=True)
class _Options:
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_dtype: bool
    check_stride: bool
    allow_subclasses: bool

    def tolerances(self, *dtypes: fj.dtype) -> tuple[float, float]:
        """What was asked for, else the laxest default of the dtypes."""
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        defaults = [_TOLERANCES.get(dtype, _EXACT) for dtype in dtypes]
        return max(r for r, _ in defaults), max(a for _, a in defaults)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: _Message = None,
) -> None:
    """Raises AssertionError unless ``|actual - expected| <= atol + rtol * |expected|`` everywhere.

    Args:
        rtol, atol: both or none; the defaults depend on the dtype (float32: 1.3e-6 and 1e-5; integers: 0).
        check_device, check_layout: accepted; there is one device and one layout.
        msg: the error's text, or a function that makes it from the usual one.

    Raises:
        AssertionError: a difference, in value, shape or (unless told otherwise) dtype.
        TypeError: a pair of types that cannot be compared.
    """
    if (rtol is None) != (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ValueError(
            f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}."
        )
    options = _Options(rtol, atol, equal_nan, check_dtype, check_stride, allow_subclasses)
    difference = _difference(actual, expected, options, "")
    if difference is not None:
        raise AssertionError(msg(difference) if callable(msg) else msg or difference)


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """:func:`assert_close` as it once was: dtypes may differ, what is not a tensor is made one, NaN equals NaN."""
    actual, expected = (x if isinstance(x, Tensor) else fj.tensor(x) for x in (actual, expected))
    assert_close(
        actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None
    )


def _difference(actual: Any, expected: Any, options: _Options, where: str) -> str | None:
    """What differs, in words; ``where`` are the keys that lead to this pair."""
    place = f"\n\nThe failure occurred for item {where}" if where else ""
    if isinstance(actual, (np.ndarray, np.generic)) and isinstance(expected, (np.ndarray, np.generic)):
        actual, expected = fj.as_tensor(actual), fj.as_tensor(expected)
    if isinstance(actual, Tensor) and isinstance(expected, Tensor):
        related = options.allow_subclasses or type(actual) is type(expected)
        found = _tensors(actual, expected, options) if related else None
        if related:
            return found and found + place
    elif _is_number(actual) and _is_number(expected):
        found = _numbers(actual, expected, options)
        return found and found + place
    elif actual is None and expected is None:
        return None
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        return _mappings(actual, expected, options, where)
    elif _is_sequence(actual) and _is_sequence(expected):
        return _sequences(actual, expected, options, where)
    raise TypeError(
        f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}."
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex))


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _mappings(actual: Mapping, expected: Mapping, options: _Options, where: str) -> str | None:
    if actual.keys() != expected.keys():
        return (
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {sorted(expected.keys() - actual.keys())}\n"
            f"Additional keys in the actual mapping: {sorted(actual.keys() - expected.keys())}"
        )
    pairs = (_difference(actual[key], expected[key], options, f"{where}[{key!r}]") for key in expected)
    return next((found for found in pairs if found), None)


def _sequences(actual: Sequence, expected: Sequence, options: _Options, where: str) -> str | None:
    if len(actual) != len(expected):
        return f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
    pairs = (
        _difference(a, b, options, f"{where}[{index}]") for index, (a, b) in enumerate(zip(actual, expected))
    )
    return next((found for found in pairs if found), None)


def _numbers(actual: complex, expected: complex, options: _Options) -> str | None:
    kinds = {bool: fj.bool, int: fj.int64, float: fj.float64, complex: fj.complex128}
    rtol, atol = options.tolerances(kinds[type(actual)], kinds[type(expected)])
    if actual == expected or (options.equal_nan and cmath.isnan(actual) and cmath.isnan(expected)):
        return None
    off = abs(actual - expected)
    if cmath.isfinite(actual) and cmath.isfinite(expected) and off <= atol + rtol * abs(expected):
        return None
    return _describe_scalars(actual, expected, off, off / abs(expected) if expected else float("inf"), rtol, atol)


def _tensors(actual: Tensor, expected: Tensor, options: _Options) -> str | None:
    checks: dict[str, tuple[Any, Any]] = {"shape": (actual.shape, expected.shape)}
    if options.check_dtype:
        checks["dtype"] = (actual.dtype, expected.dtype)
    if options.check_stride:
        checks["stride()"] = (actual.stride(), expected.stride())
    for name, (got, wanted) in checks.items():
        if got != wanted:
            return f"The values for attribute '{name}' do not match: {got} != {wanted}."
    actual, expected = actual.detach(), expected.detach()
    rtol, atol = options.tolerances(actual.dtype, expected.dtype)
    common = fj.promote_types(actual.dtype, expected.dtype)
    actual, expected = actual.to(common), expected.to(common)
    if common == fj.bool:  # has no difference
        actual, expected = actual.to(fj.int64), expected.to(fj.int64)
    wrong = ~fj.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=options.equal_nan)
    return _describe(actual, expected, wrong, rtol, atol) if wrong.any() else None


def _describe(actual: Tensor, expected: Tensor, wrong: Tensor, rtol: float, atol: float) -> str:
    off = (actual - expected).abs()
    relative = off / expected.abs()
    if actual.dim() == 0:
        values = (actual.item(), expected.item(), off.item(), relative.item())
        return _describe_scalars(*values, rtol, atol)
    title, allowed = _title_and_allowance(rtol, atol)
    count, total = int(wrong.sum()), actual.numel()
    return (
        f"Tensor-likes {title}\n\nMismatched elements: {count} / {total} ({count / total:.1%})\n"
        f"Greatest absolute difference: {_greatest(off, wrong)}{allowed[0]}\n"
        f"Greatest relative difference: {_greatest(relative, wrong)}{allowed[1]}"
    )


def _describe_scalars(
    actual: Any, expected: Any, off: Any, relative: Any, rtol: float, atol: float
) -> str:
    title, allowed = _title_and_allowance(rtol, atol)
    return (
        f"Scalars {title}\n\nExpected {expected} but got {actual}.\n"
        f"Absolute difference: {off}{allowed[0]}\nRelative difference: {relative}{allowed[1]}"
    )


def _title_and_allowance(rtol: float, atol: float) -> tuple[str, tuple[str, str]]:
    if rtol == atol == 0:
        return "are not equal!", ("", "")
    return "are not close!", (f" (up to {atol} allowed)", f" (up to {rtol} allowed)")


def _greatest(differences: Tensor, wrong: Tensor) -> str:
    """The greatest difference among the wrong elements, and where it is."""
    flat = fj.where(wrong, differences, fj.zeros((), dtype=differences.dtype)).flatten()
    position = int(flat.argmax())
    index = tuple(int(i) for i in np.unravel_index(position, tuple(differences.shape)))
    return f"{flat[position].item()} at index {index}"
