"""(d) What guarding one more value costs, in instructions: its load, its type and what is checked of it.

callgrind counts only what runs inside the guard program's loop. For each kind, a function with 16 values to guard is
compared with one that has none of them. Counted, not timed, so the figures are the same on every run of one build.
Needs valgrind, and symbols in the extension.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from peers import Peer
from table import Row

GUARDED = 16
CALLS = 500
COUNTED_FUNCTION = "framejit::guards::Program::run*"

# Each call of `f` runs its guard program once, and no kernel: valgrind does not know every instruction set.
PROGRAM = """
import framejit as fj
{setup}
@fj.compile
def f(x{parameters}):
{checks}
    return x
x = fj.tensor([1.0, 2.0])
arguments = [{arguments}]
for _ in range({calls}):
    f(x, *arguments)
"""


@dataclass(frozen=True)
class Guarded:
    """How thing number {i} is made, passed and looked at."""

    check: str
    setup: str = ""
    argument: str = ""


KINDS = {
    "tensor": Guarded("if p{i}.dim() != 2: return x", argument="fj.tensor([[1.0] * ({i} + 2)])"),
    "string": Guarded('if p{i} != "a": return x', argument='"a"'),
    "identity": Guarded("if p{i} is not None: return x", argument="None"),
    "list length": Guarded("if len(p{i}) != 2: return x", argument="[{i}, 1]"),
    "global": Guarded('if G{i} != "a": return x', setup='G{i} = "a"'),
}


def _program(kind: Guarded | None) -> str:
    each = range(GUARDED) if kind else range(0)
    return PROGRAM.format(
        setup="\n".join(kind.setup.format(i=i) for i in each) if kind else "",
        parameters="".join(f", p{i}" for i in each) if kind and kind.argument else "",
        checks="\n".join("    " + kind.check.format(i=i) for i in each) if kind else "    pass",
        arguments=", ".join(kind.argument.format(i=i) for i in each) if kind and kind.argument else "",
        calls=CALLS,
    )


def _instructions_per_call(program: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        source, counts = Path(folder) / "guarded.py", Path(folder) / "callgrind.out"
        source.write_text(program)
        command = ["valgrind", "--tool=callgrind", f"--toggle-collect={COUNTED_FUNCTION}"]
        command += [f"--callgrind-out-file={counts}", sys.executable, str(source)]
        env = {**os.environ, "PYTHONHASHSEED": "0", "FRAMEJIT_NUM_THREADS": "1"}
        result = subprocess.run(command, capture_output=True, text=True, env=env)
        if result.returncode:
            raise RuntimeError(f"callgrind run failed:\n{result.stderr[-2000:]}")
        total = re.search(r"^(?:summary|totals): (\d+)", counts.read_text(), re.MULTILINE)
        if not total or int(total[1]) == 0:
            raise RuntimeError(f"callgrind saw no call of {COUNTED_FUNCTION}: build with symbols")
        return int(total[1]) / CALLS


def run(present: list[Peer]) -> list[Row]:
    if not shutil.which("valgrind"):
        print("  valgrind is not installed: nothing counted")
        return []
    base = _instructions_per_call(_program(None))
    rows = [Row("guard program of f(x)", {"instructions": base}, unit="instructions")]
    for name, kind in KINDS.items():
        per_value = (_instructions_per_call(_program(kind)) - base) / GUARDED
        rows.append(Row(f"one more value: {name}", {"instructions": per_value}, unit="instructions"))
    return rows
