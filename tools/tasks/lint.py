"""`make lint`: clang-format, ruff and mypy (strict). `make lint FIX=1` rewrites instead of complaining."""

from __future__ import annotations

import shutil

from environment import LINT, Environment
from machine import prepare
from progress import ROOT, Step, Steps
from suites import Counts

CXX_FOLDERS = ("eager", "graph", "inductor", "guards", "symbolic", "eval_frame", "framejit", "tests")
PYTHON_FOLDERS = ("framejit", "tests", "tools", "bench", "examples")


def _cxx_files() -> list[str]:
    return sorted(
        str(path.relative_to(ROOT))
        for folder in CXX_FOLDERS
        for kind in ("*.cc", "*.h")
        for path in (ROOT / folder).rglob(kind)
    )


def _write_stubs(step: Step, environment: Environment) -> None:
    """mypy needs the stubs of framejit._C, which a build would have made."""
    generated = ROOT / "build" / "lint"
    opgen = ROOT / "tools" / "opgen" / "main.py"
    step.run([environment.python, str(opgen), "--ops", str(ROOT / "eager" / "ops"), "--out", str(generated)])
    shutil.copytree(generated / "stubs" / "_C", ROOT / "framejit" / "_C", dirs_exist_ok=True)


def run_lint(steps: Steps, environment: Environment, *, fix: bool = False) -> Counts:
    """Each of the three tools counts as one test."""
    with steps.step("lint: tools") as step:
        environment.install(step, [*LINT, "numpy"])
        _write_stubs(step, environment)
    tools = environment.folder / "bin"
    python_folders = [folder for folder in PYTHON_FOLDERS if (ROOT / folder).exists()]
    commands = {
        "clang-format": [
            str(tools / "clang-format"),
            *(["-i"] if fix else ["--dry-run", "-Werror"]),
            *_cxx_files(),
        ],
        "ruff": [str(tools / "ruff"), "check", *(["--fix"] if fix else []), *python_folders],
        "mypy": [str(tools / "mypy")],
    }
    counts = Counts()
    for name, command in commands.items():
        with steps.step(f"lint: {name}") as step:
            step.ok = step.run(command, env=environment.variables, must=False) == 0
        counts.add(Counts(passed=1) if step.ok else Counts(failed=1))
    return counts


def main(arguments: list[str]) -> int:
    steps = Steps()
    interpreters = prepare(steps, for_tests=False)
    counts = run_lint(steps, Environment(interpreters[0]), fix="--fix" in arguments)
    print(counts)
    return 1 if counts.failed else 0
