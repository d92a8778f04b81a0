"""einops' own tests, run as they are, with framejit in the place of PyTorch (with PyTorch: 61 passed, 5 skipped)."""

import pathlib
import re
import subprocess
import sys

import pytest
from tests.processes import environment

pytest.importorskip("einops")

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.slow
def test_einops(tmp_path):
    command = [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "tests.external.as_torch", "-p", "no:cacheprovider"]
    seen = environment(EINOPS_TEST_BACKENDS="torch")
    done = subprocess.run(
        [*command, "--pyargs", "einops.tests"], cwd=tmp_path, env=seen, capture_output=True, text=True
    )
    outcome = {word: int(count) for count, word in re.findall(r"(\d+) (passed|failed|skipped|error)", done.stdout)}
    assert done.returncode == 0, done.stdout[-3000:]
    assert outcome["passed"] >= 61
