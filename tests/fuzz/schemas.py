"""Random valid and invalid calls of every op: a right answer or an exception, never a crash.

    python -m tests.fuzz.schemas [--op NAME] [--seed 0] [--count 20 | --seconds 60] [--oracle torch] [--kinds crash,hang,exception]

Calls run in child processes. A child that dies, or takes too long over one call, is a finding, and another one goes on
behind that call. Every finding is printed with what reproduces it: ``--op NAME --seed S --count 1``. Results are compared with
PyTorch's where it is installed; some differences are explained in tests/external/opinfo/differences.toml.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import mmap
import os
import resource
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import IO

import framejit as fj

from .calls import INTERNAL, UNSPECIFIED, make_call
from .running import judge, torch

SECONDS_PER_CALL = 20
MEMORY = 4 << 30  # of address space beyond what a child starts with: absurd sizes fail at once


@dataclasses.dataclass(frozen=True)
class Finding:
    op: str
    seed: int
    kind: str
    text: str
    source: str

    def __str__(self) -> str:
        source = self.source.replace("\n", "\n    ")
        return f"{self.kind}: --op {self.op} --seed {self.seed} --count 1\n  {self.text}\n    {source}"


def rows(name: str | None = None) -> list[dict]:
    """Rows that have a Python name, and what else can be called; or those of one op (its derived rows, too)."""
    public = [row for row in fj._C.op_table() if reachable(row)] + list(callables())
    if name is None:
        return public
    return [row for row in public if name in (row["full_name"], row["functional"], row["name"])]


# Settings of the process, and what writes files, waits, or asks for memory by design.
LEFT_OUT = (
    "set_", "use_", "save", "load", "compile", "explain", "share_memory_", "from_file", "seed", "manual_seed", "UntypedStorage",
    "Transformer", "__class__", "__delattr__", "__dir__", "__getattribute__", "__getstate__", "__init_subclass__", "__setattr__", "__subclasshook__",
)  # fmt: skip


def callables() -> Iterator[dict]:
    """Public names that are no rows of the table, in the form of rows."""
    table = {name for row in fj._C.op_table() for name in (row["name"], *row["aliases"])}
    spaces = {
        "m": fj, "m.Tensor": fj.Tensor, "m.linalg": fj.linalg, "m.fft": fj.fft, "m.special": fj.special, "m.autograd": fj.autograd,
        "m.nn.functional": fj.nn.functional, "m.nn": fj.nn, "m.utils.dlpack": fj.utils.dlpack, "m.nn.init": fj.nn.init,
    }  # fmt: skip
    for path, space in spaces.items():
        for name in sorted(dir(space)):
            special = name.startswith("__") and path == "m.Tensor"
            if (name.startswith("_") and not special) or name.startswith(LEFT_OUT) or name in table or not callable(getattr(space, name)):
                continue
            full_name = f"{path}.{name}".removeprefix("m.")
            yield {"full_name": full_name, "functional": None, "name": name, "callable": f"{path}.{name}", "kind": "callable"}


def reachable(row: dict) -> bool:
    if row["name"].startswith("_"):
        return False
    module = fj
    for part in filter(None, row["module"].split(".")):
        module = getattr(module, part)
    name = row["name"].removeprefix(row["module"] + "_")
    return hasattr(module, name) if row["is_function"] else row["is_method"] and hasattr(fj.Tensor, row["name"])


def unspecified() -> set[str]:
    """Rows whose results are random or uninitialised."""
    table = fj._C.op_table()
    names = {row["full_name"] for row in table if row["kind"] == "random"} | set(UNSPECIFIED)
    names |= {name for name, sampled in INTERNAL.items() if sampled in names}
    return names | {row["full_name"] for row in table if row["functional"] in names}


class Progress:
    """Which call a child is at, in memory shared with its parent."""

    def __init__(self) -> None:
        self.memory = mmap.mmap(-1, 16)

    def set(self, index: int, phase: str) -> None:
        self.memory[:16] = struct.pack("qq", index, phase == "torch")

    def get(self) -> tuple[int, bool]:
        index, in_torch = struct.unpack("qq", self.memory[:16])
        return index, bool(in_torch)


def limit_memory() -> None:
    """A child gets so much more than it has; and leaves no core file."""
    with open("/proc/self/statm") as statm:
        used = int(statm.read().split()[0]) * mmap.PAGESIZE
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def work(calls: list[tuple[dict, int]], first: int, oracle: str, progress: Progress, report: IO[str]) -> None:
    """The child: judge calls from ``first`` on, write findings as lines of repr."""
    limit_memory()
    fj.set_num_threads(1)
    if torch:
        torch.set_num_threads(1)
    random_rows = unspecified()
    for index in range(first, len(calls)):
        row, seed = calls[index]
        progress.set(index, "framejit")
        signal.alarm(SECONDS_PER_CALL)  # its default action ends the process
        call = make_call(row, seed)
        judged_by = "none" if row["full_name"] in random_rows else oracle
        for kind, text in judge(call, judged_by, lambda phase: progress.set(index, phase)):
            report.write(repr((row["full_name"], seed, kind, text[:600], call.source())) + "\n")
            report.flush()
    progress.set(len(calls), "framejit")


def run_all(calls: list[tuple[dict, int]], oracle: str, deadline: float | None = None) -> Iterator[Finding]:
    """Findings of these calls, in order."""
    progress = Progress()
    first = 0
    while first < len(calls) and (deadline is None or time.monotonic() < deadline):
        with tempfile.TemporaryFile("w+") as report:
            progress.set(first, "framejit")
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    work(calls, first, oracle, progress, report)
                    status = 0
                finally:
                    os._exit(status)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            report.seek(0)
            yield from (Finding(*eval(line)) for line in report)
        index, in_torch = progress.get()
        if status != 0 and index < len(calls) and not in_torch:
            row, seed = calls[index]
            what = signal.Signals(-status).name if status < 0 else f"exit status {status}"
            kind = "hang" if status == -signal.SIGALRM else "crash"
            yield Finding(row["full_name"], seed, kind, what, make_call(row, seed).source())
        first = index + 1


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.schemas")
    parser.add_argument("--op", help="full name of a row, as sum.dim; its in-place and out= rows are included")
    parser.add_argument("--seed", type=int, default=0, help="of the first call of every op")
    parser.add_argument("--count", type=int, default=20, help="calls of every op")
    parser.add_argument("--seconds", type=float, help="instead of --count: until the time is up")
    parser.add_argument("--oracle", choices=["torch", "copies", "none"], default="torch" if torch else "copies")
    parser.add_argument("--kinds", default="", help="report these only, comma-separated; default: all but 'answers'")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    chosen = parse(arguments)
    table = rows(chosen.op)
    if not table:
        print(f"no public op {chosen.op}", file=sys.stderr)
        return 2
    deadline = time.monotonic() + chosen.seconds if chosen.seconds else None
    seeds, counts, total = chosen.seed, collections.Counter(), 0
    while True:
        calls = [(row, seed) for row in table for seed in range(seeds, seeds + chosen.count)]
        for finding in run_all(calls, chosen.oracle, deadline):
            if finding.kind in chosen.kinds.split(",") if chosen.kinds else finding.kind != "answers":
                counts[finding.kind] += 1
                print(finding, flush=True)
        total += len(calls)
        seeds += chosen.count
        if deadline is None or time.monotonic() >= deadline:
            break
    print(f"{total} calls of {len(table)} rows: {dict(counts) or 'no finding'}")
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
