"""Registration: one RowSpec per row, in table order; eager/op.cc turns them into `Op`s and derives in-place and out rows."""

import derivatives
import text
from table import Formula, Row, Table


def _functions(table: Table) -> str:
    """Declarations of the C++ functions that rows name."""
    kinds = {
        "meta": "void {}(const Op& op, const Value* args, std::vector<TensorMeta>& results);",
        "kernel": "void {}(const Op& op, const Value* args, Value* results);",
        "inplace_kernel": "void {}(const Op& op, const Value* args, Value* results);",
        "composite": "void {}(const Value* args, Value* results);",
        "decompose": "void {}(const Value* args, Value* results);",
    }
    lines = set()
    for row in table.rows:
        lines |= {form.format(getattr(row, kind)) for kind, form in kinds.items() if getattr(row, kind)}
    return "\n".join(sorted(lines))


def _formula(formula: Formula) -> str:
    saved, meta, results = (text.mask(part) for part in (formula.saved, formula.saved_meta, formula.saved_results))
    return ", ".join(f"{{{argument}, {saved}, {meta}, {results}}}" for argument in formula.arguments)


def _pointer(name: str) -> str:
    return f"&{name}" if name else "nullptr"


def _strings(values: list[str]) -> str:
    return "{" + ", ".join(text.quote(value) for value in values) + "}"


def _row(row: Row) -> str:
    backward = f"&ops::{derivatives.function_name(row)}" if row.formulas else "nullptr"
    fields = {
        "schema": text.quote(row.signature.text),
        "kind": f"OpKind::{row.kind}",
        "dtype_rule": f"DTypeRule::{row.dtypes}",
        "autocast": f"AutocastRule::{row.autocast}",
        "operand_count": str(row.operand_count),
        "unpromoted": text.mask(row.unpromoted),
        "params": "{" + ", ".join(map(str, row.params)) + "}",
        "fixed_ints": text.mask(row.fixed_ints),
        "wraps_numbers": str(row.wrap).lower(),
        "derive_inplace": str(row.derive_inplace).lower(),
        "derive_out": str(row.derive_out).lower(),
        "meta": _pointer(row.meta),
        "kernel": _pointer(row.kernel),
        "inplace_kernel": _pointer(row.inplace_kernel),
        "composite": _pointer(row.composite),
        "decompose": _pointer(row.decompose),
        "backward": backward,
        "formulas": "{" + ", ".join(map(_formula, row.formulas)) + "}",
        "analytic": str(row.analytic).lower(),
        "doc": text.quote(row.doc),
        "is_function": str(row.is_function).lower(),
        "is_method": str(row.is_method).lower(),
        "aliases": _strings(row.aliases),
        "python_module": text.quote(row.module),
    }
    inside = "".join(f"      .{name} = {value},\n" for name, value in fields.items())
    return f"  rows.push_back({{\n{inside}  }});\n"


def source(table: Table) -> str:
    backward = "".join(
        f"void {derivatives.function_name(row)}(BackwardContext& context);\n" for row in table.rows if row.formulas
    )
    return f"""{text.banner(table.name)}#include "eager/row_spec.h"

namespace framejit::eager {{

{_functions(table)}
namespace ops {{
{backward}}}

void add_rows_{table.name}(std::vector<RowSpec>& rows);
void add_rows_{table.name}(std::vector<RowSpec>& rows) {{
{''.join(map(_row, table.rows))}}}

}}  // namespace framejit::eager
"""


def index(tables: list[Table]) -> str:
    declarations = "".join(f"void add_rows_{table.name}(std::vector<RowSpec>& rows);\n" for table in tables)
    calls = "".join(f"  add_rows_{table.name}(rows);\n" for table in tables)
    return f"""{text.banner('*')}#include "eager/row_spec.h"

namespace framejit::eager {{

{declarations}
std::vector<RowSpec> table_rows() {{
  std::vector<RowSpec> rows;
{calls}  return rows;
}}

}}  // namespace framejit::eager
"""
