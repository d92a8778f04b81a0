"""`make demo`: build for one interpreter and train the digits classifier, eager and compiled."""

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
        environment.install(step, [*BUILD, "scikit-learn"])
    with steps.step("build: core library and extension") as step:
        build(step, "demo", [environment])
    print(flush=True)
    return subprocess.run(
        [environment.python, str(ROOT / "examples" / "digits.py"), *arguments],
        env={**os.environ, **environment.importing("demo")},
        cwd=ROOT,
    ).returncode
