"""The measured programs: once over a namespace `xp` where all peers spell them alike, else once per spelling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from peers import Function, Peer


def add_one(peer: Peer) -> Function:
    return lambda x: x + 1


def tanh_gelu(peer: Peer) -> Function:
    tanh = peer.namespace.tanh
    return lambda x: 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


def ten_op_chain(peer: Peer) -> Function:
    xp = peer.namespace

    def chain(x: Any) -> Any:
        y = x * 1.5 + 0.25
        y = y * y - x
        y = xp.abs(y) + 1.0
        y = xp.sqrt(y) * 0.5
        return xp.tanh(y) - x

    return chain


def softmax(peer: Peer) -> Function:
    xp = peer.namespace
    if peer.name in ("framejit", "torch"):
        return lambda x: xp.softmax(x, -1)
    if peer.name == "jax":
        import jax.nn

        return lambda x: jax.nn.softmax(x, axis=-1)

    def by_hand(x: Any) -> Any:
        e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
        return e / xp.sum(e, axis=-1, keepdims=True)

    return by_hand


def layer_norm(peer: Peer) -> Function:
    xp = peer.namespace
    if peer.name in ("framejit", "torch"):
        import importlib

        functional = importlib.import_module(f"{peer.name}.nn.functional")
        return lambda x: functional.layer_norm(x, (x.shape[-1],))

    def by_hand(x: Any) -> Any:
        centred = x - xp.mean(x, axis=-1, keepdims=True)
        return centred / xp.sqrt(xp.mean(centred * centred, axis=-1, keepdims=True) + 1e-5)

    return by_hand


def sum_of_squares(peer: Peer) -> Function:
    return lambda x: (x * x).sum()


def column_sum(peer: Peer) -> Function:
    return lambda x: x.sum(0)


@dataclass(frozen=True)
class Program:
    name: str
    make: Callable[[Peer], Function]
    shapes: tuple[tuple[int, ...], ...]
    wanted_over_torch_compile: float  # how many times as fast as torch.compile it must be
    tolerance: float = 2e-5  # absolute, between libraries; sums of many terms differ by their order


ONE_M, SIXTEEN_M = (1024, 1024), (16384, 1024)

PROGRAMS = (
    Program("tanh-GELU", tanh_gelu, (ONE_M,), 1.3),
    Program("ten-op chain", ten_op_chain, (ONE_M, SIXTEEN_M), 1.3),
    Program("softmax", softmax, (ONE_M, SIXTEEN_M), 1.0),
    Program("layer norm", layer_norm, (ONE_M, SIXTEEN_M), 1.0),
    Program("sum of squares", sum_of_squares, (ONE_M, SIXTEEN_M), 1.0),
    Program("column sum", column_sum, (ONE_M, SIXTEEN_M), 1.0, tolerance=2e-2),
)
