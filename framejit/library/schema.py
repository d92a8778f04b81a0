"""Schemas from the annotations of Python functions."""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
from collections.abc import Callable, Iterable
from typing import Any

from framejit import _C
from framejit._C import Tensor

_SCALARS: dict[Any, str] = {
    Tensor: "Tensor",
    int: "SymInt",
    float: "float",
    bool: "bool",
    str: "str",
    _C.dtype: "ScalarType",
    _C.device: "Device",
}
_IN_LISTS = ("Tensor", "SymInt", "float", "bool")
_NUMBERS = frozenset((int, float, bool))
_SEQUENCES = (list, collections.abc.Sequence)


def _members(annotation: Any) -> tuple[Any, ...] | None:
    """Of a union."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return typing.get_args(annotation)
    return None


def schema_type(annotation: Any) -> str | None:
    """What a schema calls a Python type: ``"Tensor?"`` for ``Tensor | None``. None: a schema cannot say it."""
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    members = _members(annotation)
    if members is not None:
        rest = tuple(member for member in members if member is not type(None))
        if frozenset(rest) == _NUMBERS:
            inner: str | None = "Scalar"
        elif len(rest) == 1:
            inner = schema_type(rest[0])
        else:
            return None
        return inner and inner + ("?" if len(rest) < len(members) and not inner.endswith("?") else "")
    if typing.get_origin(annotation) in _SEQUENCES:
        (entry,) = typing.get_args(annotation)
        inner = schema_type(entry)
        return f"{inner}[]" if inner in (*_IN_LISTS, "Tensor?") else None
    return None


def _default_text(value: Any, name: str) -> str:
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, str) and '"' not in value:
        return f'"{value}"'
    raise ValueError(f"Parameter {name} has an unsupported default value type {type(value)}.")


def _written(type_text: str, name: str, index: int) -> str:
    if not type_text.startswith("Tensor"):
        raise ValueError(
            f"Parameter {name} is in mutates_args but only Tensors or collections of Tensors can be mutated"
        )
    return f"Tensor(a{index}!)" + type_text[len("Tensor") :]


def _parameters(
    parameters: Iterable[inspect.Parameter], hints: dict[str, Any], mutates: Callable[[str, str], bool]
) -> str:
    texts: list[str] = []
    for index, parameter in enumerate(parameters):
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise ValueError(
                "We do not support positional-only args, varargs, or varkwargs: every parameter needs a name."
            )
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in texts:
            texts.append("*")
        if parameter.name not in hints:
            raise ValueError(f"Parameter {parameter.name} must have a type annotation.")
        type_text = schema_type(hints[parameter.name])
        if type_text is None:
            raise ValueError(
                f"Parameter {parameter.name} has unsupported type {hints[parameter.name]}. The valid types are Tensor, int, "
                "float, bool, str, int | float | bool, dtype, device, lists of the first four, and each of them | None."
            )
        if mutates(parameter.name, type_text):
            type_text = _written(type_text, parameter.name, index)
        text = f"{type_text} {parameter.name}"
        if parameter.default is not parameter.empty:
            text += "=" + _default_text(parameter.default, parameter.name)
        texts.append(text)
    return ", ".join(texts)


def _returns(annotation: Any) -> str:
    if annotation is None or annotation is type(None):
        return "()"
    entries = typing.get_args(annotation) if typing.get_origin(annotation) is tuple else (annotation,)
    found = [schema_type(entry) for entry in entries]
    valid = ("Tensor",) if len(found) > 1 else ("Tensor", "Tensor[]", "SymInt", "float", "bool", "Scalar")
    if not found or any(entry not in valid for entry in found):
        raise ValueError(
            f"Return has unsupported type {annotation}. An op returns a Tensor, a tuple or list of Tensors, one number, or None."
        )
    texts = [str(entry) for entry in found]
    return texts[0] if len(texts) == 1 else "(" + ", ".join(texts) + ")"


def infer_schema(
    prototype_function: Callable[..., Any],
    /,
    *,
    mutates_args: str | Iterable[str],
    op_name: str | None = None,
) -> str:
    """The schema of a function by its annotations, such as ``"(Tensor x, SymInt y=2) -> Tensor"``.

    Args:
        mutates_args: the names of the arguments that the function writes into; ``"unknown"``: all tensors.
        op_name: put in front of the schema.
    """
    signature = inspect.signature(prototype_function)
    if not isinstance(mutates_args, str):
        mutates_args = tuple(mutates_args)
    elif mutates_args != "unknown":
        raise ValueError(
            "mutates_args must either be a sequence of the names of the arguments that are mutated or the string 'unknown'. "
        )

    def mutates(name: str, type_text: str) -> bool:
        if mutates_args == "unknown":
            return type_text.startswith("Tensor")
        return name in mutates_args

    try:
        hints = typing.get_type_hints(prototype_function)
        if mutates_args != "unknown" and set(mutates_args) - set(signature.parameters):
            raise ValueError(
                f"mutates_args should contain the names of arguments, got {sorted(set(mutates_args) - set(signature.parameters))}."
            )
        parameters = _parameters(signature.parameters.values(), hints, mutates)
        if "return" not in hints:
            raise ValueError("No return type annotation was provided. Please add one.")
        text = f"({parameters}) -> {_returns(hints['return'])}"
    except ValueError as error:
        raise ValueError(f"infer_schema(func): {error} Got func with signature {signature})") from None
    return text if op_name is None else op_name + text
