"""The driver behind the Makefile: what it counts, when it fails, what it says."""

import pathlib
import subprocess
import sys

import pytest
from tests.processes import environment

TASKS = pathlib.Path(__file__).parents[2] / "tools" / "tasks"


@pytest.fixture
def tasks(monkeypatch, tmp_path):
    """The driver's modules by name, writing their logs to a scratch folder."""
    monkeypatch.syspath_prepend(str(TASKS))
    import machine
    import progress
    import suites

    monkeypatch.setattr(progress, "ROOT", tmp_path)
    monkeypatch.setattr(progress, "LOGS", tmp_path / "logs")
    return {"machine": machine, "progress": progress, "suites": suites}


JUNIT = """<testsuites><testsuite>
<testcase name="a"/><testcase name="b"/>
<testcase name="c"><failure>no</failure></testcase>
<testcase name="d"><error>no</error></testcase>
<testcase name="e"><skipped/></testcase>
<testcase name="f" status="notrun"/>
</testsuite></testsuites>"""


def test_counts_are_read_from_junit(tasks, tmp_path):
    path = tmp_path / "report.xml"
    path.write_text(JUNIT)
    assert str(tasks["suites"]._read_junit(path, status=1)) == "2 passed, 2 failed, 2 skipped"


def test_a_run_that_died_is_a_failure(tasks, tmp_path):
    read = tasks["suites"]._read_junit
    assert read(tmp_path / "missing.xml", status=-11).failed == 1
    (tmp_path / "cut.xml").write_text("<testsuites><testsuite><testcase")
    assert read(tmp_path / "cut.xml", status=-11).failed == 1


def test_a_nonzero_status_without_a_failed_case_is_a_failure(tasks, tmp_path):
    path = tmp_path / "report.xml"
    path.write_text('<testsuites><testcase name="a"/></testsuites>')
    assert str(tasks["suites"]._read_junit(path, status=3)) == "1 passed, 1 failed"


def test_a_run_of_no_tests_is_a_failure(tasks, tmp_path):
    path = tmp_path / "report.xml"
    path.write_text("<testsuites></testsuites>")
    with tasks["progress"].Steps().step("tests") as step:
        counts = tasks["suites"]._finish(step, path, status=0)
    assert counts.failed == 1 and not step.ok and step.note == "no test ran"


def test_a_failing_step_raises_and_shows_its_output(tasks, capsys):
    progress = tasks["progress"]
    command = [sys.executable, "-c", "print('what went wrong'); raise SystemExit(3)"]
    with pytest.raises(progress.StepFailed, match="gave exit status 3"), progress.Steps().step("a step") as step:
        step.run(command)
    shown = capsys.readouterr().out
    assert "[1] a step: FAILED" in shown and "| what went wrong" in shown


def test_a_command_that_is_not_there_is_a_failed_step(tasks):
    progress = tasks["progress"]
    with pytest.raises(progress.StepFailed, match="No such file"), progress.Steps().step("a step") as step:
        step.run(["/nowhere/at/all"])


def test_no_interpreter_fails_with_what_to_do(tasks, monkeypatch):
    machine, progress = tasks["machine"], tasks["progress"]
    monkeypatch.setattr(machine, "_candidates", lambda version: [])
    with pytest.raises(progress.StepFailed, match=r"no CPython 3\.11, 3\.12, 3\.13 found in PATH, pyenv, uv or /usr/bin"):
        machine.prepare(progress.Steps())


def test_this_interpreter_is_found(tasks):
    tag = f"{sys.version_info[0]}{sys.version_info[1]}"
    found = {interpreter.tag: interpreter for interpreter in tasks["machine"].find_interpreters()}
    assert tag in found and found[tag].has_headers


def test_unknown_command_lists_the_commands():
    result = subprocess.run([sys.executable, str(TASKS), "chekc"], env=environment(), capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr.startswith("usage: python3 tools/tasks COMMAND [arguments]; got chekc")
    assert "  check     build and test" in result.stderr
