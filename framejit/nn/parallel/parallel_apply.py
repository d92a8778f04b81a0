"""``parallel_apply``: several modules at once, each in a thread."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Sequence
from typing import Any

import framejit as fj
from framejit._utils import ExceptionWrapper
from framejit.nn.modules.module import Module
from framejit.utils._pytree import tree_leaves

__all__ = ["get_a_var", "parallel_apply"]


def parallel_apply(
    modules: Sequence[Module],
    inputs: Sequence[Any],
    kwargs_tup: Sequence[dict[str, Any]] | None = None,
    devices: Any = None,
) -> list[Any]:
    """``module(*input, **kwargs)`` for each module; an input that is no tuple is the only argument.

    The first error of a module is raised again, with the traceback of its thread. ``devices`` is accepted: there is one.
    """
    kwargs = kwargs_tup if kwargs_tup is not None else ({},) * len(modules)
    if not len(modules) == len(inputs) == len(kwargs):
        raise ValueError(
            f"parallel_apply: got {len(modules)} modules, {len(inputs)} inputs and {len(kwargs)} sets of keyword arguments"
        )
    grad_enabled = fj.is_grad_enabled()  # settings belong to a thread

    def run(index: int) -> Any:
        arguments = inputs[index] if isinstance(inputs[index], (list, tuple)) else (inputs[index],)
        try:
            with fj.set_grad_enabled(grad_enabled):
                return modules[index](*arguments, **kwargs[index])
        except Exception:
            return ExceptionWrapper(where=f"in replica {index}")

    if len(modules) == 1:
        outputs = [run(0)]
    else:
        with concurrent.futures.ThreadPoolExecutor(max(len(modules), 1)) as threads:
            outputs = list(threads.map(run, range(len(modules))))
    for output in outputs:
        if isinstance(output, ExceptionWrapper):
            output.reraise()
    return outputs


def get_a_var(obj: Any) -> fj.Tensor | None:
    """Some tensor inside of lists, tuples and dicts."""
    return next((leaf for leaf in tree_leaves(obj) if isinstance(leaf, fj.Tensor)), None)
