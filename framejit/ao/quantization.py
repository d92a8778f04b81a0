"""Modules that compute in 8-bit integers: not supported. Markers in models are the identities that they are before conversion."""

from __future__ import annotations

from typing import Any, NoReturn

from framejit import Tensor, nn

__all__ = [
    "DeQuantStub", "QuantStub", "convert", "fuse_modules", "get_default_qat_qconfig", "get_default_qconfig",
    "prepare", "prepare_qat", "quantize", "quantize_dynamic",
]  # fmt: skip


class QuantStub(nn.Module):
    """Where a quantised model would turn its input into integers: the identity."""

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()

    def forward(self, x: Tensor) -> Tensor:
        return x


class DeQuantStub(QuantStub):
    """Where a quantised model would turn integers into floats: the identity."""


def _no_quantization(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError(
        "framejit has no quantization. Try module.half() or module.bfloat16() for less memory."
    )


convert = fuse_modules = prepare = prepare_qat = quantize = quantize_dynamic = _no_quantization
get_default_qconfig = get_default_qat_qconfig = _no_quantization
