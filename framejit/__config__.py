"""How framejit was built and runs, as text."""

import framejit as fj


def show() -> str:
    """A line for each fact."""
    return f"framejit {fj.__version__}\n  - devices: cpu\n  - CUDA: none"


def parallel_info() -> str:
    """How many threads compute."""
    return f"framejit's thread pool:\n  threads: {fj.get_num_threads()}\n"
