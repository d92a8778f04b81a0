"""``multiprocessing`` whose queues, pipes and process arguments carry tensors in shared memory.

Importing this module teaches the standard one: a tensor that is sent moves to shared memory (``Tensor.share_memory_``), and
the receiver maps the same pages, so that both see each other's writes. The sender must live until the receiver has it.
Contexts, queues and locks are the standard ones.
"""

from __future__ import annotations

import builtins
import ctypes
import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable
from multiprocessing import *  # noqa: F403
from multiprocessing import connection, reduction
from typing import Any

from framejit import Tensor
from framejit.storage import UntypedStorage, from_shared, shared_block

__all__ = [
    *multiprocessing.__all__,
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]


# --- sending tensors --------------------------------------------------------------------------------------------------


def _receive_storage(descriptor: Any, nbytes: int) -> UntypedStorage:
    return from_shared(descriptor.detach(), nbytes)


def _send_storage(storage: UntypedStorage) -> tuple[Any, ...]:
    block = shared_block(storage.share_memory_())
    assert block is not None
    return _receive_storage, (reduction.DupFd(block.descriptor), storage.nbytes())


def _send_tensor(tensor: Tensor) -> Any:
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
            "crossing process boundaries. If you just want to transfer the data, call detach() on the tensor first."
        )
    return tensor.__reduce_ex__(2)


reduction.ForkingPickler.register(UntypedStorage, _send_storage)
reduction.ForkingPickler.register(Tensor, _send_tensor)


# Memory always travels as a file descriptor; what was asked for is remembered.
_strategy = "file_descriptor"


def get_all_sharing_strategies() -> set[str]:
    """PyTorch's ways to share memory on Linux."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy() -> str:
    """What :func:`set_sharing_strategy` was last told."""
    return _strategy


def set_sharing_strategy(new_strategy: str) -> None:
    """Remembers the wish; memory is shared by file descriptors, which a limit on open files bounds (``ulimit -n``)."""
    global _strategy
    assert new_strategy in get_all_sharing_strategies(), f"got {new_strategy!r}, expected one of {get_all_sharing_strategies()}"
    _strategy = new_strategy


def _prctl_pr_set_pdeathsig(signal: int) -> None:
    """Asks Linux to send this process a signal when its parent ends; elsewhere nothing happens."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(1, signal)  # 1: PR_SET_PDEATHSIG


# --- spawn ------------------------------------------------------------------------------------------------------------


class ProcessException(Exception):
    """A process that :func:`start_processes` started has ended badly."""

    def __init__(self, message: str, error_index: int, pid: int | None) -> None:
        super().__init__(message)
        self.msg, self.error_index, self.pid = message, error_index, pid


class ProcessRaisedException(ProcessException):
    """It raised; the text holds its traceback."""


class ProcessExitedException(ProcessException):
    """It exited with another code than 0, or a signal has killed it."""

    def __init__(
        self, message: str, error_index: int, pid: int | None, exit_code: int, signal_name: str | None = None
    ) -> None:
        super().__init__(message, error_index, pid)
        self.exit_code, self.signal_name = exit_code, signal_name


def _run(fn: Callable[..., Any], index: int, args: tuple[Any, ...], errors: Any) -> None:
    try:
        fn(index, *args)
    except KeyboardInterrupt:
        pass  # the parent has it too
    except BaseException:
        errors.send(traceback.format_exc())
        os._exit(1)


class ProcessContext:
    """Processes that :func:`start_processes` has started."""

    def __init__(self, processes: list[Any], errors: list[Any]) -> None:
        self.processes, self._errors = processes, errors

    def pids(self) -> list[int | None]:
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None) -> builtins.bool:
        """Waits for one more to end; True when all have. When one fails, ends the others and raises."""
        running = [process.sentinel for process in self.processes if process.exitcode is None]
        if running:
            connection.wait(running, timeout)
        for index, process in enumerate(self.processes):
            if process.exitcode not in (None, 0):
                self._stop()
                self._raise(index)
        return all(process.exitcode == 0 for process in self.processes)

    def _stop(self) -> None:
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.join()

    def _raise(self, index: int) -> None:
        process = self.processes[index]
        try:
            trace = self._errors[index].recv()
        except EOFError:  # it has not raised
            code = process.exitcode
            name = signal.Signals(-code).name if code < 0 else None
            how = f"signal {name}" if name else f"exit code {code}"
            raise ProcessExitedException(
                f"process {index} terminated with {how}", index, process.pid, code, name
            ) from None
        text = f"\n\n-- Process {index} terminated with the following error:\n{trace}"
        raise ProcessRaisedException(text, index, process.pid)


SpawnContext = ProcessContext


def start_processes(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: builtins.bool = True,
    daemon: builtins.bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Runs ``fn(i, *args)`` in ``nprocs`` processes.

    Args:
        fn: a function of a module (it is pickled by name).
        args: further arguments; tensors are shared.
        nprocs: number of processes.
        join: wait for all of them; else a context to ``join`` is returned.
        daemon: whether they end with this process.
        start_method: of :mod:`multiprocessing`.

    Raises:
        ProcessRaisedException: one raised; with its traceback. The others are ended.
        ProcessExitedException: one exited with another code than 0, or was killed.
    """
    context = multiprocessing.get_context(start_method)
    processes, errors = [], []
    for index in range(nprocs):
        receiver, sender = context.Pipe(duplex=False)
        process: Any = context.Process(target=_run, args=(fn, index, args, sender), daemon=daemon)  # type: ignore[attr-defined]
        process.start()
        sender.close()
        processes.append(process)
        errors.append(receiver)
    started = ProcessContext(processes, errors)
    if not join:
        return started
    while not started.join():
        pass
    return None


def spawn(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: builtins.bool = True,
    daemon: builtins.bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """See :func:`start_processes`, which can also fork."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)
