"""All ops, each in a process of its own: a crash, or no end, is one more difference."""

from __future__ import annotations

import collections
import dataclasses
import itertools
import os
import pickle
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db

import framejit as fj

from .checks import Difference, SampleChecks, bad_sample_differences
from .convert import Unconvertible, our_dtype
from .names import Counterpart, dtype_name, variant_name

SECONDS_PER_OP = 300


@dataclasses.dataclass(frozen=True)
class Options:
    dtypes: tuple[str, ...]
    samples: int | None = None  # of each dtype; None: all
    bad_samples: bool = True
    reference: bool = False  # PyTorch's larger set


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
    for dtype in sorted(op.supported_dtypes("cpu"), key=str):
        if dtype_name(dtype) in options.dtypes:
            _check_dtype(counterpart, dtype, options, report)
    if options.bad_samples and op.error_inputs_func is not None:
        for bad in op.error_inputs("cpu"):
            with _skipping(report):
                report.add(bad_sample_differences(counterpart, bad))
                report.bad_samples += 1
    report.seconds = time.perf_counter() - began
    return report


def _check_dtype(counterpart: Counterpart, dtype: torch.dtype, options: Options, report: Report) -> None:
    op = counterpart.op
    try:
        our_dtype(dtype)
    except Unconvertible as reason:
        report.inapplicable[str(reason)] += 1
        return
    torch.manual_seed(0)
    differentiable = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu")
    source = op.reference_inputs if options.reference else op.sample_inputs
    for i, sample in enumerate(
        itertools.islice(source("cpu", dtype, requires_grad=differentiable), options.samples)
    ):
        with _skipping(report):
            report.add(SampleChecks(counterpart, sample, dtype, first=i == 0).run())
            report.samples += 1


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


def sweep(ops: list[Any], options: Options) -> Iterator[Report]:
    """Reports in the order of ``ops``."""
    torch.set_num_threads(1)
    fj.set_num_threads(1)
    for op in ops:
        yield _in_child(op, options)


def _in_child(op: Any, options: Options) -> Report:
    reader, writer = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _run_child(op, options, reader, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    if answer:
        return pickle.loads(answer)
    name = (
        signal.Signals(os.WTERMSIG(status)).name
        if os.WIFSIGNALED(status)
        else f"exit {os.WEXITSTATUS(status)}"
    )
    report = Report(variant_name(op))
    report.add([Difference(variant_name(op), "-", "-", "crash", f"the process ended with {name}", "?")])
    return report


def _run_child(op: Any, options: Options, reader: int, writer: int) -> None:
    """Does not return."""
    os.close(reader)
    warnings.simplefilter("ignore")
    signal.alarm(SECONDS_PER_OP)
    try:
        report = check_op(op, options)
    except Exception:
        report = Report(variant_name(op))
        report.add([Difference(variant_name(op), "-", "-", "runner", traceback.format_exc(), "?")])
    with os.fdopen(writer, "wb") as pipe:
        pickle.dump(report, pipe)
    os._exit(0)
