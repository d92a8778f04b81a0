"""Functions that register one thing about one op."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from framejit import _C
from framejit._C import _library
from framejit.library.autograd import formula_link, missing_link
from framejit.library.operators import OpOverload, packet_of
from framejit.library.registry import LAYERS, Library, OpLike, defined_name, full_name_of, is_defined

_Fn = Callable[..., Any]

_DEVICES = {"cpu": "cpu", "cuda": "cuda", "default": "any_device", "meta": "fake"}

_keep: dict[str, list[Library]] = {}  # libraries of the functions below, by op


def _library_for(full_name: str, lib: Library | None) -> Library:
    if lib is not None:
        return lib
    made = Library(full_name.partition("::")[0], "FRAGMENT")
    _keep.setdefault(full_name, []).append(made)
    return made


def define(qualname: Any, schema: Any, *, lib: Library | None = None, tags: Any = ()) -> Any:
    """``define("mylib::twice", "(Tensor x) -> Tensor")`` makes an op; ``define(lib, schema)`` decorates its function."""
    if isinstance(qualname, Library):
        name = qualname.define(schema)

        def wrap(fn: _Fn) -> _Fn:
            qualname.impl(name, fn, "")
            return fn

        return wrap
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    _, found, name = qualname.partition("::")
    if not found or not name:
        raise ValueError(
            f"define: expected the name of an op as 'namespace::name', got {qualname!r}"
        )
    if not schema.lstrip().startswith("("):
        raise ValueError(
            f'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got "{schema}"'
        )
    _library_for(qualname, lib).define(name + schema, tags=tags)
    return None


def device_layers(types: str | Iterable[str] | None, function: str) -> list[str]:
    names = ["default"] if types is None else [types] if isinstance(types, str) else list(types)
    for name in names:
        if name not in _DEVICES:
            raise RuntimeError(f"{function}: unknown device type {name!r}, expected one of {sorted(_DEVICES)}")
    return [_DEVICES[name] for name in names]


def impl(qualname: Any, types: Any, func: Any = None, *, lib: Library | None = None) -> Any:
    """Registers a kernel of an op for device types: ``"cpu"``, ``"cuda"`` or ``"default"``. A decorator without ``func``.

    ``impl(lib, name, dispatch_key="")`` decorates as ``lib.impl`` does.
    """
    if isinstance(qualname, Library):
        key = func or ""

        def wrap(fn: _Fn) -> _Fn:
            qualname.impl(types, fn, key)
            return fn

        return wrap
    layers = device_layers(types, "impl")

    def register(fn: _Fn) -> _Fn:
        full_name = full_name_of(qualname, "impl")
        keys = {layer: key for key, layer in LAYERS.items()}
        for layer in layers:
            _library_for(full_name, lib).impl(full_name.partition("::")[2], fn, keys[layer])
        return fn

    return register if func is None else (register(func), None)[1]


def register_kernel(
    op: OpLike, device_types: str | Sequence[str] | None, func: _Fn | None = None, /, *, lib: Library | None = None
) -> Any:
    """Registers the implementation of an op for device types (None: all). A decorator without ``func``."""
    own = getattr(op, "_opoverload", None)
    if isinstance(own, OpOverload):
        return op.register_kernel(device_types, func)  # type: ignore[union-attr]
    types = "default" if device_types is None else device_types
    return impl(op, types, func, lib=lib)


def register_fake(
    op: OpLike, func: _Fn | None = None, /, *, lib: Library | None = None, _stacklevel: int = 1, allow_override: bool = False
) -> Any:
    """Registers what an op does to tensors without data: it returns tensors (``empty_like``, ...) of the right shapes,
    strides and dtypes. Compiled functions need it. A decorator without ``func``."""

    def register(fn: _Fn) -> _Fn:
        full_name = defined_name(op, "register_fake")
        _library_for(full_name, lib).impl(
            full_name.partition("::")[2], fn, "Meta", allow_override=allow_override
        )
        return fn

    return register if func is None else register(func)


impl_abstract = register_fake  # its name before PyTorch 2.4


class FakeCtx:
    """What :func:`get_ctx` gives."""

    def new_dynamic_size(self, *, min: int = 0, max: int | None = None) -> int:
        """A size that depends on data: framejit's graphs have none, so the trace ends before the op."""
        raise NotImplementedError(
            "new_dynamic_size: the graph cannot hold an op whose result shapes depend on data; it is called between two graphs"
        )

    create_unbacked_symint = new_dynamic_size


def get_ctx() -> FakeCtx:
    """In a fake implementation: for shapes that depend on data."""
    return FakeCtx()


def register_autograd(
    op: OpLike,
    backward: _Fn,
    /,
    *,
    setup_context: _Fn | None = None,
    lib: Library | None = None,
) -> None:
    """Registers the derivative of an op.

    Args:
        backward: ``backward(ctx, *grads)`` returns one gradient per argument, None where there is none (a list of them
            for a list of tensors). It must be made of ops that framejit can differentiate and trace.
        setup_context: ``setup_context(ctx, inputs, output)`` keeps what ``backward`` needs, with ``save_for_backward``.
            With keyword-only arguments it is also given ``keyword_only_inputs``.
    """
    full_name = defined_name(op, "register_autograd")
    parsed = _library.parse(_schema_of(full_name))
    if any(arg["mutated"] for arg in parsed["args"]):
        raise RuntimeError(
            f"Cannot register autograd formula for non-functional operator {full_name} with schema {parsed['text']}. Please "
            "create a functional operator and register an autograd formula for that."
        )
    if any(arg["kw_only"] and (arg["is_tensor"] or arg["is_tensor_list"]) for arg in parsed["args"]):
        raise NotImplementedError(
            f"register_autograd with kwarg-only Tensor args. In the original definition of the op, please make your tensors "
            f"not kwarg-only. Got: {parsed['text']}"
        )
    if setup_context is not None:
        _check_setup_context(setup_context)
    link = formula_link(
        full_name,
        backward,
        setup_context,
        returns_list=parsed["text"].endswith("-> Tensor[]"),
        has_keywords=any(arg["kw_only"] for arg in parsed["args"]),
    )
    _library.set_function(full_name, "link", link)
    if lib is not None:
        lib._undo.append(lambda: _reset_link(full_name))


def _reset_link(full_name: str) -> None:
    if is_defined(full_name):
        _library.set_function(full_name, "link", missing_link(full_name))


def _check_setup_context(setup_context: _Fn) -> None:
    names = set(inspect.signature(setup_context).parameters)
    if not {"ctx", "inputs", "output"} <= names:
        raise RuntimeError(
            "setup_context is called with the keyword arguments ctx, inputs and output (and keyword_only_inputs where the op "
            f"has keyword-only arguments); got a function of ({', '.join(sorted(names))})"
        )


def _schema_of(full_name: str) -> str:
    name, _, overload = full_name.partition(".")
    packet = packet_of(name)
    assert packet is not None
    found: OpOverload = getattr(packet, overload or "default")
    return found._schema


def register_autocast(
    op: OpLike, device_type: str, cast_inputs: _C.dtype, /, *, lib: Library | None = None
) -> None:
    """While autocast is on for the device, floating arguments of the op are cast to ``cast_inputs``."""
    if not isinstance(device_type, str):
        raise ValueError(f"register_autocast: device_type must be a str, got {type(device_type).__name__}")
    if device_type not in ("cpu", "cuda"):
        raise ValueError(f"Unknown device type: {device_type}")
    full_name = defined_name(op, "register_autocast")
    _library.set_autocast(full_name, device_type, cast_inputs)
    if lib is not None:
        lib._undo.append(
            lambda: _library.set_autocast(full_name, device_type, None) if is_defined(full_name) else None
        )


def register_vmap(op: OpLike, func: _Fn | None = None, /, *, lib: Library | None = None) -> Any:
    """Accepted for PyTorch's sake: :func:`framejit.vmap` runs a function once per sample, so no op needs a rule."""
    defined_name(op, "register_vmap")
    return (lambda fn: fn) if func is None else func
