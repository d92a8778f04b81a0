"""`make check`: everything CI runs. Lint, one build for all interpreters, tests, one wheel."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from building import build
from environment import BUILD, ORACLE_TAG, TEST, Environment
from lint import run_lint
from machine import SUPPORTED, Interpreter, prepare
from progress import LOGS, ROOT, StepFailed, Steps
from suites import Counts, run_gtest, run_pytest

# Run by the interpreter of a clean environment that has nothing but the wheel, outside the source tree.
_WHEEL_SMOKE = """
import framejit as fj, importlib.resources as resources
@fj.compile
def f(x): return (x * 2 + 1).sum()
x = fj.tensor([1.0, 2.0, 3.0])
assert f(x).item() == 15.0, f(x)
files = resources.files("framejit")
assert (files / "py.typed").is_file() and (files / "__init__.py").is_file()
assert (files / "_C" / "ops.pyi").is_file(), "no stubs in the wheel"
print("wheel works:", fj.__version__)
"""


def _environments(steps: Steps, interpreters: list[Interpreter]) -> list[Environment]:
    environments = [Environment(interpreter) for interpreter in interpreters]
    for environment in environments:
        with steps.step(f"environment {environment.interpreter.version}") as step:
            environment.install(step, BUILD + TEST)
            if environment.interpreter.tag == ORACLE_TAG:
                environment.install_torch(step)
    return environments


def _pip_wheel(environment: Environment, target: str) -> list[str]:
    """The command that builds the wheel. What was just built is packed, with this environment's build requirements; with
    FRAMEJIT_ISOLATED_WHEEL=1 everything is fetched and compiled once more, as for a user's `pip install .`."""
    command = [environment.python, "-m", "pip", "wheel", str(ROOT), "--no-deps", "-w", target]
    if os.environ.get("FRAMEJIT_ISOLATED_WHEEL"):
        return command
    settings = {
        "build-dir": "build/check",
        "cmake.build-type": "RelWithDebInfo",
        "cmake.define.FRAMEJIT_PYTHONS": environment.python,
    }
    return [*command, "--no-build-isolation", *(f"-C{name}={value}" for name, value in settings.items())]


def check_wheel(steps: Steps, environment: Environment) -> Counts:
    """Build a wheel from this source tree, install it into an empty environment, use it there."""
    version = environment.interpreter.version
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            steps.step(f"wheel {version}: build, install, use") as step,
        ):
            environment.install(step, ["scikit-build-core>=0.11"])
            step.run(_pip_wheel(environment, folder), env={"PYTHONNOUSERSITE": "1"}, timeout=1500)
            clean = Path(folder) / "venv"
            python = str(clean / "bin" / "python")
            step.run([environment.interpreter.path, "-m", "venv", str(clean)])
            wheel = next(Path(folder).glob("framejit-*.whl"))
            step.run([python, "-m", "pip", "install", str(wheel)])
            step.run(
                [python, "-c", _WHEEL_SMOKE],
                cwd=Path(folder),
                env={"PYTHONPATH": "", "PYTHONNOUSERSITE": "1"},
            )
            step.note = f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB"
            shutil.copy(wheel, LOGS)
    except StepFailed:
        return Counts(failed=1)
    return Counts(passed=1)


def _run(steps: Steps, wanted: tuple[str, ...], pytest_arguments: list[str], counts: Counts) -> None:
    """Add up everything in `counts`; a step that cannot be gone without raises StepFailed."""
    environments = _environments(steps, prepare(steps, wanted))
    counts.add(run_lint(steps, environments[0]))
    with steps.step(f"build: core library, tests, {len(environments)} extension(s)") as step:
        build(step, "check", environments)
    with steps.step("GoogleTest") as step:
        counts.add(run_gtest(step, "check"))
    for environment in environments:
        with steps.step(f"pytest {environment.interpreter.version}") as step:
            counts.add(run_pytest(step, environment, "check", pytest_arguments))
    counts.add(check_wheel(steps, environments[0]))


def main(arguments: list[str]) -> int:
    """Arguments go to pytest. CHECK_PYTHONS="311 312" restricts the interpreters."""
    wanted = tuple(os.environ.get("CHECK_PYTHONS", "").split()) or SUPPORTED
    steps = Steps()
    counts = Counts()
    try:
        _run(steps, wanted, arguments, counts)
    except StepFailed as failure:
        print(f"\n{failure}")
        counts.add(Counts(failed=1))
    steps.print_table()
    summary = f"{counts.passed} passed, {counts.failed} failed"
    (LOGS / "summary.txt").write_text(summary + "\n")
    print(summary, flush=True)
    return 1 if counts.failed else 0
