"""The CMake trees: configure and build a preset for some interpreters."""

from __future__ import annotations

import os

from environment import Environment
from progress import ROOT, Step

JOBS = os.environ.get("JOBS", str(os.cpu_count() or 2))


def build(
    step: Step, preset: str, environments: list[Environment], *targets: str, options: tuple[str, ...] = ()
) -> None:
    """Configure build/<preset> and build it. The first environment's cmake, ninja and python (for opgen) are used."""
    host = environments[0]
    tools = host.folder / "bin"
    settings = {
        "CMAKE_MAKE_PROGRAM": str(tools / "ninja"),
        "FRAMEJIT_PYTHONS": ";".join(environment.python for environment in environments),
        "SKBUILD": "OFF",  # a wheel may have been made in this tree
    }
    configure = [
        str(tools / "cmake"),
        "--preset",
        preset,
        *(f"-D{name}={value}" for name, value in settings.items()),
    ]
    step.run([*configure, *options], env=host.variables)
    wanted = ["--target", *targets] if targets else []
    step.run(
        [str(tools / "cmake"), "--build", str(ROOT / "build" / preset), "-j", JOBS, *wanted],
        env=host.variables,
    )
