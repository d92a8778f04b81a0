"""``python -m framejit`` on small scripts, in a process of its own."""

import json
import subprocess
import sys

import pytest

BREAKING = """
import sys, framejit as fj

@fj.compile
def f(x):
    x = x + 1
    print("argument", sys.argv[1:])
    return x * 2

f(fj.ones(3))
"""
WHOLE = "import framejit as fj\nprint(fj.compile(lambda x: x + 1)(fj.ones(2)).sum().item())\n"


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "framejit", *arguments], capture_output=True, text=True, timeout=120)


@pytest.fixture
def script(tmp_path):
    def write(text):
        path = tmp_path / "program.py"
        path.write_text(text)
        return str(path)

    return write


def test_explain(script):
    path = script(BREAKING)
    result = run("explain", path, "--flag", "7")
    assert result.returncode == 0, result.stderr
    assert "argument ['--flag', '7']" in result.stdout
    for part in ("[output_call]", f'"{path}", line 7', "print("):
        assert part in result.stdout


@pytest.mark.parametrize("form", ["json", "sarif", "html"])
def test_formats(script, tmp_path, form):
    output = tmp_path / "report"
    assert run("explain", "--format", form, "--output", str(output), script(BREAKING)).returncode == 0
    text = output.read_text()
    if form == "json":
        assert json.loads(text)["breaks"][0]["id"] == "output_call"
    elif form == "sarif":
        result = json.loads(text)["runs"][0]["results"][0]
        assert result["ruleId"] == "output_call"
        assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 7
    else:
        assert text.startswith("<!doctype html>") and "output_call" in text


def test_check(script):
    assert run("check", script(BREAKING)).returncode == 1
    assert run("check", script(WHOLE)).returncode == 0


def test_env():
    result = run("env")
    assert result.returncode == 0, result.stderr
    assert "framejit:" in result.stdout and "threads:" in result.stdout


def test_bad_command():
    result = run("no-such-command")
    assert result.returncode == 2 and "invalid choice" in result.stderr
