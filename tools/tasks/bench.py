"""`make bench`: bench/run.py in an environment that has torch and, where it can be installed, JAX."""

from __future__ import annotations

import os
import subprocess

from building import build
from environment import BUILD, Environment
from machine import prepare
from progress import ROOT, Steps


def main(arguments: list[str]) -> int:
    steps = Steps()
    environment = Environment(prepare(steps, for_tests=False)[0])
    with steps.step(f"environment {environment.interpreter.version}") as step:
        environment.install(step, BUILD)
        environment.install_torch(step)
        pip = [environment.python, "-m", "pip", "install", "--disable-pip-version-check"]
        if step.run([*pip, "jax"], must=False) != 0:
            step.note = "no JAX here: its columns stay empty"
    with steps.step("build: core library and extension") as step:
        build(step, "bench", [environment])
    print(flush=True)
    return subprocess.run(
        [environment.python, str(ROOT / "bench" / "run.py"), *arguments],
        env={**os.environ, **environment.importing("bench")},
        cwd=ROOT,
    ).returncode
