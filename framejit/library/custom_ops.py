"""``custom_op``: a Python function as an op."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from framejit import _C
from framejit._C import _library
from framejit.library import functions
from framejit.library.operators import OpOverload, OpOverloadPacket, packet_of
from framejit.library.registry import Library, as_kernel
from framejit.library.schema import infer_schema

_Fn = Callable[..., Any]

_definitions: dict[str, CustomOpDef] = {}


class CustomOpDef:
    """An op made by :func:`custom_op`. Call it as the function that it was."""

    def __init__(self, namespace: str, name: str, schema: str, fn: _Fn, tags: Any = ()) -> None:
        self._namespace = namespace
        self._name = name
        self._schema = schema
        self._init_fn = fn
        self._kernels: dict[str, _Fn] = {}
        self._disabled: set[str] = set()
        self._lib = Library(namespace, "FRAGMENT")
        self._lib.define(f"{name}{schema}", tags=tags)
        packet = packet_of(self._qualname)
        assert isinstance(packet, OpOverloadPacket)
        self._opoverload: OpOverload = packet.default
        functools.update_wrapper(self, fn)

    @property
    def _qualname(self) -> str:
        return f"{self._namespace}::{self._name}"

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._opoverload(*args, **kwargs)

    def register_kernel(self, device_types: str | Sequence[str] | None, fn: _Fn | None = None, /) -> Any:
        """Registers the implementation for device types (None: all). A decorator without ``fn``."""
        layers = functions.device_layers(device_types, "register_kernel")

        def register(kernel: _Fn) -> _Fn:
            for layer in layers:
                self._kernels[layer] = kernel
                if layer not in self._disabled:
                    _library.set_function(self._qualname, layer, as_kernel(kernel))
            return kernel

        return register if fn is None else register(fn)

    def register_fake(self, fn: _Fn, /) -> _Fn:
        """Registers what the op does to tensors without data; see :func:`framejit.library.register_fake`."""
        _library.set_function(self._qualname, "fake", fn)
        return fn

    def register_autograd(self, backward: _Fn, /, *, setup_context: _Fn | None = None) -> None:
        """Registers the derivative; see :func:`framejit.library.register_autograd`."""
        functions.register_autograd(self, backward, setup_context=setup_context)

    def register_autocast(self, device_type: str, cast_inputs: _C.dtype) -> None:
        """See :func:`framejit.library.register_autocast`."""
        functions.register_autocast(self, device_type, cast_inputs)

    def register_vmap(self, func: _Fn | None = None) -> Any:
        """See :func:`framejit.library.register_vmap`."""
        return functions.register_vmap(self, func)

    @contextlib.contextmanager
    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Iterator[None]:
        """In this block, the kernel for a device type is used, or else the function that the op was made of."""
        (layer,) = functions.device_layers(device_type, "set_kernel_enabled")
        before = layer not in self._disabled
        self._enable(layer, enabled)
        try:
            yield
        finally:
            self._enable(layer, before)

    def _enable(self, layer: str, enabled: bool) -> None:
        (self._disabled.discard if enabled else self._disabled.add)(layer)
        kernel = self._kernels.get(layer) if enabled else self._init_fn
        _library.set_function(self._qualname, layer, kernel and as_kernel(kernel))


def _parse_name(name: str) -> tuple[str, str]:
    namespace, found, short = name.partition("::")
    if not found or not namespace or not short or "::" in short:
        raise ValueError(f"custom_op: expected a name as 'namespace::name', got {name!r}")
    if "." in short:
        raise ValueError(f"The torch.library.custom_op APIs do not handle overloads, i.e. operator names with '.' in them. Got {name}")
    return namespace, short


def _check_schema(schema: str, mutates_args: str | Iterable[str]) -> None:
    written = {arg["name"] for arg in _library.parse(f"x::x{schema}")["args"] if arg["mutated"]}
    if mutates_args != "unknown" and written != set(mutates_args):
        raise ValueError(
            f"Attempted to create a custom op with `mutates_args={mutates_args}` and `schema={schema}. The schema suggests that "
            f"the op mutates {sorted(written)} which is different from what was provided to us in `mutates_args`. Please make "
            "these consistent."
        )


def custom_op(
    name: str,
    fn: _Fn | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = None,
    schema: str | None = None,
    tags: Any = (),
) -> Any:
    """Makes an op of a Python function that framejit neither differentiates nor looks into. A decorator without ``fn``.

    >>> @fj.library.custom_op("mylib::numpy_sin", mutates_args=())
    ... def numpy_sin(x: Tensor) -> Tensor:
    ...     return fj.from_numpy(np.sin(x.numpy()))
    >>> @numpy_sin.register_fake
    ... def _(x):
    ...     return fj.empty_like(x)

    Args:
        name: ``"namespace::name"``.
        mutates_args: the names of the arguments that it writes into, or ``"unknown"``. Wrong ones give wrong results.
        device_types: the devices that the function is for; None: all.
        schema: its schema, else made of its annotations by :func:`infer_schema`.
        tags: one :class:`framejit.Tag` or several.
    """

    def make(function: _Fn) -> CustomOpDef:
        namespace, short = _parse_name(name)
        if schema is None:
            text = infer_schema(function, mutates_args=mutates_args)
        else:
            text = schema
            _check_schema(text, mutates_args)
        if name in _definitions:  # defined anew, as in a notebook
            _definitions.pop(name)._lib._destroy()
        made = CustomOpDef(namespace, short, text, function, tags)
        made.register_kernel(device_types, function)
        _definitions[name] = made
        return made

    return make if fn is None else make(fn)
