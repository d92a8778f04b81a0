"""`make sanitize`: the tests under sanitizers.

    asan   AddressSanitizer and UndefinedBehaviorSanitizer: all C++ tests, then a pytest subset with libasan preloaded
    tsan   ThreadSanitizer: all C++ tests (CPython itself is not built for it, so no Python)

`make sanitize ARGS=tsan` runs one of them; further arguments replace the pytest subset.
"""

from __future__ import annotations

import subprocess

from building import build
from environment import BUILD, TEST, Environment
from machine import compiler, prepare
from progress import StepFailed, Steps
from suites import Counts, run_gtest, run_pytest

# Tests that walk every layer and are not about time or memory use.
PYTEST_SUBSET = ["tests", "-m", "not slow", "-k", "not leak and not fuzz and not oracle"]

# Python never frees its interned objects, so leaks are counted by the leak tests instead. odr: inline functions of the
# tile kernels exist once per instruction set on purpose (see cmake/Products.cmake).
ASAN = {
    "ASAN_OPTIONS": "detect_leaks=0:detect_odr_violation=0:abort_on_error=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
TSAN = {"TSAN_OPTIONS": "halt_on_error=0:second_deadlock_stack=1"}


def _runtime(name: str) -> str:
    path = subprocess.run(
        [compiler() or "g++", f"-print-file-name={name}"], capture_output=True, text=True
    ).stdout
    if not path.startswith("/"):
        raise StepFailed(f"{name} is not beside the compiler: install the compiler's sanitizer runtime")
    return path.strip()


def _asan(steps: Steps, environment: Environment, subset: list[str]) -> Counts:
    with steps.step("build with AddressSanitizer, UBSan") as step:
        build(step, "asan", [environment])
    counts = Counts()
    with steps.step("GoogleTest under ASan, UBSan") as step:
        counts.add(run_gtest(step, "asan", env=ASAN))
    preload = f"{_runtime('libasan.so')} {_runtime('libubsan.so')} {_runtime('libstdc++.so')}"
    env = {
        **ASAN,
        "LD_PRELOAD": preload,
        "PYTHONMALLOC": "malloc",
    }
    with steps.step(f"pytest {environment.interpreter.version} under ASan, UBSan") as step:
        counts.add(run_pytest(step, environment, "asan", subset, label="-asan", env=env, timeout=3000))
    return counts


def _tsan(steps: Steps, environment: Environment) -> Counts:
    with steps.step("build with ThreadSanitizer") as step:
        build(step, "tsan", [environment], "framejit_tests")
    with steps.step("GoogleTest under TSan") as step:
        return run_gtest(step, "tsan", env=TSAN)


def main(arguments: list[str]) -> int:
    chosen = [a for a in arguments if a in ("asan", "tsan")] or ["asan", "tsan"]
    subset = [a for a in arguments if a not in chosen] or PYTEST_SUBSET
    steps = Steps()
    environment = Environment(prepare(steps)[0])
    with steps.step(f"environment {environment.interpreter.version}") as step:
        environment.install(step, BUILD + TEST)
    counts = Counts()
    if "asan" in chosen:
        counts.add(_asan(steps, environment, subset))
    if "tsan" in chosen:
        counts.add(_tsan(steps, environment))
    steps.print_table()
    print(f"{counts.passed} passed, {counts.failed} failed")
    return 1 if counts.failed else 0
