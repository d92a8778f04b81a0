"""(e) Eager ops one by one, against torch and NumPy.

    python bench/eager.py [--families dtypes,copies] [--ops fft,sum] [--sizes 1K,1M] [--threads 1,2]
                          [--peers framejit,torch] [--json FILE] [--slower]

Competitors take turns and the best of their rounds counts: other work on the machine can only add time. With
one thread, the time that counts is that of the CPU, which does not see who else uses it (nor what the threads
of NumPy's BLAS do). The cases are in bench/eager_ops. A line is named by its op and about the number of elements of its largest operand.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import peers
from eager_ops import CASES, FAMILIES
from eager_ops.case import Case, K, M
from peers import Peer
from table import Row, print_rows
from timing import Clock, best

_NAME_WIDTH = max(len(case.name) for case in CASES) + len(", 64K")
ROUNDS = 3
ROUND_SECONDS = 0.01
PAUSE_SECONDS = 0.005  # between two competitors with several threads
TOLERATED = 0.9  # of the wanted ratio: what a busy machine moves


def _size_name(n: int) -> str:
    return f"{n // M}M" if n >= M else f"{n // K}K"


def _parse_size(text: str) -> int:
    units = {"K": K, "M": M}
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def _backward(t: Any, case: Case, operands: list[Any]) -> Any:
    """The call and its gradients."""
    tensors = [x for x in operands if isinstance(x, t.Tensor)]  # a module may be among the operands
    inputs = [x.requires_grad_() for x in tensors if x.dtype.is_floating_point]
    grad = t.ones_like(case.call(t, *operands).detach())
    return lambda: t.autograd.grad(case.call(t, *operands), inputs, grad)


def _call_of(case: Case, peer: Peer, arrays: Any) -> Any:
    t = peer.namespace
    # Memory as the library allots it: that of NumPy begins anywhere in a cache line.
    operands = [peer.from_numpy(array).clone() for array in arrays]
    if case.prepare:
        operands = case.prepare(t, *operands)
    return _backward(t, case, operands) if case.backward else lambda: case.call(t, *operands)


def _measure(case: Case, n: int, present: list[Peer], threads: int) -> Row:
    clock: Clock = time.thread_time if threads == 1 else time.perf_counter
    pause = 0 if threads == 1 else PAUSE_SECONDS
    arrays = case.arrays(n)
    calls = {
        peer.name: _call_of(case, peer, arrays) for peer in present if peer.name in ("framejit", "torch")
    }
    if case.numpy and any(peer.name == "numpy" for peer in present):
        calls["numpy"] = lambda: case.numpy(*arrays)
    row = Row(f"{case.name}, {_size_name(n)}", best(calls, ROUNDS, ROUND_SECONDS, clock, pause))
    row.ratio("torch", "framejit", case.wanted * TOLERATED)
    return row


def _set_threads(count: int, present: list[Peer]) -> None:
    for peer in present:
        if hasattr(peer.namespace, "set_num_threads"):
            peer.namespace.set_num_threads(count)


def _selected(options: argparse.Namespace) -> list[tuple[Case, int]]:
    return [
        (case, n)
        for family in options.families or FAMILIES
        for case in FAMILIES[family]
        if options.ops is None or any(name in case.name for name in options.ops)
        for n in case.sizes
        if options.sizes is None or n in options.sizes
    ]


def _words(text: str) -> list[str]:
    return text.split(",")


def run(present: list[Peer]) -> list[Row]:
    """The section of bench/run.py: every op, at its largest size up to 1M."""
    threads = os.cpu_count() or 1
    return [_measure(case, max(n for n in case.sizes if n <= M), present, threads) for case in CASES]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--families", type=_words, help=f"of {', '.join(FAMILIES)}")
    parser.add_argument("--ops", type=_words, help="parts of names")
    parser.add_argument("--sizes", type=lambda text: [_parse_size(size) for size in text.split(",")])
    parser.add_argument("--threads", type=lambda text: [int(count) for count in text.split(",")])
    parser.add_argument("--slower", action="store_true", help="print only lines that miss what is wanted")
    parser.add_argument("--peers", type=_words, default=["framejit", "torch", "numpy"])
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    options = parser.parse_args()
    present = [peer for name in options.peers if (peer := getattr(peers, name)())]
    rows: list[Row] = []
    for threads in options.threads or [os.cpu_count() or 1]:
        print(f"{threads} threads", flush=True)
        _set_threads(threads, present)
        for case, n in _selected(options):
            rows.append(_measure(case, n, present, threads))
            if not options.slower or rows[-1].missed:
                print_rows(rows[-1:], header=len(rows) == 1, name_width=_NAME_WIDTH)
    if options.json:
        options.json.write_text(json.dumps([row.as_dict() for row in rows], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
