"""What a bug report should say about the machine: ``python -m framejit.utils.collect_env``."""

from __future__ import annotations

import os
import platform
import sys

import numpy

import framejit as fj

__all__ = ["get_pretty_env_info", "main"]


def get_pretty_env_info() -> str:
    """Versions and hardware, a line each."""
    facts = {
        "framejit version": fj.__version__,
        "Is debug build": "False",
        "CUDA used to build framejit": "None",
        "OS": platform.platform(),
        "Python version": f"{sys.version.split()[0]} ({64 if sys.maxsize > 2**32 else 32}-bit runtime)",
        "Python platform": platform.machine(),
        "NumPy version": numpy.__version__,
        "CPUs": str(os.cpu_count()),
        "Threads of framejit": str(fj.get_num_threads()),
    }
    return "\n".join(f"{name}: {value}" for name, value in facts.items())


def main() -> None:
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
