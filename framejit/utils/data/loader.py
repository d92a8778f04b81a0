"""``DataLoader``: batches of a dataset, loaded in this process or ahead in worker processes."""

from __future__ import annotations

import itertools
import multiprocessing
import pickle
import signal
import weakref
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import connection
from typing import Any

import framejit as fj
from framejit.utils.data import worker as workers
from framejit.utils.data.collate import default_collate, default_convert
from framejit.utils.data.dataset import Dataset, IterableDataset
from framejit.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler


class DataLoader:
    """Iterates over ``dataset`` in batches, with PyTorch's arguments.

    Args:
        num_workers: processes that load batches ahead; 0 loads in this one.
        prefetch_factor: batches that each worker keeps ready (2 unless given).
        timeout: seconds to wait for a batch of a worker; 0 waits without end.
        persistent_workers: keep the processes between epochs.
        in_order: give batches in the order of the sampler; else as workers finish them.
        pin_memory, pin_memory_device: accepted; pinned memory is for copies to a GPU, and there is none.

    Raises:
        ValueError: arguments that exclude each other, or are out of range.
    """

    def __init__(
        self,
        dataset: Dataset[Any],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler[Any] | Iterable[Any] | None = None,
        batch_sampler: Sampler[list[Any]] | Iterable[list[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: fj.Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        stream = isinstance(dataset, IterableDataset)
        _check(
            num_workers >= 0,
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.",
        )
        _check(timeout >= 0, "timeout option should be non-negative")
        _check(
            num_workers > 0 or prefetch_factor is None,
            "prefetch_factor option could only be specified in multiprocessing. let num_workers > 0.",
        )
        _check(num_workers > 0 or not persistent_workers, "persistent_workers option needs num_workers > 0")
        _check(prefetch_factor is None or prefetch_factor > 0, "prefetch_factor option should be positive")
        _check(
            not (stream and shuffle),
            f"DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle={shuffle}",
        )
        _check(
            not (stream and (sampler or batch_sampler)),
            "DataLoader with IterableDataset: expected unspecified sampler and batch_sampler options",
        )
        _check(not (sampler is not None and shuffle), "sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            _check(
                batch_size == 1 and not shuffle and sampler is None and not drop_last,
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last",
            )
            batch_size = None
        elif batch_size is None:
            _check(
                not drop_last,
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last",
            )
        if sampler is None and not stream:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)  # type: ignore[arg-type]
        batched = batch_sampler is not None or batch_size is not None
        if batch_sampler is None and batch_size is not None and not stream:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)  # type: ignore[arg-type]
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.sampler, self.batch_sampler, self.generator = sampler, batch_sampler, generator
        self.num_workers, self.timeout, self.worker_init_fn = num_workers, timeout, worker_init_fn
        self.pin_memory, self.persistent_workers = pin_memory, persistent_workers
        self.pin_memory_device, self.in_order = pin_memory_device, in_order
        self.multiprocessing_context = multiprocessing_context
        self.prefetch_factor = (
            prefetch_factor if prefetch_factor is not None else (2 if num_workers else None)
        )
        self.collate_fn = collate_fn or (default_collate if batched else default_convert)
        self._stream = stream
        self._pool: _WorkerPool | None = None

    def _tasks(self) -> Iterator[Any]:
        """What each batch is made from: indices, or for streams how many samples."""
        if self._stream:
            return itertools.repeat(None if self.batch_size is None else [0] * self.batch_size)
        return iter(self.batch_sampler if self.batch_sampler is not None else self.sampler)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Any]:
        if self.num_workers == 0:
            return self._iterate_here()
        pool = self._pool
        if pool is None or not pool.alive:
            pool = _WorkerPool(self)
            self._pool = pool if self.persistent_workers else None
        return pool.iterate(self._tasks(), stop_at_end=not self.persistent_workers)

    def _iterate_here(self) -> Iterator[Any]:
        fetch = workers.make_fetch(self.dataset, self.collate_fn, self._stream, self.drop_last)
        for task in self._tasks():
            try:
                batch = fetch(task)
            except StopIteration:
                if not self._stream:
                    raise RuntimeError("the dataset raised StopIteration") from None
                return
            yield batch

    def __len__(self) -> int:
        if self._stream:
            count = len(self.dataset)  # type: ignore[arg-type]
            if self.batch_size is None:
                return count
            return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
        return len(self.batch_sampler if self.batch_sampler is not None else self.sampler)  # type: ignore[arg-type]


class _WorkerPool:
    """The processes of one loader. Batches come back in the order of their tasks, unless the loader does not care."""

    def __init__(self, loader: DataLoader) -> None:
        context = loader.multiprocessing_context
        if context is None or isinstance(context, str):
            context = multiprocessing.get_context(context)
        self._timeout = loader.timeout
        self._ahead = loader.prefetch_factor or 2
        self._in_order = loader.in_order
        self._results = context.Queue()
        self._task_queues = [context.Queue() for _ in range(loader.num_workers)]
        seed = int(fj.randint(0, 2**31 - 1, (), generator=loader.generator))
        settings = dict(
            dataset=loader.dataset,
            collate_fn=loader.collate_fn,
            worker_init_fn=loader.worker_init_fn,
            stream=loader._stream,
            drop_last=loader.drop_last,
        )
        count = loader.num_workers
        self._processes = [
            context.Process(
                target=workers.run, args=(tasks, self._results, settings, i, count, seed + i), daemon=True
            )
            for i, tasks in enumerate(self._task_queues)
        ]
        for process in self._processes:
            process.start()
        self._epoch = 0
        self.alive = True
        self._finalizer = weakref.finalize(self, _stop, self._processes, self._task_queues, self._results)

    def close(self) -> None:
        self.alive = False
        self._finalizer()

    def iterate(self, tasks: Iterator[Any], stop_at_end: bool) -> Iterator[Any]:
        try:
            yield from self._iterate(tasks)
        except BaseException:
            self.close()
            raise
        if stop_at_end:
            self.close()

    def _iterate(self, tasks: Iterator[Any]) -> Iterator[Any]:
        self._epoch += 1
        open_workers = list(range(len(self._processes)))
        owner: dict[int, int] = {}  # number of a task that is under way -> worker
        arrived: dict[int, tuple[str, Any]] = {}
        sent = done = 0

        def send(worker: int) -> None:
            nonlocal sent
            task = next(tasks, _END)
            if task is not _END:
                self._task_queues[worker].put((self._epoch, sent, task))
                owner[sent] = worker
                sent += 1

        for _ in range(self._ahead):
            for worker in open_workers:
                send(worker)
        while done < sent:
            while (done not in arrived) if self._in_order else not arrived:
                epoch, number, kind, payload = self._receive()
                if epoch == self._epoch:
                    arrived[number] = (kind, payload)
            wanted = done if self._in_order else next(iter(arrived))
            kind, payload = arrived.pop(wanted)
            worker = owner.pop(wanted)
            done += 1
            if kind == "error":
                payload.reraise()
            if kind == "end" and worker in open_workers:
                open_workers.remove(worker)
            if worker in open_workers:
                send(worker)
            if kind == "batch":
                yield payload

    def _receive(self) -> Any:
        """The next answer of any worker; raises as soon as one of them has ended."""
        reader = self._results._reader
        ended = {process.sentinel: process for process in self._processes}
        ready = connection.wait([reader, *ended], self._timeout or None)
        if reader in ready or reader.poll():
            answer = self._results.get()
            try:
                return pickle.loads(answer)
            except (OSError, EOFError):  # tensors are fetched from the worker that sent them, which is ending
                ready = connection.wait(list(ended), workers.POLL_SECONDS)
                if not ready:
                    raise
        if not ready:
            raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
        dead = ", ".join(_how_it_ended(ended[sentinel]) for sentinel in ready if sentinel in ended)
        raise RuntimeError(f"DataLoader worker {dead}")


def _how_it_ended(process: Any) -> str:
    process.join()
    code = process.exitcode
    how = f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
    return f"(pid {process.pid}) exited unexpectedly with {how}"


_END = object()


def _stop(processes: list[Any], task_queues: list[Any], results: Any) -> None:
    """Stops workers; module-level, so that the finalizer holds no reference to the pool."""
    for tasks in task_queues:
        tasks.put(None)
    for process in processes:
        process.join(timeout=5)
        if process.is_alive():
            process.terminate()
            process.join()
    for channel in (*task_queues, results):
        channel.cancel_join_thread()
        channel.close()


def _check(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)
