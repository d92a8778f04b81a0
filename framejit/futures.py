"""Results that may come later."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["Future", "collect_all", "wait_all"]


class Future:
    """A value that some thread sets; others wait for it."""

    def __init__(self, *, devices: Any = None) -> None:
        self._future: concurrent.futures.Future[Any] = concurrent.futures.Future()

    def done(self) -> bool:
        return self._future.done()

    def wait(self) -> Any:
        """The value, when it is there; raises what :meth:`set_exception` was given."""
        return self._future.result()

    value = wait

    def set_result(self, result: Any) -> None:
        self._future.set_result(result)

    def set_exception(self, result: BaseException) -> None:
        self._future.set_exception(result)

    def add_done_callback(self, callback: Callable[[Future], None]) -> None:
        self._future.add_done_callback(lambda _: callback(self))

    def then(self, callback: Callable[[Future], Any]) -> Future:
        """A future of what ``callback(self)`` returns."""
        following = Future()

        def run(done: Future) -> None:
            try:
                following.set_result(callback(done))
            except Exception as error:
                following.set_exception(error)

        self.add_done_callback(run)
        return following


def wait_all(futures: Sequence[Future]) -> list[Any]:
    """The values of all, when they are there."""
    return [future.wait() for future in futures]


def collect_all(futures: Sequence[Future]) -> Future:
    """A future of the list ``futures``, done when all of them are."""
    collected = Future()
    left = len(futures)
    if not futures:
        collected.set_result([])

    def count(_: Future) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            collected.set_result(list(futures))

    for future in futures:
        future.add_done_callback(count)
    return collected
