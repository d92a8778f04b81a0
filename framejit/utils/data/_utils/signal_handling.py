"""The watch over worker processes, for loaders that programs write themselves.

A loader tells the ids of its workers to :func:`_set_worker_pids`. When one of them is killed, or exits with an error, its parent
gets SIGCHLD, whose handler raises.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterable
from typing import Any

_workers: dict[int, tuple[int, ...]] = {}  # by id of the loader
_handler_set = False


def _set_worker_signal_handlers() -> None:
    """Does nothing: what kills a worker is told by its parent."""


def _set_worker_pids(loader_id: int, pids: Iterable[int]) -> None:
    """Watches the workers of a loader."""
    if loader_id in _workers:
        raise ValueError("_set_worker_pids should be called only once for each _BaseDataLoaderIter.")
    _workers[loader_id] = tuple(pids)


_update_worker_pids = _set_worker_pids


def _remove_worker_pids(loader_id: int) -> None:
    """Watches the workers of a loader no longer."""
    if loader_id not in _workers:
        raise ValueError("Cannot find worker information for _BaseDataLoaderIter with id " f"{loader_id}.")
    del _workers[loader_id]


def _error_if_any_worker_fails() -> None:
    """Raises RuntimeError where a watched worker was killed, or has exited with an error. The process stays to be waited for."""
    for loader_id, pids in list(_workers.items()):
        for pid in pids:
            try:
                state = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:  # waited for already
                continue
            if state is None or (state.si_code == os.CLD_EXITED and state.si_status == 0):
                continue
            _workers[loader_id] = ()  # told once
            if state.si_code == os.CLD_EXITED:
                raise RuntimeError(f"DataLoader worker (pid {pid}) exited unexpectedly with exit code {state.si_status}.")
            raise RuntimeError(
                f"DataLoader worker (pid {pid}) is killed by signal: {signal.strsignal(state.si_status)}."
            )


def _set_SIGCHLD_handler() -> None:
    """Makes this process raise when a watched worker fails. What handled the signal before is called too."""
    global _handler_set
    if _handler_set or threading.current_thread() is not threading.main_thread():
        return
    previous = signal.getsignal(signal.SIGCHLD)

    def handler(number: int, frame: Any) -> None:
        _error_if_any_worker_fails()
        if callable(previous):
            previous(number, frame)

    signal.signal(signal.SIGCHLD, handler)
    _handler_set = True
