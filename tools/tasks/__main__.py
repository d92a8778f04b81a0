"""What the Makefile's targets run: `python3 tools/tasks <command>`.

Standard library only, any Python from 3.8 on: it starts on a fresh machine and makes everything else.

    progress.py     the display: which step runs, for how long; one log file per step
    machine.py      interpreters, compiler, apt packages
    environment.py  virtual environments and their packages
    building.py     the CMake trees
    suites.py       running GoogleTest and pytest, and reading their counts
    check.py lint.py sanitize.py demo.py bench.py fuzz.py    one command each
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

COMMANDS = {
    "check": "build and test for every CPython 3.11, 3.12, 3.13 of this machine, and lint",
    "demo": "train the digits classifier, eager and compiled",
    "lint": "clang-format, ruff, mypy",
    "sanitize": "AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer builds and their tests",
    "bench": "measure against NumPy, torch and JAX where installed",
    "fuzz": "random programs, interpreted against compiled",
}


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        got = sys.argv[1] if len(sys.argv) > 1 else "nothing"
        print(f"usage: python3 tools/tasks COMMAND [arguments]; got {got}", file=sys.stderr)
        for name, what in COMMANDS.items():
            print(f"  {name:10}{what}", file=sys.stderr)
        return 2
    sys.path.insert(0, str(Path(__file__).parent))
    progress = importlib.import_module("progress")
    command = importlib.import_module(sys.argv[1])
    try:
        return command.main(sys.argv[2:])
    except progress.StepFailed as failure:
        print(f"\n{failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
