"""The page `docs/ops.md` of the build folder: every row of the op table with what it does."""

import table


def _call(row: table.Row, name: str) -> str:
    """As Python spells it: `fj.sum(Tensor input, ...)` or, for rows that are methods only, `Tensor.view(...)`."""
    where = "fj." + (row.module + "." if row.module else "") if row.is_function else "Tensor."
    text = row.signature.text
    name = row.python_name(name) if row.is_function else name
    return f"{where}{name}{text[text.index('(') :]}"


def _notes(row: table.Row) -> str:
    notes = []
    if row.derive_inplace:
        notes.append(f"in place: `{row.signature.name}_`")
    if row.formulas:
        names = ", ".join(f"`{row.signature.arguments[i].name}`" for f in row.formulas for i in f.arguments)
        notes.append(f"differentiable in {names}")
    if row.aliases:
        notes.append("also " + ", ".join(f"`{alias}`" for alias in row.aliases))
    return "; ".join(notes)


def page(tables: list[table.Table]) -> str:
    lines = ["# Ops", "", "Made from `eager/ops/*.toml` by `tools/opgen`.", ""]
    for one in tables:
        lines += [f"## {one.name.replace('_', ' ').capitalize()}", ""]
        for row in one.rows:
            if not row.is_function and not row.is_method:
                continue
            notes = _notes(row)
            lines.append(f"- `{_call(row, row.signature.name)}`  ")
            lines.append(f"  {row.doc}" + (f" ({notes})" if notes else ""))
        lines.append("")
    return "\n".join(lines)
