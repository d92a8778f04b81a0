"""What this machine has: CPython interpreters, a C++20 compiler, apt."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from progress import StepFailed, Steps

SUPPORTED = ("311", "312", "313")

# Prints version tag, 1 if headers are there, 1 if venv works; nothing for what we cannot build for.
_PROBE = """
import os, sys, sysconfig, importlib.util
if sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED"):
    headers = os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h"))
    print("%d%d" % sys.version_info[:2], int(headers), int(importlib.util.find_spec("ensurepip") is not None))
"""


@dataclass(frozen=True)
class Interpreter:
    tag: str  # "311"
    path: str
    has_headers: bool
    has_ensurepip: bool

    @property
    def version(self) -> str:
        return f"{self.tag[0]}.{self.tag[1:]}"


def _candidates(version: str) -> list[str]:
    home = str(Path.home())
    pyenv_roots = [os.environ.get("PYENV_ROOT", ""), f"{home}/.pyenv", "/opt/pyenv"]
    patterns = [
        *(f"{folder}/python{version}" for folder in os.environ.get("PATH", "").split(os.pathsep) if folder),
        *(f"{root}/versions/{version}*/bin/python" for root in pyenv_roots if root),
        f"{home}/.local/share/uv/python/cpython-{version}*/bin/python",
        f"/usr/local/bin/python{version}",
        f"/usr/bin/python{version}",
        f"/opt/python/cp{version.replace('.', '')}-*/bin/python",
    ]
    found = [path for pattern in patterns for path in sorted(glob.glob(pattern), reverse=True)]
    return list(dict.fromkeys([*found, sys.executable, *filter(None, [shutil.which("python3")])]))


def _probe(path: str) -> Interpreter | None:
    try:
        words = subprocess.run(
            [path, "-c", _PROBE], capture_output=True, text=True, timeout=30
        ).stdout.split()
    except (OSError, subprocess.TimeoutExpired):
        return None
    return Interpreter(words[0], path, words[1] == "1", words[2] == "1") if len(words) == 3 else None


def find_interpreters(wanted: tuple[str, ...] = SUPPORTED) -> list[Interpreter]:
    """The best interpreter of each version: one with headers and ensurepip before one without."""
    best: dict[str, Interpreter] = {}
    for tag in wanted:
        for path in _candidates(f"{tag[0]}.{tag[1:]}"):
            found = _probe(path)
            if found is None or found.tag != tag:
                continue
            quality = (found.has_headers, found.has_ensurepip)
            if tag not in best or quality > (best[tag].has_headers, best[tag].has_ensurepip):
                best[tag] = found
            if all(quality):
                break
    return list(best.values())


def _apt_can_install() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def _gtest_is_here() -> bool:
    return any(Path(p).exists() for p in ("/usr/include/gtest/gtest.h", "/usr/local/include/gtest/gtest.h"))


def _missing_packages(interpreters: list[Interpreter], for_tests: bool) -> list[str]:
    packages = []
    if not compiler():
        packages.append("g++")
    if for_tests and not _gtest_is_here():
        packages.append("libgtest-dev")
    if not shutil.which("ccache"):
        packages.append("ccache")
    for interpreter in interpreters:
        if not interpreter.has_headers:
            packages.append(f"python{interpreter.version}-dev")
        if not interpreter.has_ensurepip:
            packages.append(f"python{interpreter.version}-venv")
    return packages


def compiler() -> str | None:
    return os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")


def prepare(
    steps: Steps, wanted: tuple[str, ...] = SUPPORTED, *, for_tests: bool = True
) -> list[Interpreter]:
    """Find interpreters and a compiler; install what is missing where we may. Raises StepFailed with what to do."""
    with steps.step("machine: interpreters and compiler") as step:
        interpreters = find_interpreters(wanted)
        if not interpreters:
            names = ", ".join(f"{t[0]}.{t[1:]}" for t in wanted)
            raise StepFailed(
                f"no CPython {names} found in PATH, pyenv, uv or /usr/bin. Install one, with its headers."
            )
        missing = _missing_packages(interpreters, for_tests)
        if missing and _apt_can_install():
            quiet = {"DEBIAN_FRONTEND": "noninteractive"}
            step.run(["apt-get", "update", "-q"], env=quiet, must=False)
            for package in missing:  # one by one: an unknown optional package must not keep the others out
                step.run(
                    ["apt-get", "install", "-qy", "--no-install-recommends", package], env=quiet, must=False
                )
            interpreters = find_interpreters(wanted)
        usable = [i for i in interpreters if i.has_headers]
        if not usable:
            raise StepFailed(
                "no interpreter here has its headers (Python.h): install "
                + ", ".join(f"python{i.version}-dev" for i in interpreters)
            )
        if not compiler():
            raise StepFailed("no C++ compiler: install g++ 11 or later, or clang++ 14 or later")
        step.note = ", ".join(f"{i.version} ({i.path})" for i in usable)
        skipped = [i.version for i in interpreters if not i.has_headers]
        if skipped:
            step.note += f"; without headers, left out: {', '.join(skipped)}"
    return usable
