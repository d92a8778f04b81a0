"""All ops, in child processes: a crash, or no end, is one more difference."""

from __future__ import annotations

import collections
import dataclasses
import itertools
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

CPU_SECONDS_PER_OP = 300
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


SUBSET = Options(samples=2, spread=True)  # what CI runs


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


def entries(names: list[str] | None = None) -> tuple[list[Any], list[str]]:
    """(entries of op_db that framejit has, names that it has not), of all or of the ops named."""
    chosen = [op for op in op_db if names is None or op.name in names or variant_name(op) in names]
    present = [op for op in chosen if Counterpart.present(op)]
    absent = {op.name for op in chosen} - {op.name for op in present}
    return present, sorted(absent)


def check_op(op: Any, options: Options) -> Report:
    """In this process."""
    report = Report(variant_name(op))
    began = time.perf_counter()
    counterpart = Counterpart(op)
    dtypes = [
        dtype for dtype in sorted(op.supported_dtypes("cpu"), key=str) if dtype_name(dtype) in options.dtypes
    ]
    for i, dtype in enumerate(dtypes):
        _check_dtype(counterpart, dtype, i if options.spread else 0, options, report)
    if options.bad_samples and op.error_inputs_func is not None:
        _seed()
        for bad in op.error_inputs("cpu"):
            with _skipping(report):
                report.add(bad_sample_differences(counterpart, bad))
                report.bad_samples += 1
    report.seconds = time.perf_counter() - began
    return report


def _check_dtype(
    counterpart: Counterpart, dtype: torch.dtype, rank: int, options: Options, report: Report
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
    for i, sample in enumerate(_chosen(samples, rank, options.samples)):
        with _skipping(report):
            report.add(SampleChecks(counterpart, sample, dtype, first=i == 0).run())
            report.samples += 1


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
    """Reports in the order of ``ops``."""
    torch.set_num_threads(1)
    fj.set_num_threads(1)
    groups = [ops[i : i + OPS_PER_PROCESS] for i in range(0, len(ops), OPS_PER_PROCESS)]
    with ThreadPoolExecutor(jobs) as waiting:
        for reports in waiting.map(lambda group: _in_children(group, options), groups):
            yield from reports


def _in_children(ops: list[Any], options: Options) -> list[Report]:
    """In one child process, and where that crashes the ops behind the culprit in another."""
    reports: list[Report] = []
    while len(reports) < len(ops):
        answers, ending = _in_child(ops[len(reports) :], options)
        reports += answers
        if len(reports) < len(ops):
            reports.append(_failure(ops[len(reports)], "crash", f"the process ended with {ending}"))
    return reports


# A child that had the writing end of another one's pipe would keep it from ending.
_forking = threading.Lock()


def _in_child(ops: list[Any], options: Options) -> tuple[list[Report], str]:
    """The reports that a child process got to make, and how it ended."""
    with _forking:
        reader, writer = os.pipe()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            _run_child(ops, options, reader, writer)
        os.close(writer)
    answers = []
    with os.fdopen(reader, "rb") as pipe:
        while True:
            try:
                answers.append(pickle.load(pipe))
            except EOFError:
                break
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return answers, signal.Signals(os.WTERMSIG(status)).name
    return answers, f"exit {os.WEXITSTATUS(status)}"


def _failure(op: Any, kind: str, text: str) -> Report:
    report = Report(variant_name(op))
    report.add([Difference(variant_name(op), "-", "-", kind, text, "?")])
    return report


def _run_child(ops: list[Any], options: Options, reader: int, writer: int) -> None:
    """Does not return."""
    os.close(reader)
    warnings.simplefilter("ignore")
    with os.fdopen(writer, "wb") as pipe:
        for op in ops:
            limit = int(time.process_time()) + CPU_SECONDS_PER_OP
            resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
            try:
                report = check_op(op, options)
            except Exception:
                report = _failure(op, "runner", traceback.format_exc())
            pickle.dump(report, pipe)
            pipe.flush()
    os._exit(0)
