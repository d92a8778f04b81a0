"""Handles of hooks that live in dictionaries."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

_ids = itertools.count()


class RemovableHandle:
    """Removes a hook again: ``handle.remove()``, or on leaving ``with handle:``.

    Args:
        hooks_dict: where the hook is kept, under ``handle.id``.
        extra_dict: further dictionaries with an entry of that id.
    """

    def __init__(self, hooks_dict: dict[int, Any], *, extra_dict: Any = None) -> None:
        self.id = next(_ids)
        extra = [] if extra_dict is None else extra_dict if isinstance(extra_dict, list) else [extra_dict]
        self._dicts: list[dict[int, Any]] = [hooks_dict, *extra]

    def remove(self) -> None:
        for hooks in self._dicts:
            hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def add_hook(
    hooks: dict[int, Any], hook: Callable, *extra: dict[int, bool], first: bool = False
) -> RemovableHandle:
    """Files ``hook`` in ``hooks``, marks it in the ``extra`` dictionaries, and returns its handle.

    Raises:
        TypeError: ``hook`` is not callable.
    """
    if not callable(hook):
        raise TypeError(f"register hook: got {type(hook).__name__}, expected a callable")
    handle = RemovableHandle(hooks, extra_dict=list(extra))
    earlier = dict(hooks) if first else {}
    if first:
        hooks.clear()
    hooks[handle.id] = hook
    hooks.update(earlier)
    for marks in extra:
        marks[handle.id] = True
    return handle
