"""(c) Fused loops on large arrays, float32. All libraries may use all cores."""

from __future__ import annotations

import math

import numpy as np
from peers import Peer
from programs import PROGRAMS, Program
from table import Row
from timing import compare


def _measure(program: Program, shape: tuple[int, ...], present: list[Peer]) -> Row:
    data = np.random.default_rng(0).standard_normal(shape, dtype=np.float32)
    calls, results = {}, {}
    for peer in present:
        peer.forget()  # else torch.compile takes the second size for a dynamic one and is slower than it could be
        x = peer.from_numpy(data)
        eager = program.make(peer)
        for name, function in (
            (peer.name, eager),
            (f"{peer.name}.compile", peer.compile and peer.compile(eager)),
        ):
            if function:
                calls[name] = lambda f=function, x=x, wait=peer.wait: wait(f(x))
                results[name] = np.asarray(calls[name]())
    for name, result in results.items():  # nobody is fast by computing something else
        message = f"{program.name}: {name} differs from numpy"
        np.testing.assert_allclose(
            result, results["numpy"], rtol=2e-3, atol=program.tolerance, err_msg=message
        )
    row = Row(f"{program.name}, {math.prod(shape) >> 20}M", compare(calls))
    row.ratio("torch.compile", "framejit.compile", program.wanted_over_torch_compile)
    return row


def run(present: list[Peer]) -> list[Row]:
    return [_measure(program, shape, present) for program in PROGRAMS for shape in program.shapes]
