"""``Library``: defines ops and registers their implementations."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, Literal

from framejit import _C
from framejit._C import _library
from framejit.compiler.api import leave_to_interpreter
from framejit.library.autograd import missing_link
from framejit.library.operators import (
    TABLE_NAMESPACE,
    OpOverload,
    OpOverloadPacket,
    Tag,
    add_overload,
    packet_of,
    remove_overload,
)

OpLike = str | OpOverload | OpOverloadPacket | Any
_Fn = Callable[..., Any]

# Dispatch keys, and what they are here (framejit/bindings/python_op.h).
LAYERS = {
    "": "composite",
    "CompositeImplicitAutograd": "composite",
    "CompositeExplicitAutograd": "any_device",
    "CPU": "cpu",
    "CUDA": "cuda",
    "Meta": "fake",
    "Autograd": "autograd",
    "AutogradCPU": "autograd",
    "AutogradCUDA": "autograd",
}
_KERNEL_LAYERS = ("any_device", "cpu", "cuda")
_RESERVED = ("prim",)

_defining: set[str] = set()  # namespaces that have a DEF library


def as_kernel(fn: _Fn) -> _Fn:
    """``fn``, run by the interpreter when a compiled function calls the op."""

    def kernel(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    return leave_to_interpreter(kernel)


def fallthrough_kernel() -> None:
    """Given to ``Library.impl``: nothing is registered, and the next layer gets the call."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


def _undo(undo: list[Callable[[], None]]) -> None:
    while undo:
        undo.pop()()


class Library:
    """Ops of a namespace, and implementations of ops. All that it has registered is gone when it is.

    >>> lib = fj.library.Library("mylib", "DEF")
    >>> lib.define("twice(Tensor x) -> Tensor")
    >>> lib.impl("twice", lambda x: x * 2, "CompositeImplicitAutograd")
    >>> fj.ops.mylib.twice(x)

    Args:
        ns: the namespace.
        kind: ``"DEF"`` (one per namespace) or ``"FRAGMENT"`` to define ops, ``"IMPL"`` to implement ops of others. In
            the namespace ``aten`` are the rows of the op table.
        dispatch_key: the default of :meth:`impl`.
    """

    def __init__(self, ns: str, kind: Literal["DEF", "IMPL", "FRAGMENT"] | str, dispatch_key: str = "") -> None:
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError("Unsupported kind: ", kind)
        if ns in _RESERVED and kind in ("DEF", "FRAGMENT"):
            raise ValueError(ns, " is a reserved namespace. Please try creating a library with another name.")
        if kind == "DEF" and ns in _defining:
            raise RuntimeError(
                f'Only a single Library of kind "DEF" can be used for the namespace {ns}, and there is one already. Define '
                'further ops with one of kind "FRAGMENT".'
            )
        self.ns = ns
        self.kind = kind
        self.dispatch_key = dispatch_key
        undo: list[Callable[[], None]] = []
        self._undo = undo
        if kind == "DEF":
            _defining.add(ns)
            undo.append(lambda: _defining.discard(ns))
        weakref.finalize(self, _undo, undo)

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Makes an op, without any implementation; returns its name.

        Args:
            schema: such as ``"scaled_add(Tensor x, Tensor y, *, float alpha=1) -> Tensor"``. ``Tensor(a!)`` is written to.
            alias_analysis: accepted for PyTorch's sake.
            tags: one :class:`framejit.Tag` or several.
        """
        if self.kind == "IMPL":
            raise RuntimeError(
                f"define: a Library of kind IMPL cannot define ops of {self.ns}; use DEF or FRAGMENT"
            )
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        parsed = _library.parse(schema if "::" in schema.partition("(")[0] else f"{self.ns}::{schema}")
        name, overload = parsed["name"], parsed["overload"]
        if not name.startswith(f"{self.ns}::"):
            raise RuntimeError(f"define: {name} is not in the namespace {self.ns} of this library")
        full_name = name + (f".{overload}" if overload else "")
        packet = packet_of(name)
        if packet is not None and (overload or "default") in packet.overloads():
            raise RuntimeError(
                f"Tried to register an operator ({parsed['text']}) with the same name and overload name multiple times."
            )
        text = schema if "::" in schema.partition("(")[0] else f"{self.ns}::{schema}"
        tags = (tags,) if isinstance(tags, Tag) else tuple(tags)
        function = _library.define(text, Tag.nondeterministic_seeded in tags)
        add_overload(name, overload, parsed["text"], function)
        _library.set_function(full_name, "link", missing_link(full_name))

        def undo() -> None:
            _library.remove(full_name)
            remove_overload(name, overload)

        self._undo.append(undo)
        return full_name.partition("::")[2]

    def impl(
        self,
        op_name: OpLike,
        fn: _Fn,
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = False,
        dtypes: Sequence[_C.dtype] = (),
    ) -> None:
        """Registers ``fn`` as a layer of an op: with the key ``"CPU"`` its kernel for the CPU, and so on.

        Args:
            op_name: ``"name"`` or ``"name.overload"``, or an op of ``framejit.ops``.
            dispatch_key: ``"CPU"``, ``"CUDA"``, ``"CompositeExplicitAutograd"`` (all devices), ``"Meta"`` (shapes of
                tensors without data), ``"Autograd"``, or ``"CompositeImplicitAutograd"`` (a function made of other ops).
            allow_override: replace what is registered.
            dtypes: of rows of the op table: the kernel is for tensors of these dtypes only; others keep the row's own.
                (Not in PyTorch, which has no kernels by dtype.)
        """
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        if with_keyset:
            raise NotImplementedError("impl: framejit has no dispatch key sets to hand to the function")
        key = dispatch_key or self.dispatch_key
        if key not in LAYERS:
            raise RuntimeError(f"impl: unknown dispatch key {key!r}, expected one of {sorted(LAYERS)}")
        full_name = self._resolve(op_name)
        if fn is fallthrough_kernel:
            return
        if _library.is_table_op(_table_name(full_name)):
            self._impl_table(_table_name(full_name), fn, key, dtypes)
            return
        if dtypes:
            raise NotImplementedError("impl: dtypes= is for rows of the op table; your own op sees its dtypes itself")
        layer = LAYERS[key]
        if _library.has_function(full_name, layer) and not allow_override:
            raise RuntimeError(
                f"This is not allowed since there's already a kernel registered from python overriding {full_name}'s "
                f"behavior for {key or 'CompositeImplicitAutograd'} dispatch key and {self.ns} namespace."
            )
        _library.set_function(full_name, layer, as_kernel(fn) if layer in _KERNEL_LAYERS else fn)
        self._undo.append(lambda: _remove_function(full_name, layer))

    def _resolve(self, op: OpLike) -> str:
        full_name = full_name_of(op, "impl", default_namespace=self.ns)
        if not full_name.startswith(f"{self.ns}::"):
            raise RuntimeError(f"impl: {full_name} is not in the namespace {self.ns} of this library")
        return full_name

    def _impl_table(self, row: str, fn: _Fn, key: str, dtypes: Sequence[_C.dtype]) -> None:
        device = {"CPU": "cpu", "CUDA": "cuda"}.get(key)
        if device is None:
            raise NotImplementedError(
                f"impl: rows of the op table take kernels for the keys CPU and CUDA, not {key or 'CompositeImplicitAutograd'}"
            )
        _library.set_table_kernel(row, device, as_kernel(fn), list(dtypes))
        self._undo.append(lambda: _library.set_table_kernel(row, device, None, []))

    def _destroy(self) -> None:
        """Takes back all that this library has registered."""
        _undo(self._undo)


def _table_name(full_name: str) -> str:
    namespace, _, name = full_name.partition("::")
    return name if namespace == TABLE_NAMESPACE else full_name


def _remove_function(full_name: str, layer: str) -> None:
    if is_defined(full_name):
        _library.set_function(full_name, layer, None)


def is_defined(full_name: str) -> bool:
    name, _, overload = full_name.partition(".")
    packet = packet_of(name)
    return packet is not None and (overload or "default") in packet.overloads()


def full_name_of(op: OpLike, function: str, default_namespace: str | None = None) -> str:
    """``"namespace::name.overload"`` of whatever names an op."""
    if isinstance(op, OpOverload):
        return op.name()
    if isinstance(op, OpOverloadPacket):
        return op._qualified_op_name
    own = getattr(op, "_opoverload", None)  # a CustomOpDef
    if isinstance(own, OpOverload):
        return own.name()
    if not isinstance(op, str):
        raise ValueError(f"{function}(op): got unexpected type for op: {type(op)}, expected a name or an op")
    if "::" in op:
        return op.removesuffix(".default")
    if default_namespace is None:
        raise ValueError(
            f"{function}: expected the name of an op as 'namespace::name', got {op!r}"
        )
    return f"{default_namespace}::{op.removesuffix('.default')}"


def defined_name(op: OpLike, function: str) -> str:
    """The full name of an op that has been defined with this package."""
    full_name = full_name_of(op, function)
    if not is_defined(full_name):
        raise RuntimeError(f"operator {full_name} does not exist")
    return full_name
