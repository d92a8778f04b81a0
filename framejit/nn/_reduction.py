"""The old spelling of ``reduction``: two booleans."""

from __future__ import annotations

import warnings


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """The ``reduction`` that ``size_average`` and ``reduce`` stand for; None counts as True."""
    average = size_average is None or size_average
    reduced = reduce is None or reduce
    reduction = "none" if not reduced else "mean" if average else "sum"
    if emit_warning:
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
            stacklevel=3,
        )
    return reduction


def get_enum(reduction: str) -> int:
    """PyTorch's number of a reduction."""
    numbers = {"none": 0, "mean": 1, "elementwise_mean": 1, "sum": 2}
    if reduction not in numbers:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return numbers[reduction]
