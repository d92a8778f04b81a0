"""The cases of bench/eager.py, one module per family."""

from eager_ops import algebra, elementwise, neural, reductions, structure, training

CASES = (
    *elementwise.CASES,
    *reductions.CASES,
    *structure.CASES,
    *algebra.CASES,
    *neural.CASES,
    *training.CASES,
)
