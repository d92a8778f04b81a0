"""Typed C++ functions over the boxed calls: `Tensor ops::mul(const Value& self, const Value& other)`."""

import re
from collections.abc import Iterable

import text
from table import Row, Table

_PLAIN = {"int": "SymInt", "float": "double", "bool": "bool", "str": "const std::string&", "ScalarType": "DType",
          "Device": "Device"}  # fmt: skip
_LISTS = {"Tensor": "const std::vector<Tensor>&", "int": "const Dims&", "float": "const std::vector<double>&",
          "bool": "const std::vector<bool>&"}  # fmt: skip


def parameter_type(row: Row, index: int) -> str:
    """C++ type of an argument, as a parameter. Optional numbers, dtypes, ... are std::optional."""
    argument = row.signature.arguments[index]
    if argument.is_list:
        base = _LISTS[argument.base]
    elif argument.base == "Tensor":
        return "const Value&" if row.takes_number(index) else "const Tensor&"
    elif argument.base in ("Scalar", "Generator"):
        return "const Value&"
    else:
        base = _PLAIN[argument.base]
    if not argument.optional or (argument.is_tensor and argument.is_list):
        return base
    value = re.sub(r"^const (.*)&$", r"\1", base)
    return f"const std::optional<{value}>&"


def variable_type(row: Row, index: int) -> str:
    return re.sub(r"^const (.*)&$", r"\1", parameter_type(row, index))


def _default(row: Row, index: int) -> str:
    argument = row.signature.arguments[index]
    if argument.default is None:
        return ""
    kind = variable_type(row, index)
    if argument.default == "None":
        return " = {}" if kind in ("Tensor", "Value") else " = std::nullopt"
    value = argument.default.replace("'", '"').replace("True", "true").replace("False", "false")
    value = value.replace("inf", "std::numeric_limits<double>::infinity()")
    if argument.is_list:
        count = 1 if not value.startswith("[") else 0
        value = f"{kind}{{{value}}}" if count else f"{kind}{{{value[1:-1]}}}"
    elif kind == "Value":
        value = f"Value({value})"
    return f" = {value}"


def result_type(row: Row) -> str:
    results = row.signature.results
    if not results:
        return "void"
    types = {"Tensor": "Tensor", "Tensor[]": "std::vector<Tensor>"}
    if len(results) == 1:
        return types.get(results[0], "Value")
    return f"std::array<Tensor, {len(results)}>"


def _parameters(row: Row, with_defaults: bool) -> str:
    parts = []
    names = row.signature.arguments
    for index, argument in enumerate(names):
        trailing = all(later.default is not None for later in names[index:])
        default = _default(row, index) if with_defaults and trailing else ""
        parts.append(f"{parameter_type(row, index)} {argument.name}{default}")
    return ", ".join(parts)


def _boxed(row: Row, index: int) -> str:
    argument = row.signature.arguments[index]
    if "optional" in parameter_type(row, index):
        return f"boxed({argument.name})"
    return f"Value({argument.name})"


def _unboxed(row: Row) -> str:
    results = row.signature.results
    if not results:
        return ""
    if len(results) > 1:
        return "  return {" + ", ".join(f"results[{i}].take_tensor()" for i in range(len(results))) + "};\n"
    get = {"Tensor": "results[0].take_tensor()", "Tensor[]": "results[0].tensor_list()"}
    return f"  return {get.get(results[0], 'std::move(results[0])')};\n"


def _definition(row: Row) -> str:
    signature = row.signature
    boxed = ", ".join(_boxed(row, i) for i in range(len(signature.arguments)))
    arguments = f"  const Value args[] = {{{boxed}}};\n" if boxed else "  const Value* args = nullptr;\n"
    count = max(1, len(signature.results))
    return f"""{result_type(row)} {signature.name}({_parameters(row, False)}) {{
  static const Op& op = get_op({text.quote(signature.full_name)});
{arguments}  Value results[{count}];
  call(op, args, results);
{_unboxed(row)}}}
"""


def _inplace(row: Row) -> tuple[str, str]:
    """Declaration and definition of the derived in-place function."""
    signature = row.signature
    rest = _parameters(row, True).split(", ", 1)
    rest_plain = _parameters(row, False).split(", ", 1)
    head = f"Tensor {signature.name}_(const Tensor& self"
    boxed = ", ".join(["Value(self)"] + [_boxed(row, i) for i in range(1, len(signature.arguments))])
    overload = f".{signature.overload}" if signature.overload else ""
    definition = f"""{head}{', ' + rest_plain[1] if len(rest_plain) > 1 else ''}) {{
  static const Op& op = get_op("{signature.name}_{overload}");
  const Value args[] = {{{boxed}}};
  Value results[1];
  call(op, args, results);
  return results[0].take_tensor();
}}
"""
    return f"FRAMEJIT_API {head}{', ' + rest[1] if len(rest) > 1 else ''});\n", definition


def header(table: Table) -> str:
    """Declarations of one table's functions."""
    lines = []
    for row in table.rows:
        lines.append(f"FRAMEJIT_API {result_type(row)} {row.signature.name}({_parameters(row, True)});\n")
        if row.derive_inplace:
            lines.append(_inplace(row)[0])
    return f"""{text.banner(table.name)}#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "eager/dispatch.h"

namespace framejit::eager::ops {{

{''.join(lines)}
}}  // namespace framejit::eager::ops
"""


def umbrella(tables: list[Table]) -> str:
    return f"{text.banner('*')}#pragma once\n\n{includes([table.name for table in tables])}"


def includes(names: Iterable[str]) -> str:
    return "".join(f'#include "generated/ops/{name}.h"\n' for name in sorted(names))


def homes(tables: list[Table]) -> dict[str, str]:
    """The table whose header declares a function, by the function's name."""
    names = {}
    for table in tables:
        for row in table.rows:
            names[row.signature.name] = names[f"{row.signature.name}_"] = table.name
    return names


def source(table: Table) -> str:
    definitions = []
    for row in table.rows:
        definitions.append(_definition(row))
        if row.derive_inplace:
            definitions.append(_inplace(row)[1])
    return f"""{text.banner(table.name)}{includes([table.name])}
namespace framejit::eager::ops {{

namespace {{
template <class T>
[[maybe_unused]] Value boxed(const std::optional<T>& value) {{
  return value ? Value(*value) : Value();
}}
}}  // namespace

{chr(10).join(definitions)}
}}  // namespace framejit::eager::ops
"""
