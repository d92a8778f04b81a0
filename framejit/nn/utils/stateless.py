"""Calling a module with other parameters than its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from framejit import Tensor
from framejit.nn.modules.module import Module


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: dict[str, Tensor] | tuple[dict[str, Tensor], ...],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """``module(*args, **kwargs)`` with the given tensors, by dotted name, in place of its parameters and buffers.

    Args:
        args: a tuple of arguments, or the only one.
        tie_weights: a tensor that the module holds under several names is replaced under all of them.
        strict: every parameter and buffer must be given, and nothing else.

    Raises:
        ValueError: one name is given twice.
        RuntimeError: ``strict`` is violated.
    """
    dicts = parameter_and_buffer_dicts
    given: dict[str, Tensor] = {}
    for one in (dicts,) if isinstance(dicts, dict) else dicts:
        repeated = sorted(given.keys() & one.keys())
        if repeated:
            raise ValueError(
                f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous"
            )
        given.update(one)
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    with _replaced(module, given, tie_weights, strict):
        return module(*arguments, **(kwargs or {}))


@contextmanager
def _replaced(module: Module, given: dict[str, Tensor], tie_weights: bool, strict: bool) -> Iterator[None]:
    own = {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }
    unexpected = [name for name in given if name not in own]
    if strict or unexpected:
        missing = [name for name in own if name not in given] if strict else []
        if missing or unexpected:
            raise RuntimeError(f"functional_call: unexpected names {unexpected}, missing names {missing}")
    values = dict(given)
    if tie_weights:
        by_id = {id(own[name]): value for name, value in given.items()}
        values |= {
            name: by_id[id(tensor)]
            for name, tensor in own.items()
            if id(tensor) in by_id and name not in given
        }
    places = []
    for name, value in values.items():
        path, _, last = name.rpartition(".")
        owner = module.get_submodule(path)
        table = owner._parameters if last in owner._parameters else owner._buffers
        places.append((table, last, table[last]))
        table[last] = value
    try:
        yield
    finally:
        # Backwards, because a module that is there under two names was replaced twice.
        for table, last, value in reversed(places):
            table[last] = value
