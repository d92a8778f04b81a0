"""What is asked of one sample: function, method, in-place and ``out=`` forms, gradients, aliases; of a bad one, its exception."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import torch

import framejit as fj

from . import ties
from .compare import Finding, as_exact, compare, tensors_in
from .convert import Arguments
from .names import Counterpart, dtype_name, is_python_wrapper, rebind, variant_name

# PyTorch 2.13 writes beyond the end of an out= that is not contiguous or of another dtype than the input's.
CRASH_PYTORCH = ("linalg.lu", "lu_unpack", "tril", "triu")
INEXACT = ("value", "rounding")
GRADIENT_LOOSENED = 10  # sums over many terms, in another order


@dataclasses.dataclass(frozen=True)
class Difference:
    op: str
    dtype: str
    form: str  # function, method, inplace, out, out resized, out dtype, gradient, alias NAME, bad
    kind: str  # of Finding
    text: str
    sample: str

    def __str__(self) -> str:
        return f"{self.op} [{self.dtype}] {self.form} {self.kind}: {self.text}\n    {self.sample}"


def outcome(function: Callable, arguments: tuple[Any, tuple, dict], **more: Any) -> Any:
    first, rest, named = arguments
    try:
        return function(first, *rest, **named, **more)
    except Exception as error:
        return error


def compare_outcomes(ours: Any, theirs: Any, arguments: list, loosened: float = 1) -> Iterator[Finding]:
    """Like ``compare``, of results or exceptions: ours must be caught by whoever catches theirs."""
    if isinstance(theirs, Exception):
        if not isinstance(ours, Exception):
            yield Finding("answers", f"expected {type(theirs).__name__}: {first_line(theirs)}")
        elif not isinstance(ours, type(theirs)):
            yield Finding(
                "error",
                f"got {type(ours).__name__}: {first_line(ours)}, expected {type(theirs).__name__}: {first_line(theirs)}",
            )
    elif isinstance(ours, Exception):
        yield Finding("raises", f"{type(ours).__name__}: {first_line(ours)}")
    else:
        yield from compare(ours, theirs, arguments, loosened)


def in_double_precision(function: Callable[[], Any]) -> Any:
    """What it returns while integers become float64 where they become floating."""
    torch.set_default_dtype(torch.float64)
    try:
        return function()
    finally:
        torch.set_default_dtype(torch.float32)


def first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0][:300]


class SampleChecks:
    """The checks of one sample of one op in one dtype."""

    def __init__(self, counterpart: Counterpart, sample: Any, dtype: torch.dtype, first: bool) -> None:
        self.op, self.counterpart, self.sample = counterpart.op, counterpart, sample
        self.dtype, self.first = dtype, first

    def run(self, forms: tuple[str, ...] | None = None) -> list[Difference]:
        """``forms``: those to check; None: all."""
        found: list[Difference] = []
        for form, check in self._forms():
            if forms is None or form in forms:
                found += [self._difference(form, finding) for finding in check()]
        return found

    def _difference(self, form: str, finding: Finding) -> Difference:
        summary = summarise(self.sample)
        return Difference(
            variant_name(self.op), dtype_name(self.dtype), form, finding.kind, finding.text, summary
        )

    def _forms(self) -> Iterator[tuple[str, Callable[[], Iterator[Finding]]]]:
        yield "function", self._function
        if self.op.method_variant is not None:
            yield "method", lambda: self._variant(self.counterpart.method, self.op.method_variant)
        if self.op.inplace_variant is not None:
            yield "inplace", self._inplace
        if self.op.supports_out and not is_python_wrapper(self.op.op):
            yield from self._out_forms()
        if (
            self.op.supports_autograd
            and self.dtype in self.op.supported_backward_dtypes("cpu")
            and (self.dtype.is_floating_point or self.dtype.is_complex)
        ):
            yield "gradient", self._gradient
        if self.first:
            for name, ours, theirs in self.counterpart.aliases:
                yield f"alias {name}", lambda ours=ours, theirs=theirs: self._variant(ours, theirs)

    def _compared(
        self, ours: Any, theirs: Any, arguments: Arguments, reference: Callable
    ) -> Iterator[Finding]:
        """Differing values are forgiven where ours are as near as theirs to those of ``reference`` in double precision,
        and indices where they are of equal elements."""
        findings = list(compare_outcomes(ours, theirs, arguments.tensors()))
        if any(finding.kind in INEXACT for finding in findings):
            exact = in_double_precision(
                lambda: outcome(reference, Arguments(self.sample, widened=True).theirs)
            )
            if as_exact(ours, theirs, exact) or ties.differ_in_ties_only(self.op.name, self.sample, ours, theirs):
                findings = [finding for finding in findings if finding.kind not in INEXACT]
        yield from findings

    def _function(self) -> Iterator[Finding]:
        arguments = Arguments(self.sample)
        ours = outcome(self.counterpart.function, arguments.ours)
        theirs = outcome(self.op.op, arguments.theirs)
        yield from self._compared(ours, theirs, arguments, self.op.op)

    def _variant(self, ours: Any, theirs: Any) -> Iterator[Finding]:
        if ours is None:
            yield Finding("missing", "framejit has no such variant")
            return
        arguments = Arguments(self.sample)
        got, expected = outcome(ours, arguments.ours), outcome(theirs, arguments.theirs)
        yield from self._compared(got, expected, arguments, theirs)

    def _inplace(self) -> Iterator[Finding]:
        if self.counterpart.inplace is None:
            yield Finding("missing", "framejit has no such variant")
            return
        arguments = Arguments(self.sample)
        ours = outcome(self.counterpart.inplace, arguments.ours)
        theirs = outcome(self.op.inplace_variant, arguments.theirs)
        yield from self._compared(ours, theirs, arguments, self.op.inplace_variant)
        if (
            isinstance(ours, fj.Tensor)
            and isinstance(theirs, torch.Tensor)
            and theirs is arguments.theirs[0]
            and ours is not arguments.ours[0]
        ):
            yield Finding("type", "the result is not the tensor itself")

    # -- out= --------------------------------------------------------------------------------------------------------
    def _out_forms(self) -> Iterator[tuple[str, Callable[[], Iterator[Finding]]]]:
        expected = outcome(self.op.op, Arguments(self.sample).theirs)
        results = tensors_in(expected)
        if not results or isinstance(expected, list):
            return
        several = isinstance(expected, tuple)
        if self.first:
            empty = [result.new_empty(0) for result in results]
            yield "out resized", lambda: self._out_given(empty, several)
        if self.op.name in CRASH_PYTORCH:
            return
        yield "out", lambda: self._out_given([strided_like(result) for result in results], several)
        if self.first:
            others = [torch.zeros(result.shape, dtype=other_dtype(result.dtype)) for result in results]
            yield "out dtype", lambda: self._out_given(others, several)

    def _out_given(self, out: list[torch.Tensor], several: bool) -> Iterator[Finding]:
        arguments = Arguments(self.sample)
        our_out, their_out = arguments.converter.value(tuple(out))
        if not several:
            our_out, their_out = our_out[0], their_out[0]
        ours = outcome(self.counterpart.function, arguments.ours, out=our_out)
        theirs = outcome(self.op.op, arguments.theirs, out=their_out)
        yield from self._compared(ours, theirs, arguments, self.op.op)
        if not isinstance(ours, Exception) and not isinstance(theirs, Exception):
            if any(one is not other for one, other in zip(tensors_in(ours), tensors_in(our_out))):
                yield Finding("type", "the result is not the tensor given as out")

    # -- gradients ---------------------------------------------------------------------------------------------------
    def _gradient(self) -> Iterator[Finding]:
        arguments = Arguments(self.sample, requires_grad=True)
        if not arguments.leaves():
            return
        process = self.sample.output_process_fn_grad
        theirs = outcome(lambda *args, **kwargs: process(self.op.op(*args, **kwargs)), arguments.theirs)
        if isinstance(theirs, Exception):
            return  # compared without grad already
        our_process = rebind(process) if is_python_wrapper(process) else process
        ours = outcome(
            lambda *args, **kwargs: our_process(self.counterpart.function(*args, **kwargs)), arguments.ours
        )
        if isinstance(ours, Exception):
            yield Finding("raises", f"{type(ours).__name__}: {first_line(ours)}")
            return
        if self._finds_other_elements():
            return  # which have the gradient then
        ours, theirs = tensors_in(ours), tensors_in(theirs)
        if [t.requires_grad for t in ours] != [t.requires_grad for t in theirs]:
            yield Finding(
                "requires_grad",
                f"got {[t.requires_grad for t in ours]}, expected {[t.requires_grad for t in theirs]}",
            )
            return
        try:
            backward(fj, ours)
        except Exception as error:
            yield Finding("raises", f"{type(error).__name__}: {first_line(error)}")
            return
        try:
            backward(torch, theirs)
        except RuntimeError:
            return  # in PyTorch's derivatives of some expanded arguments
        for i, (our_leaf, their_leaf) in enumerate(arguments.leaves()):
            if (our_leaf.grad is None) != (their_leaf.grad is None):
                yield Finding("value", f"gradient {i}: got {our_leaf.grad}, expected {their_leaf.grad}")
            elif our_leaf.grad is not None:
                for finding in compare(our_leaf.grad, their_leaf.grad, [], GRADIENT_LOOSENED):
                    if finding.kind == "strides":  # not promised
                        continue
                    if finding.kind in INEXACT and as_exact(
                        our_leaf.grad, their_leaf.grad, self._exact_gradient(i)
                    ):
                        continue
                    yield Finding(finding.kind, f"gradient {i}: {finding.text}")

    def _finds_other_elements(self) -> bool:
        """Whether the op answers indices of other elements than PyTorch's, equal to them."""
        if self.op.name not in ties.OPS:
            return False
        arguments = Arguments(self.sample)
        ours = outcome(self.counterpart.function, arguments.ours)
        theirs = outcome(self.op.op, arguments.theirs)
        return any(compare(ours, theirs, [])) and ties.differ_in_ties_only(self.op.name, self.sample, ours, theirs)

    def _exact_gradient(self, i: int) -> Any:
        arguments = Arguments(self.sample, requires_grad=True, widened=True)
        process = self.sample.output_process_fn_grad
        result = outcome(lambda *args, **kwargs: process(self.op.op(*args, **kwargs)), arguments.theirs)
        if isinstance(result, Exception):
            return None
        backward(torch, tensors_in(result))
        return arguments.leaves()[i][1].grad


def backward(library: Any, outputs: list) -> None:
    """Gradients of the sum of the outputs times numbers that both libraries take."""
    outputs = [output for output in outputs if output.requires_grad]
    weights = []
    for i, output in enumerate(outputs):
        numbers = torch.linspace(0.5, 1.5, max(output.numel(), 1), dtype=torch.float64)[: output.numel()].mul(
            1 + i
        )
        numbers = numbers.reshape(tuple(output.shape)).to(getattr(torch, str(output.dtype).split(".")[-1]))
        weights.append(numbers if library is torch else fj.from_dlpack(numbers))
    library.autograd.backward(outputs, weights)


def strided_like(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of this shape and dtype, not contiguous where that is possible, full of other numbers."""
    reversed_shape = tuple(tensor.shape)[::-1]
    return torch.full(reversed_shape, 7, dtype=tensor.dtype).permute(tuple(range(tensor.dim()))[::-1])


def other_dtype(dtype: torch.dtype) -> torch.dtype:
    return torch.int64 if dtype.is_floating_point or dtype.is_complex else torch.float32


def bad_sample_differences(counterpart: Counterpart, bad: Any) -> list[Difference]:
    """PyTorch's tests say that this raises; we ask PyTorch itself what."""
    op, sample = counterpart.op, bad.sample_input
    arguments = Arguments(sample)
    theirs = outcome(op.op, arguments.theirs)
    ours = outcome(counterpart.function, arguments.ours)
    if not isinstance(theirs, Exception):
        return []  # meant for another form or device
    findings = compare_outcomes(ours, theirs, arguments.tensors())
    return [
        Difference(variant_name(op), "-", "bad", found.kind, found.text, summarise(sample))
        for found in findings
    ]


def summarise(sample: Any) -> str:
    def show(value: Any) -> str:
        if isinstance(value, torch.Tensor):
            layout = "" if value.is_contiguous() else f" strides {value.stride()}"
            return f"{dtype_name(value.dtype)}{list(value.shape)}{layout}"
        if isinstance(value, (list, tuple)):
            text = ", ".join(show(entry) for entry in value)
            return f"[{text}]" if isinstance(value, list) else f"({text})"
        return repr(value)

    parts = [show(value) for value in (sample.input, *sample.args)]
    parts += [f"{name}={show(value)}" for name, value in sample.kwargs.items()]
    return f"({', '.join(parts)})"[:400]
