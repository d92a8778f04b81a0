"""`make fuzz`: tests/fuzz with a time budget, as `make fuzz ARGS="--seconds 600 --seed 7"`; the rest goes to pytest."""

from __future__ import annotations

import argparse

from building import build
from environment import BUILD, TEST, Environment
from machine import prepare
from progress import Steps
from suites import run_pytest


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make fuzz")
    parser.add_argument("--seconds", type=float, default=60, help="time for each fuzzer")
    parser.add_argument("--seed", type=int, default=None, help="first seed; default: from the clock")
    chosen, pytest_arguments = parser.parse_known_args(arguments)
    steps = Steps()
    environment = Environment(prepare(steps, for_tests=False)[0])
    with steps.step(f"environment {environment.interpreter.version}") as step:
        environment.install(step, BUILD + TEST)
    with steps.step("build: core library and extension") as step:
        build(step, "demo", [environment])
    env = {"FRAMEJIT_FUZZ_SECONDS": str(chosen.seconds)}
    if chosen.seed is not None:
        env["FRAMEJIT_FUZZ_SEED"] = str(chosen.seed)
    with steps.step(f"fuzz, {chosen.seconds:.0f} s each") as step:
        limit = ["-o", f"timeout={chosen.seconds * 4 + 300:.0f}"]
        counts = run_pytest(
            step,
            environment,
            "demo",
            ["tests/fuzz", *limit, *pytest_arguments],
            label="-fuzz",
            env=env,
            timeout=7200,
        )
    print(counts)
    return 1 if counts.failed else 0
