"""What the documentation says is there, is there; what it shows, runs."""

import pathlib
import re
import subprocess
import sys

import pytest
from tests.processes import environment

ROOT = pathlib.Path(__file__).parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", *(str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("docs/*.md")))]
FOLDERS = "eager|graph|inductor|guards|symbolic|eval_frame|framejit|tools|tests|bench|examples|docs|cmake"
# `eager/op.h`, `tests/cpp/`, `symbolic/do_*.cc`; not `<build>/...`, nor names with a placeholder such as `frame_3xx.cc`.
PATH = re.compile(rf"`((?:{FOLDERS})/[\w./*]*)`")
PLACEHOLDERS = re.compile(r"3xx|<\w+>")


@pytest.mark.parametrize("page", PAGES)
def test_files_named_in_the_documentation_exist(page):
    named = {path for path in PATH.findall((ROOT / page).read_text()) if not PLACEHOLDERS.search(path)}
    missing = sorted(path for path in named if not list(ROOT.glob(path.rstrip("/"))))
    assert not missing


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)", (ROOT / page).read_text())
    missing = [link for link in links if "://" not in link and not (ROOT / page).parent.joinpath(link).exists()]
    assert not missing


def test_the_example_of_the_readme_runs(tmp_path):
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    script = tmp_path / "example.py"
    script.write_text(example)
    result = subprocess.run([sys.executable, str(script)], env=environment(), capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    assert "tensor_branch" in result.stdout


@pytest.mark.slow
def test_the_demo_trains_alike_eagerly_and_compiled():
    command = [sys.executable, str(ROOT / "examples" / "digits.py"), "--epochs", "4"]
    result = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=280)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "losses of the two runs are equal" in result.stdout
