"""FRAMEJIT_LOGS and `set_logs`: each kind shows what it says, and the log agrees with `explain`."""

import subprocess
import sys

import pytest

import framejit as fj
from framejit.compiler import logs
from tests.processes import environment

# What a log of each kind contains for the program below.
SHOWN = {
    "graph_breaks": ["graph break", "print(", "why:", "fix:"],
    "recompiles": ["recompiled: ", "x: got float32["],
    "guards": ["type(x) is"],
    "graph": ["mul"],
    "trace": ["epilogue"],
    "perf": [" ops in ", " ms"],
    "aot": ["--- ", " us)"],
    "loops": ["--- fused loops", "loop"],
    "kernels": ["--- tile programs", "apply.float32"],
}
PROGRAM = """
import framejit as fj
@fj.compile(dynamic=False)
def fn(x):
    y = x * 2
    print("side effect")
    return (y * 3).sum()
fn(fj.ones(3)); fn(fj.ones(4))
"""


@pytest.fixture
def run(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)

    def run(setting):
        return subprocess.run([sys.executable, program], env=environment(FRAMEJIT_LOGS=setting), capture_output=True, text=True)

    return run


def test_every_kind_has_its_expectations():
    assert set(SHOWN) == set(logs.KINDS)


def test_all_kinds_from_the_environment(run):
    result = run("all")
    assert result.returncode == 0, result.stderr
    for kind, texts in SHOWN.items():
        for text in texts:
            assert text in result.stderr, f"{kind}: {text!r} is not in\n{result.stderr}"


def test_one_kind_shows_nothing_of_the_others(run):
    result = run("kernels")
    assert "--- tile programs" in result.stderr and "--- fused loops" not in result.stderr
    assert "[framejit." not in result.stderr
    assert run("").stderr == ""


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="FRAMEJIT_LOGS: got kernel, expected a list of graph_breaks, "):
        fj.compiler.set_logs("kernel")


def test_the_log_and_explain_agree_on_the_breaks(caplog):
    def fn(x):
        x = x + 1
        print(end="")
        return x * 2 if x.sum() > 0 else x

    entries = fj.explain(fn)(fj.ones(2)).breaks
    logs.set_logs("graph_breaks")
    try:
        fj.compile(fn)(fj.ones(2))
    finally:
        logs.set_logs()
    logged = [record.getMessage() for record in caplog.records if record.name == "framejit.graph_breaks"]
    assert logged == [str(entry) for entry in entries] and len(logged) == 2
