"""Printing of tensors, as PyTorch prints them: ``tensor([[1., 2.]], dtype=framejit.float64)``."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

from framejit import _C
from framejit._C import Tensor


@dataclasses.dataclass
class PrintOptions:
    """What :func:`set_printoptions` sets."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}
_options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Sets how tensors are printed; see ``torch.set_printoptions``.

    Args:
        precision: digits after the point.
        threshold: tensors with more elements are summarised.
        edgeitems: items shown at each end of a summarised dimension.
        linewidth: characters per line.
        profile: "default", "short" or "full": the values that the other arguments change.
        sci_mode: scientific notation always or never; ``None`` decides by the values.
    """
    global _options
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(
                f"set_printoptions: got profile {profile!r}, expected one of {', '.join(_PROFILES)}"
            )
        _options = _PROFILES[profile]
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    changes = {name: value for name, value in given.items() if value is not None}
    _options = dataclasses.replace(_options, sci_mode=sci_mode, **changes)  # type: ignore[arg-type]


class _Format:
    """How to write the elements of one tensor, chosen so that all have one width."""

    def __init__(self, values: list[Any], is_floating: bool) -> None:
        self._is_floating = is_floating
        self._whole = True
        self._scientific = False
        if is_floating:  # zeros, infinities and nans have no say
            values = [v for v in values if v != 0 and math.isfinite(v)]
            self._choose_notation([abs(v) for v in values])
        self.width = max((len(self._text(v)) for v in values), default=1)

    def _choose_notation(self, magnitudes: list[float]) -> None:
        if not magnitudes:
            return
        least, most = min(magnitudes), max(magnitudes)
        self._whole = all(v == math.ceil(v) for v in magnitudes)
        self._scientific = most / least > 1000 or most > 1e8 or (not self._whole and least < 1e-4)
        if _options.sci_mode is not None:
            self._scientific = _options.sci_mode

    def _text(self, value: float) -> str:
        if not self._is_floating:
            return str(value)
        if self._scientific:
            return f"{value:.{_options.precision}e}"
        if self._whole:
            return f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"
        return f"{value:.{_options.precision}f}"

    def __call__(self, value: float) -> str:
        return self._text(value).rjust(self.width)


class _ComplexFormat:
    """The same for complex elements: a format for real and one for imaginary parts."""

    def __init__(self, values: list[Any]) -> None:
        self._real = _Format([v.real for v in values], True)
        self._imag = _Format([v.imag for v in values], True)
        self.width = self._real.width + self._imag.width + 1

    def __call__(self, value: complex) -> str:
        imag = self._imag(value.imag).lstrip() + "j"
        return self._real(value.real) + (imag if imag.startswith(("+", "-")) else "+" + imag)


def _shown(size: int, summarise: bool) -> tuple[range, range]:
    """The indices shown before and after the dots; the second is empty when there are none."""
    edge = _options.edgeitems
    if summarise and size > 2 * edge:
        return range(edge), range(size - edge, size)
    return range(size), range(0)


def _leaves(nested: list[Any], shape: tuple[int, ...], summarise: bool) -> Iterator[Any]:
    head, tail = _shown(shape[0], summarise)
    for i in (*head, *tail):
        if len(shape) == 1:
            yield nested[i]
        else:
            yield from _leaves(nested[i], shape[1:], summarise)


def _vector_text(items: list[Any], indent: int, summarise: bool, write: _Format | _ComplexFormat) -> str:
    per_line = max(1, (_options.linewidth - indent) // (write.width + 2))
    head, tail = _shown(len(items), summarise)
    texts = [write(items[i]) for i in head]
    if tail:
        texts += [" ...", *(write(items[i]) for i in tail)]
    lines = [", ".join(texts[i : i + per_line]) for i in range(0, len(texts), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _nested_text(items: list[Any], dims: int, indent: int, summarise: bool, write: _Format | _ComplexFormat) -> str:
    if dims == 1:
        return _vector_text(items, indent, summarise, write)
    head, tail = _shown(len(items), summarise)
    parts = [_nested_text(items[i], dims - 1, indent + 1, summarise, write) for i in head]
    if tail:
        parts.append("...")
        parts += [_nested_text(items[i], dims - 1, indent + 1, summarise, write) for i in tail]
    return "[" + ("," + "\n" * (dims - 1) + " " * (indent + 1)).join(parts) + "]"


def _edges(tensor: Tensor) -> Tensor:
    """The elements that a summary shows, with one item more than the edges where something is left out.

    Large tensors would otherwise become large Python lists.
    """
    edge = _options.edgeitems
    for dim in range(tensor.ndim):
        size = tensor.shape[dim]
        if size > 2 * edge:
            tensor = _C.ops.cat([tensor.narrow(dim, 0, edge + 1), tensor.narrow(dim, size - edge, edge)], dim)
    return tensor


def _data_text(tensor: Tensor, indent: int) -> str:
    summarise = tensor.numel() > _options.threshold
    if summarise:
        tensor = _edges(tensor)
    items = tensor.tolist()
    leaves = [items] if tensor.ndim == 0 else list(_leaves(items, tuple(tensor.shape), summarise))
    write = _ComplexFormat(leaves) if tensor.is_complex() else _Format(leaves, tensor.is_floating_point())
    if tensor.ndim == 0:
        return write(items)
    return _nested_text(items, tensor.ndim, indent, summarise, write)


def _suffixes(tensor: Tensor) -> Iterator[str]:
    if tensor.device.type != "cpu":
        yield f"device='{tensor.device}'"
    empty = tensor.numel() == 0
    if empty and tensor.ndim != 1:
        yield f"size={tuple(tensor.shape)}"
    default = _C.get_default_dtype()
    usual = [default] if empty else [default, default.to_complex(), _C.int64, _C.bool]
    if tensor.dtype not in usual:
        yield f"dtype={tensor.dtype}"
    if tensor.grad_fn is not None:
        yield f"grad_fn=<{tensor.grad_fn.name()}>"
    elif tensor.requires_grad:
        yield "requires_grad=True"


def tensor_str(self: Tensor) -> str:
    """``repr(tensor)``."""
    indent = len("tensor(")
    if self.is_meta:
        text = "..."
    elif self.numel() == 0:
        text = "[]"
    else:
        text = _data_text(self.detach(), indent)
    parts = [text]
    column = len(text) - text.rfind("\n") + 1
    for suffix in _suffixes(self):
        if column + len(suffix) + 2 > _options.linewidth:
            parts.append(",\n" + " " * indent + suffix)
            column = indent + len(suffix)
        else:
            parts.append(", " + suffix)
            column += len(suffix) + 2
    return "tensor(" + "".join(parts) + ")"
