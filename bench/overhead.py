"""(a) What a call costs when there is next to nothing to compute: `x + 1` on 4 floats."""

from __future__ import annotations

import numpy as np
from peers import Peer
from programs import add_one
from table import Row
from timing import compare

EAGER_MICROSECONDS = 0.6
COMPILED_MICROSECONDS = 0.5
OVER_TORCH_COMPILE = 40


def run(present: list[Peer]) -> list[Row]:
    calls = {}
    for peer in present:
        x = peer.from_numpy(np.ones(4, np.float32))
        function = add_one(peer)
        calls[peer.name] = lambda f=function, x=x: f(x)
        if peer.compile:
            compiled = peer.compile(function)
            calls[f"{peer.name}.compile"] = lambda f=compiled, x=x: f(x)
    seconds = compare(calls)
    # The lambda that makes the call is not part of what is measured.
    empty = compare({"lambda": lambda f=(lambda x: x), x=None: x})["lambda"]
    seconds = {name: value - empty for name, value in seconds.items()}
    row = Row("x + 1, 4 floats", seconds)
    row.limit("us eager", seconds["framejit"] * 1e6, EAGER_MICROSECONDS)
    row.limit("us compiled", seconds["framejit.compile"] * 1e6, COMPILED_MICROSECONDS)
    row.ratio("torch.compile", "framejit.compile", OVER_TORCH_COMPILE)
    return [row]
