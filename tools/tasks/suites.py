"""Running GoogleTest and pytest, and reading their counts from the JUnit files they write."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

from environment import Environment
from progress import LOGS, ROOT, Step


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other: Counts) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed" + (
            f", {self.skipped} skipped" if self.skipped else ""
        )


def _read_junit(path: Path, status: int) -> Counts:
    """Counts of one run. A run that died before it wrote its file, or failed without saying where, is one failure."""
    counts = Counts()
    try:
        suites = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return Counts(failed=1)
    for case in suites.iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            counts.failed += 1
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            counts.skipped += 1
        else:
            counts.passed += 1
    if status != 0 and counts.failed == 0:
        counts.failed = 1
    return counts


def _finish(step: Step, path: Path, status: int) -> Counts:
    counts = _read_junit(path, status)
    step.note = str(counts)
    step.ok = counts.failed == 0 and counts.passed > 0
    if counts.passed == 0 and counts.failed == 0:
        counts.failed = 1  # a run that ran nothing proves nothing
        step.note = "no test ran"
    return counts


def run_gtest(step: Step, preset: str, env: dict[str, str] | None = None) -> Counts:
    report = LOGS / f"gtest-{preset}.xml"
    report.unlink(missing_ok=True)
    binary = ROOT / "build" / preset / "framejit_tests"
    status = step.run(
        [str(binary), f"--gtest_output=xml:{report}", "--gtest_brief=1"], env=env, timeout=900, must=False
    )
    return _finish(step, report, status)


def run_pytest(
    step: Step,
    environment: Environment,
    preset: str,
    arguments: list[str],
    *,
    label: str = "",
    env: dict[str, str] | None = None,
    timeout: float = 1200,
) -> Counts:
    report = LOGS / f"pytest-{environment.interpreter.tag}{label}.xml"
    report.unlink(missing_ok=True)
    command = [
        environment.python,
        "-X",
        "faulthandler",
        "-m",
        "pytest",
        "-q",
        "-ra",
        f"--junitxml={report}",
        *arguments,
    ]
    # Python would put the working folder before build/<preset>/package, where the products to test are.
    variables = {**environment.importing(preset), "PYTHONSAFEPATH": "1", **(env or {})}
    status = step.run(command, env=variables, timeout=timeout, must=False)
    return _finish(step, report, status)
