"""Backward functions: each formula unpacks what it names, and nothing else."""

import re

import text
import typed
from table import Formula, Row, Table

_GETTERS = {"SymInt": "sym_int()", "double": "real()", "bool": "boolean()", "std::string": "string()",
            "DType": "dtype()", "Device": "device()", "Dims": "dims()", "std::vector<double>": "real_list()",
            "std::vector<bool>": "bool_list()", "Tensor": "tensor()", "std::vector<Tensor>": "tensor_list()"}  # fmt: skip


def function_name(row: Row) -> str:
    return f"differentiate_{row.signature.identifier}"


def _unpack(row: Row, index: int) -> str:
    name = row.signature.arguments[index].name
    kind = typed.variable_type(row, index)
    saved = f"context.arg({index})"
    if kind == "Value":
        wrapped = "NumberOrTensor" if row.signature.arguments[index].is_tensor else "Value"
        return f"    const {wrapped} {name} = {saved};\n"
    optional = re.match(r"std::optional<(.*)>$", kind)
    if not optional:
        return f"    const {kind} {name} = {saved}.{_GETTERS[kind]};\n"
    inner = optional[1]
    return (
        f"    const Value {name}_value = {saved};\n"
        f"    const {kind} {name} = {name}_value.is_none() ? {kind}() : {kind}({name}_value.{_GETTERS[inner]});\n"
    )


def _formula(row: Row, formula: Formula) -> str:
    needs = [f"context.needs({argument})" for argument in formula.arguments]
    lines = [f"  if ({' || '.join(needs)}) {{\n"]
    if re.search(r"\bgrad\b", formula.code):
        lines.append("    const Tensor grad = context.grad(0);\n")
    if re.search(r"\bgrads\b", formula.code):
        lines.append("    const auto& grads = context.grads();\n")
    lines += [_unpack(row, index) for index in sorted(formula.saved + formula.saved_meta)]
    if re.search(r"\bresult\b", formula.code):
        lines.append("    const Tensor result = context.result(0);\n")
    if re.search(r"\bresults\b", formula.code):
        lines.append(f"    Tensor results[{len(row.signature.results)}];\n")
        lines += [f"    results[{i}] = context.result({i});\n" for i in formula.saved_results]
    if len(needs) == 1:
        lines.append(f"    context.set({formula.arguments[0]}, {formula.code});\n")
    else:
        lines.append(f"    const std::array<bool, {len(needs)}> needed{{{', '.join(needs)}}};\n")
        lines.append(f"    const auto gradients = {formula.code};\n")
        lines += [
            f"    if (needed[{i}]) context.set({argument}, gradients[{i}]);\n"
            for i, argument in enumerate(formula.arguments)
        ]
    return "".join(lines) + "  }\n"


def _function(row: Row) -> str:
    body = "".join(_formula(row, formula) for formula in row.formulas)
    return f"void {function_name(row)}(BackwardContext& context) {{\n{body}}}\n"


def source(table: Table, homes: dict[str, str]) -> str:
    """``homes``: of each op function, the table whose header declares it."""
    rows = [row for row in table.rows if row.formulas]
    called = re.findall(r"\b\w+(?=\()", " ".join(formula.code for row in rows for formula in row.formulas))
    declarations = "".join(f"void {function_name(row)}(BackwardContext& context);\n" for row in rows)
    return f"""{text.banner(table.name)}#include "eager/autograd/backward_context.h"
#include "eager/autograd/formulas.h"
#include "eager/operators.h"
#if __has_include("eager/autograd/{table.name}_formulas.h")
#include "eager/autograd/{table.name}_formulas.h"
#endif
{typed.includes({homes[name] for name in called if name in homes})}
namespace framejit::eager::ops {{

{declarations}
{chr(10).join(_function(row) for row in rows)}
}}  // namespace framejit::eager::ops
"""
