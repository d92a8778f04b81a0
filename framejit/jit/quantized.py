"""Quantised copies of modules: not supported. The names exist, so that programs can import them."""

from typing import Any, NoReturn

__all__ = ["quantize_linear_modules", "quantize_rnn_cell_modules", "quantize_rnn_modules"]


def _no_quantization(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError(
        "framejit has no quantized modules. Try module.half() or module.bfloat16() for less memory."
    )


quantize_linear_modules = quantize_rnn_cell_modules = quantize_rnn_modules = _no_quantization
