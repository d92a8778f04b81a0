"""``framejit.ops``: every op by name, ``fj.ops.<namespace>.<name>``, and its overloads, ``fj.ops.<namespace>.<name>.default``.

The rows of the op table are in the namespace ``aten``, under PyTorch's names.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Callable
from typing import Any

from framejit import _C
from framejit._C import _library

TABLE_NAMESPACE = "aten"


class Tag(enum.Enum):
    """What an op is known to be. framejit asks for one: ``nondeterministic_seeded``, an op that draws random numbers, so that
    two calls are never merged into one; the others are PyTorch's, and accepted."""

    core = 0
    data_dependent_output = 1
    dynamic_output_shape = 2
    flexible_layout = 3
    generated = 4
    inplace_view = 5
    maybe_aliasing_or_mutating = 6
    needs_contiguous_strides = 7
    needs_exact_strides = 8
    needs_fixed_stride_order = 9
    nondeterministic_bitwise = 10
    nondeterministic_seeded = 11
    pointwise = 12
    pt2_compliant_tag = 13
    reduction = 14
    view_copy = 15


class OpOverload:
    """One signature of an op. Calling it runs the op; it may be called in compiled functions."""

    def __init__(self, name: str, overload: str, schema: str, function: Callable[..., Any]) -> None:
        self.namespace, _, self._opname = name.rpartition("::")
        self._overloadname = overload or "default"
        self._schema = schema
        self._function = function
        self.__name__ = f"{self._opname}.{self._overloadname}"
        self.__qualname__ = self.__name__
        self.__module__ = f"framejit.ops.{self.namespace}"

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def name(self) -> str:
        """``"namespace::name"``, with ``".overload"`` where it has a name."""
        suffix = "" if self._overloadname == "default" else f".{self._overloadname}"
        return f"{self.namespace}::{self._opname}{suffix}"

    def __str__(self) -> str:
        return f"{self.namespace}.{self._opname}.{self._overloadname}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.namespace}.{self._opname}', overload='{self._overloadname}')>"


class OpOverloadPacket:
    """All signatures of an op. Calling it runs the first that the arguments fit."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self._qualified_op_name = name
        self._function = function
        self._overloads: list[str] = []
        self.__name__ = name.rpartition("::")[2]

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def overloads(self) -> list[str]:
        """Their names; that of an unnamed one is ``"default"``."""
        return list(self._overloads)

    def add(self, overload: OpOverload, function: Callable[..., Any]) -> None:
        """Adds a signature; ``function`` calls all that there are now."""
        self._overloads.append(overload._overloadname)
        self._function = function
        setattr(self, overload._overloadname, overload)

    def remove(self, overload: str) -> None:
        """Takes a signature out."""
        self._overloads.remove(overload)
        delattr(self, overload)
        if self._overloads:
            self._function = _library.function(self._qualified_op_name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(f"The underlying op of '{self}' has no overload name '{name}'")

    def __str__(self) -> str:
        return self._qualified_op_name.replace("::", ".")

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"


class _Namespace(types.ModuleType):
    def __init__(self, name: str) -> None:
        super().__init__(f"framejit.ops.{name}")
        self._namespace = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._namespace == TABLE_NAMESPACE and (packet := _table_packet(name)):
            setattr(self, name, packet)
            return packet
        raise AttributeError(f"'framejit.ops.{self._namespace}' object has no attribute '{name}'")


class _Ops(types.ModuleType):
    """``framejit.ops``. A namespace that is not there yet is made: its ops may come later."""

    def load_library(self, path: str) -> None:
        """Raises: what PyTorch loads here are libraries linked against PyTorch."""
        raise OSError(
            f"{path}: libraries of operators are linked against PyTorch and cannot be loaded into framejit; make the operators "
            "with framejit.library"
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        namespace = _Namespace(name)
        setattr(self, name, namespace)
        return namespace


ops = _Ops("framejit.ops")


def _table_packet(name: str) -> OpOverloadPacket | None:
    """Of rows of the op table. Their functions choose the overload by the arguments, under whatever name."""
    function = getattr(_C.ops, name, None) or getattr(_C.nn_functional, name, None)
    method = getattr(_C.Tensor, name, None)
    if function is None and isinstance(method, type(_C.Tensor.add)):
        function = method
    if function is None:
        return None
    packet = OpOverloadPacket(f"{TABLE_NAMESPACE}::{name}", function)
    for overload in ("", "Tensor", "Scalar", "dim", "int", "out"):
        packet.add(OpOverload(f"{TABLE_NAMESPACE}::{name}", overload, "", function), function)
    return packet


def packet_of(qualified_name: str) -> OpOverloadPacket | None:
    """The packet of an op that was defined; None when there is none."""
    namespace, _, name = qualified_name.partition("::")
    found = vars(getattr(ops, namespace)).get(name)
    return found if isinstance(found, OpOverloadPacket) else None


def add_overload(name: str, overload: str, schema: str, function: Callable[..., Any]) -> OpOverload:
    """Makes a defined op visible."""
    made = OpOverload(name, overload, schema, function)
    packet = packet_of(name)
    everything = _library.function(name)
    if packet is None:
        packet = OpOverloadPacket(name, everything)
        setattr(getattr(ops, made.namespace), made._opname, packet)
    packet.add(made, everything)
    return made


def remove_overload(name: str, overload: str) -> None:
    """Hides it again."""
    packet = packet_of(name)
    if packet is None:
        return
    packet.remove(overload or "default")
    if not packet.overloads():
        namespace, _, short = name.partition("::")
        delattr(getattr(ops, namespace), short)
