"""(b) Cold compile: the first call of a small function never seen before, less a second call."""

from __future__ import annotations

import statistics

import numpy as np
from peers import Function, Peer
from table import Row
from timing import once

MILLISECONDS = 3.0
OVER_TORCH_COMPILE = 300
REPEATS = {"framejit": 30, "jax": 10, "torch": 3}

SOURCE = """
def small(x, w):
    y = x @ w
    y = xp.tanh(y * 0.5) + y
    return (y * y).sum()
"""


def _fresh_function(peer: Peer, count: int) -> Function:
    """New code each time: nothing may be known about it."""
    namespace = {"xp": peer.namespace}
    exec(compile(SOURCE, f"<bench {count}>", "exec"), namespace)
    return namespace["small"]


def _cold(peer: Peer, count: int) -> float:
    rng = np.random.default_rng(0)
    x, w = (peer.from_numpy(rng.random((16, 16), dtype=np.float32)) for _ in range(2))
    peer.forget()
    function = peer.compile(_fresh_function(peer, count))
    first = once(lambda: peer.wait(function(x, w)))
    second = once(lambda: peer.wait(function(x, w)))
    return first - second


def run(present: list[Peer]) -> list[Row]:
    seconds = {}
    for peer in present:
        if peer.compile:
            _cold(peer, -1)  # what a process pays once is not counted, for anyone
            times = [_cold(peer, count) for count in range(REPEATS[peer.name])]
            seconds[f"{peer.name}.compile"] = statistics.median(times)
    row = Row("cold compile", seconds)
    row.limit("ms", seconds["framejit.compile"] * 1e3, MILLISECONDS)
    row.ratio("torch.compile", "framejit.compile", OVER_TORCH_COMPILE)
    return [row]
