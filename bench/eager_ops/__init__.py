"""The cases of bench/eager.py, one module per family."""

from eager_ops import algebra, copies, dtypes, neural, pointwise, reductions, structure, training

FAMILIES = {
    "pointwise": pointwise.CASES,
    "dtypes": dtypes.CASES,
    "copies": copies.CASES,
    "reductions": reductions.CASES,
    "structure": structure.CASES,
    "algebra": algebra.CASES,
    "neural": neural.CASES,
    "training": training.CASES,
}
CASES = tuple(case for cases in FAMILIES.values() for case in cases)
