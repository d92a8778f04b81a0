"""The cases of bench/eager.py, one module per family."""

from eager_ops import algebra, copies, dtypes, neural, pointwise, reductions, shapes, structure, training

# By the shapes that programs use: `bench/eager.py` alone runs them.
SHAPES = {
    "convolutions": shapes.CONVOLUTIONS,
    "poolings": shapes.POOLINGS,
    "norms": shapes.NORMS,
    "layers": shapes.LAYERS,
    "products": shapes.PRODUCTS,
    "transforms": shapes.TRANSFORMS,
    "decompositions": shapes.DECOMPOSITIONS,
}
FAMILIES = {
    "pointwise": pointwise.CASES,
    "dtypes": dtypes.CASES,
    "copies": copies.CASES,
    "reductions": reductions.CASES,
    "structure": structure.CASES,
    "algebra": algebra.CASES,
    "neural": neural.CASES,
    "training": training.CASES,
    **SHAPES,
}
CASES = tuple(case for name, cases in FAMILIES.items() if name not in SHAPES for case in cases)
