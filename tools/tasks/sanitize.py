"""`make sanitize`: the tests under sanitizers.

    asan   AddressSanitizer and UndefinedBehaviorSanitizer: all C++ tests, then a pytest subset with libasan preloaded
    tsan   ThreadSanitizer: all C++ tests (CPython itself is not built for it, so no Python)

`make sanitize ARGS=tsan` runs one of them; further arguments replace the pytest subset.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from building import build
from environment import BUILD, TEST, Environment
from machine import compiler, prepare
from progress import LOGS, StepFailed, Steps
from suites import Counts, run_gtest, run_pytest

# Tests that walk every layer and are not about time or memory use; without those of DataLoader, whose workers are forked
# from a process of several threads: the lock of GCC 12's AddressSanitizer may then stay locked in the child for ever.
PYTEST_SUBSET = ["tests", "--ignore=tests/utils/test_data.py", "-m", "not slow", "-k", "not leak and not fuzz and not oracle"]

# Reports go to files, since pytest swallows the standard error of a process that dies.
REPORTS = LOGS / "sanitizer"
# Python never frees its interned objects, so leaks are counted by the leak tests instead. odr: inline functions of the
# tile kernels exist once per instruction set on purpose (see cmake/Products.cmake). Null: tests ask for absurd sizes.
ASAN = {
    "ASAN_OPTIONS": f"detect_leaks=0:detect_odr_violation=0:allocator_may_return_null=1:log_path={REPORTS}",
    "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={REPORTS}",
}
# A test computes in a forked child.
TSAN = {
    "TSAN_OPTIONS": f"halt_on_error=0:second_deadlock_stack=1:die_after_fork=0:log_path={REPORTS}"
}


def written() -> list[Path]:
    """What the sanitizers wrote, a file for each process; refused allocations are noted there too."""
    return sorted(REPORTS.parent.glob(f"{REPORTS.name}.*"))


def findings() -> list[Path]:
    found = re.compile(r"ERROR: |runtime error: |WARNING: ThreadSanitizer")
    return [file for file in written() if found.search(file.read_text(errors="replace"))]


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
    for report in written():
        report.unlink()
    if "asan" in chosen:
        counts.add(_asan(steps, environment, subset))
    if "tsan" in chosen:
        counts.add(_tsan(steps, environment))
    steps.print_table()
    for report in findings():
        print(f"\n{report}:\n{report.read_text(errors='replace')}")
        counts.add(Counts(failed=1))
    print(f"{counts.passed} passed, {counts.failed} failed")
    return 1 if counts.failed else 0
