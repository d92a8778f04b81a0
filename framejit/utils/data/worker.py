"""Worker processes: each loads whole batches and sends them back.

Protocol: the parent sends ``(epoch, number, indices)``, or ``None`` to stop; a worker answers ``(epoch, number, kind,
payload)``, pickled, with kind ``"batch"``, ``"end"`` (its stream is exhausted) or ``"error"`` (an :class:`ExceptionWrapper`).
"""

from __future__ import annotations

import os
import random
import signal
from dataclasses import dataclass
from multiprocessing.reduction import ForkingPickler
from typing import Any

import framejit as fj
from framejit._utils import ExceptionWrapper

POLL_SECONDS = 2.0


@dataclass(frozen=True)
class WorkerInfo:
    """Which worker this process is: ``id`` of ``num_workers``, its random ``seed`` and its copy of ``dataset``."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """In a worker process: its :class:`WorkerInfo`; elsewhere ``None``."""
    return _info


def make_fetch(dataset: Any, collate: Any, stream: bool, drop_last: bool) -> Any:
    """``fetch(indices) -> batch``; raises StopIteration at the end of a stream."""
    if not stream:
        # A dataset may have a method that gets many samples at once.
        many = getattr(dataset, "__getitems__", None) or (lambda indices: [dataset[i] for i in indices])
        return lambda indices: collate(many(indices) if isinstance(indices, list) else dataset[indices])
    iterator = iter(dataset)

    def fetch(indices: Any) -> Any:
        if not isinstance(indices, list):
            return collate(next(iterator))
        samples = [sample for _, sample in zip(indices, iterator)]
        if not samples or (drop_last and len(samples) < len(indices)):
            raise StopIteration
        return collate(samples)

    return fetch


def run(tasks: Any, results: Any, settings: dict[str, Any], worker: int, count: int, seed: int) -> None:
    """The body of a worker process."""
    global _info
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then stops the workers
    parent = os.getppid()
    fj.set_num_threads(1)
    random.seed(seed)
    fj.manual_seed(seed)
    dataset = settings["dataset"]
    _info = WorkerInfo(worker, count, seed, dataset)
    fetch = None
    current_epoch = None
    failure = None
    where = f"in DataLoader worker process {worker}"
    try:
        if settings["worker_init_fn"] is not None:
            settings["worker_init_fn"](worker)
    except Exception:
        failure = ExceptionWrapper(where=where)
    while True:
        task = _next_task(tasks, parent)
        if task is None:
            return
        epoch, number, indices = task
        kind, payload = "error", failure
        if failure is None:
            try:
                if fetch is None or epoch != current_epoch:
                    fetch = make_fetch(
                        dataset, settings["collate_fn"], settings["stream"], settings["drop_last"]
                    )
                    current_epoch = epoch
                kind, payload = "batch", fetch(indices)
            except StopIteration:
                kind, payload = "end", None
            except Exception:
                payload = ExceptionWrapper(where=where)
        results.put(_pickled(epoch, number, kind, payload, where))


def _pickled(epoch: int, number: int, kind: str, payload: Any, where: str) -> bytes:
    """An answer as bytes. Left to the queue's thread, an error in pickling would be lost, and the parent would wait for ever."""
    try:
        return bytes(ForkingPickler.dumps((epoch, number, kind, payload)))
    except Exception:
        return bytes(ForkingPickler.dumps((epoch, number, "error", ExceptionWrapper(where=where))))


def _next_task(tasks: Any, parent: int) -> Any:
    """The next task; ``None`` also when the parent has died."""
    import queue

    while True:
        try:
            return tasks.get(timeout=POLL_SECONDS)
        except queue.Empty:
            if os.getppid() != parent:
                return None
