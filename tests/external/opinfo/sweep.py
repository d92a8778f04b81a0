"""All ops, in child processes: a crash, or no end, is one more difference."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import itertools
import json
import mmap
import os
import pickle
import random
import resource
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy
import torch
from torch.testing._internal.common_methods_invocations import op_db

import framejit as fj

from .checks import Difference, SampleChecks, bad_sample_differences
from .convert import Unconvertible, our_dtype
from .names import Counterpart, dtype_name, variant_name

CPU_SECONDS_PER_SAMPLE = 60
OPS_PER_PROCESS = 16  # a fork of a process that holds two libraries takes 0.1 s

DTYPES = (
    *("float32", "float64", "int64", "bool", "uint8", "int32", "int8", "int16"),
    *("float16", "bfloat16", "complex64", "complex128"),
)


@dataclasses.dataclass(frozen=True)
class Options:
    dtypes: tuple[str, ...] = DTYPES
    samples: int | None = None  # of each dtype; None: all
    spread: bool = False  # the samples of one dtype are not those of the next
    bad_samples: bool = True
    reference: bool = False  # PyTorch's larger set
    elements: int | None = None  # of a sample's first tensor; larger ones are left out
    compiled: bool = False  # functions and gradients only, inside compiled functions


SUBSET = Options(samples=2, spread=True)  # what CI runs


NO_SAMPLE = "no sample"


class Place:
    """Which sample a child process is at. Shared with its parent, which reads it when the child has died."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 256)
        self.skipped: set[str] = set()  # those that a child died of

    def enter(self, dtype: str, index: int) -> bool:
        """In the child: whether to check the sample, which has CPU_SECONDS_PER_SAMPLE from now."""
        self.write(f"{dtype} {index}")
        limit = int(time.process_time()) + CPU_SECONDS_PER_SAMPLE
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        return self.read() not in self.skipped

    def write(self, text: str) -> None:
        self._memory[:] = text.encode().ljust(256)

    def read(self) -> str:
        return self._memory[:].decode().strip()


@dataclasses.dataclass
class Report:
    """What became of one op's samples."""

    op: str
    samples: int = 0
    bad_samples: int = 0
    differing: int = 0  # samples
    inapplicable: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # by reason
    differences: list[Difference] = dataclasses.field(default_factory=list)
    seconds: float = 0

    def add(self, differences: list[Difference]) -> None:
        self.differing += bool(differences)
        self.differences += differences

    def to_json(self) -> str:
        return json.dumps({**vars(self), "differences": [vars(one) for one in self.differences]})

    @classmethod
    def from_json(cls, line: str) -> Report:
        report = cls(**json.loads(line))
        report.inapplicable = collections.Counter(report.inapplicable)
        report.differences = [Difference(**one) for one in report.differences]
        return report


def entries(names: list[str] | None = None) -> tuple[list[Any], list[str]]:
    """(entries of op_db that framejit has, names that it has not), of all or of the ops named."""
    chosen = [op for op in op_db if names is None or op.name in names or variant_name(op) in names]
    present = [op for op in chosen if Counterpart.present(op)]
    absent = {op.name for op in chosen} - {op.name for op in present}
    return present, sorted(absent)


def check_op(op: Any, options: Options, place: Place) -> Report:
    """In this process."""
    report = Report(variant_name(op))
    began = time.perf_counter()
    counterpart = Counterpart(op).compiled() if options.compiled else Counterpart(op)
    dtypes = [
        dtype for dtype in sorted(op.supported_dtypes("cpu"), key=str) if dtype_name(dtype) in options.dtypes
    ]
    for i, dtype in enumerate(dtypes):
        _check_dtype(counterpart, dtype, i if options.spread else 0, options, report, place)
    if options.bad_samples and op.error_inputs_func is not None:
        _seed()
        for i, bad in enumerate(op.error_inputs("cpu")):
            if not place.enter("bad", i):
                continue
            with _skipping(report):
                report.add(bad_sample_differences(counterpart, bad))
                report.bad_samples += 1
    report.seconds = time.perf_counter() - began
    return report


def _check_dtype(
    counterpart: Counterpart, dtype: torch.dtype, rank: int, options: Options, report: Report, place: Place
) -> None:
    """``rank``: how many dtypes came before, where the samples shall differ between dtypes."""
    op = counterpart.op
    try:
        our_dtype(dtype)
    except Unconvertible as reason:
        report.inapplicable[str(reason)] += 1
        return
    _seed()
    differentiable = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu")
    source = op.reference_inputs if options.reference else op.sample_inputs
    samples = source("cpu", dtype, requires_grad=differentiable)
    for i, sample in enumerate(_until_refused(_chosen(samples, rank, options.samples), report)):
        if not place.enter(dtype_name(dtype), i):
            continue
        if options.elements and isinstance(sample.input, torch.Tensor) and sample.input.numel() > options.elements:
            report.inapplicable["large"] += 1
            continue
        with _skipping(report):
            checks = SampleChecks(counterpart, sample, dtype, first=i == 0)
            report.add(checks.run(("function", "gradient") if options.compiled else None))
            report.samples += 1


def _until_refused(samples: Iterator[Any], report: Report) -> Iterator[Any]:
    """PyTorch's generators of reference samples ask for integers that require grad, and raise, in some ops."""
    try:
        yield from samples
    except ValueError as error:
        report.inapplicable[f"PyTorch makes no more samples: {error}"[:80]] += 1


def _chosen(samples: Iterator[Any], rank: int, count: int | None) -> Iterator[Any]:
    """``count`` samples, from ``rank * count`` on and from the first on again where there are not so many."""
    if count is None or rank == 0:
        yield from itertools.islice(samples, count)
        return
    passed = list(itertools.islice(samples, (rank + 1) * count))
    for i in range(rank * count, rank * count + min(count, len(passed))):
        yield passed[i % len(passed)]


def _seed() -> None:
    """Whatever samples are drawn from."""
    torch.manual_seed(0)
    fj.manual_seed(0)
    numpy.random.seed(0)
    random.seed(0)


class _skipping:
    """Counts a sample that cannot be converted."""

    def __init__(self, report: Report) -> None:
        self.report = report

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        if isinstance(error, Unconvertible):
            self.report.inapplicable[str(error)] += 1
            return True
        return False


def sweep(ops: list[Any], options: Options, jobs: int = 1) -> Iterator[Report]:
    """Reports in the order of ``ops``; with one job, each as soon as it is there."""
    torch.set_num_threads(1)
    fj.set_num_threads(1)
    groups = [ops[i : i + OPS_PER_PROCESS] for i in range(0, len(ops), OPS_PER_PROCESS)]
    if jobs == 1:
        for group in groups:
            yield from _in_children(group, options)
        return
    with ThreadPoolExecutor(jobs) as waiting:
        for reports in waiting.map(lambda group: list(_in_children(group, options)), groups):
            yield from reports


def _in_children(ops: list[Any], options: Options) -> Iterator[Report]:
    """In one child process. Where it dies at a sample, its op begins again in another one without that sample."""
    place = Place()
    fatal: list[Difference] = []  # of the first op that has no report yet
    while ops:
        place.write(NO_SAMPLE)
        answers = _in_child(ops, options, place)
        ending = ""
        while not ending:
            answer = next(answers)
            if isinstance(answer, str):
                ending = answer
                continue
            answer.add(fatal)
            fatal, place.skipped, ops = [], set(), ops[1:]
            yield answer
        if not ops:
            return
        name, reached = variant_name(ops[0]), place.read()
        text = f"the process ended with {ending}"
        fatal.append(Difference(name, "-", "-", "crash", text, f"sample {reached}"))
        if reached in place.skipped or reached == NO_SAMPLE:
            yield Report(name, differing=1, differences=fatal)
            fatal, place.skipped, ops = [], set(), ops[1:]
        else:
            place.skipped.add(reached)


# A child that had the writing end of another one's pipe would keep it from ending.
_forking = threading.Lock()


def _in_child(ops: list[Any], options: Options, place: Place) -> Iterator[Report | str]:
    """The reports that a child process gets to make, then how it ended."""
    with _forking:
        reader, writer = os.pipe()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            _run_child(ops, options, place, reader, writer)
        os.close(writer)
    with os.fdopen(reader, "rb") as pipe, contextlib.suppress(EOFError):
        while True:
            yield pickle.load(pipe)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        yield signal.Signals(os.WTERMSIG(status)).name
    else:
        yield f"exit {os.WEXITSTATUS(status)}"


def _run_child(ops: list[Any], options: Options, place: Place, reader: int, writer: int) -> None:
    """Does not return."""
    try:
        os.close(reader)
        warnings.simplefilter("ignore")
        with os.fdopen(writer, "wb") as pipe:
            for op in ops:
                pickle.dump(_report_of(op, options, place), pipe)
                pipe.flush()
    finally:
        os._exit(0)


def _report_of(op: Any, options: Options, place: Place) -> Report:
    """As ``check_op``, also where this runner is at fault."""
    try:
        return check_op(op, options, place)
    except Exception:
        name, text = variant_name(op), traceback.format_exc()
        return Report(name, differences=[Difference(name, "-", "-", "runner", text, place.read())])
