"""Type stubs of the extension module framejit._C: op functions by Python module, and the methods of Tensor.

What is not an op (dtype, device, Tensor's other methods, ...) is written by hand in framejit/bindings/_C.pyi.in.
"""

import keyword

import text
from schema import Argument
from table import Row, Table

_TYPES = {"int": "_int", "float": "_float", "bool": "_bool", "Scalar": "Number", "str": "_str", "ScalarType": "_dtype",
          "Device": "_device | _str", "Generator": "Generator", "Tensor": "Tensor"}  # fmt: skip
_RESULTS = {"Tensor": "Tensor", "Tensor[]": "tuple[Tensor, ...]", "Scalar": "Number", "bool": "_bool"}
_HEAD = "from collections.abc import Sequence\nfrom typing import overload\n\n"
_NAMES = "from framejit._C import Generator, Number, Tensor, _bool, _device, _dtype, _float, _int, _str\n"


def _annotation(row: Row, index: int) -> str:
    argument = row.signature.arguments[index]
    kind = _TYPES[argument.base]
    if argument.is_list:
        inner = "Tensor | None" if argument.is_tensor and argument.optional else kind
        kind = f"Sequence[{inner}]"
        if argument.base == "int" and argument.accepts_one:
            kind = f"_int | {kind}"
    elif row.wrap and argument.is_tensor:
        kind = "Tensor | Number"
    optional = argument.optional and not (argument.is_list and argument.is_tensor)
    return f"{kind} | None" if optional else kind


def _name(argument: Argument) -> str:
    name = "input" if argument.name == "self" else argument.name
    return name + "_" if keyword.iskeyword(name) else name


def _parameters(row: Row, first: int) -> str:
    parts = []
    for index, argument in enumerate(row.signature.arguments):
        if index < first:
            continue
        if argument.keyword_only and "*" not in parts:
            parts.append("*")
        default = "" if argument.default is None and not (argument.optional and argument.keyword_only) else " = ..."
        parts.append(f"{_name(argument)}: {_annotation(row, index)}{default}")
    return ", ".join(parts)


def _extra_keywords(row: Row) -> list[str]:
    names = {argument.name for argument in row.signature.arguments}
    extra = ["out: Tensor | None = ..."] if row.derive_out else []
    if {"dtype", "device"} <= names:
        extra.append("requires_grad: _bool = ...")
    return extra


def _result(row: Row, is_inplace: bool) -> str:
    results = ["Tensor"] if is_inplace else row.signature.results
    if not results:
        return "None"
    types = [_RESULTS[result] for result in results]
    return types[0] if len(types) == 1 else f"tuple[{', '.join(types)}]"


def _function(row: Row, name: str) -> list[str]:
    parameters = _parameters(row, 0)
    extra = _extra_keywords(row)
    if extra and "*" not in parameters.split(", "):
        extra.insert(0, "*")
    lines = [f"def {name}({', '.join([parameters, *extra] if parameters else extra)}) -> {_result(row, False)}: ..."]
    return lines + _spread(row, name, 0)


def _method(row: Row, name: str, is_inplace: bool) -> list[str]:
    parameters = _parameters(row, 1)
    head = f"self, {parameters}" if parameters else "self"
    lines = [f"def {name}({head}) -> {_result(row, is_inplace)}: ..."]
    return lines + _spread(row, name, 1)


def _spread(row: Row, name: str, first: int) -> list[str]:
    """The overload `x.view(2, 3)` of a row whose only positional argument is a list of ints."""
    positional = [a for a in row.signature.arguments[first:] if not a.keyword_only]
    if len(positional) != 1 or not positional[0].is_list or positional[0].base != "int":
        return []
    keywords = _parameters(row, first + 1)
    rest = f", {keywords.removeprefix('*, ')}" if keywords else ""
    head = "self, " if first else ""
    return [f"def {name}({head}*{_name(positional[0])}: _int{rest}) -> {_result(row, False)}: ..."]


def _with_overloads(definitions: dict[str, list[str]], indent: str = "") -> str:
    lines = []
    for _, forms in sorted(definitions.items()):
        for form in forms:
            lines += [f"{indent}@overload"] if len(forms) > 1 else []
            lines.append(indent + form)
    return "\n".join(lines) + "\n"


def _all_rows(tables: list[Table]) -> list[Row]:
    return [row for table in tables for row in table.rows]


def _modules(tables: list[Table]) -> dict[str, dict[str, list[str]]]:
    modules: dict[str, dict[str, list[str]]] = {}
    for row in _all_rows(tables):
        if row.is_function:
            functions = modules.setdefault(row.module.replace(".", "_") or "ops", {})
            for name in (row.signature.name, *row.aliases):
                public = row.python_name(name)
                functions.setdefault(public, []).extend(_function(row, public))
    return modules


def _methods(tables: list[Table]) -> str:
    methods: dict[str, list[str]] = {}
    for row in _all_rows(tables):
        for name in (row.signature.name, *row.aliases):
            if row.is_method:
                methods.setdefault(name, []).extend(_method(row, name, False))
            if row.derive_inplace:
                methods.setdefault(name + "_", []).extend(_method(row, name + "_", True)[:1])
    return _with_overloads(methods, "    ")


def outputs(tables: list[Table], template: str) -> dict[str, str]:
    """The stub files, by path inside the package folder."""
    banner = text.banner("*").replace("//", "#")
    marker = "    # {methods of the op table}\n"
    if template.count(marker) != 1:
        raise ValueError(f"_C.pyi.in must hold the line {marker!r} once")
    files = {"_C/__init__.pyi": banner + template.replace(marker, _methods(tables))}
    for module, functions in _modules(tables).items():
        files[f"_C/{module}.pyi"] = banner + _HEAD + _NAMES + "\n" + _with_overloads(functions)
    return files
