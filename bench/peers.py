"""The libraries we compare with. Each is one Peer: how it makes arrays, compiles functions and names operations.

A peer that is not installed is None; its columns stay empty.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

Function = Callable[..., Any]


@dataclass(frozen=True)
class Peer:
    name: str
    version: str
    namespace: ModuleType  # where `relu`, `sum`, ... are, in torch's spelling where the peer has it
    from_numpy: Callable[[np.ndarray], Any]
    compile: Callable[[Function], Function] | None
    wait: Callable[[Any], Any]  # JAX computes behind our back: block until the value is there
    forget: Callable[[], None]  # drop everything compiled so far


def _same(value: Any) -> Any:
    return value


def _nothing() -> None:
    pass


def framejit() -> Peer:
    fj = importlib.import_module("framejit")
    compiled = partial(fj.compile, fullgraph=True)  # what is measured must be one graph
    return Peer("framejit", fj.__version__, fj, fj.from_numpy, compiled, _same, fj.compiler.reset)


def torch() -> Peer | None:
    try:
        module = importlib.import_module("torch")
    except ImportError:
        return None
    dynamo, inductor = (
        importlib.import_module("torch._dynamo"),
        importlib.import_module("torch._inductor.config"),
    )
    inductor.force_disable_caches = True  # a cold compile must be cold
    warnings.filterwarnings("ignore", message="dynamo_pgo force disabled")
    return Peer(
        "torch",
        module.__version__,
        module,
        module.from_numpy,
        partial(module.compile, fullgraph=True),
        _same,
        dynamo.reset,
    )


def jax() -> Peer | None:
    try:
        module = importlib.import_module("jax")
    except ImportError:
        return None
    numpy = importlib.import_module("jax.numpy")
    return Peer(
        "jax",
        module.__version__,
        numpy,
        numpy.asarray,
        module.jit,
        module.block_until_ready,
        module.clear_caches,
    )


def numpy() -> Peer:
    return Peer("numpy", np.__version__, np, _same, None, _same, _nothing)
