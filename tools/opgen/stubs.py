"""Type stubs of framejit._C: one function or overload set per name of the op table, one file per Python module of rows.

What is not in the op table (dtype, device, properties of Tensor, ...) is written by hand in stub_head.pyi.in (module level)
and stub_tensor.pyi.in (body of class Tensor); `python -m mypy.stubtest framejit._C` compares the result with the extension.
"""

import collections
import pathlib
import re
from collections.abc import Iterable

import table

HERE = pathlib.Path(__file__).parent
TYPES = {"Tensor": "Tensor", "int": "int", "float": "float", "bool": "bool", "Scalar": "Number", "str": "str",
         "ScalarType": "dtype", "Device": "DeviceLike", "Generator": "Generator"}  # fmt: skip
KEYWORDS = {"from", "lambda", "is", "in", "not", "def", "class"}


def _type(row: table.Row, index: int) -> str:
    argument = row.signature.arguments[index]
    text = TYPES[argument.base]
    if row.takes_number(index):
        text = "Tensor | Number"
    if argument.is_list:
        # `int[1] dim` takes a single int too, `int[] size` does not.
        single = re.search(rf"\[\d+\]\??\s+{argument.name}\b", row.signature.text)
        text = f"Sequence[{text}]" + (f" | {text}" if single and argument.base != "Tensor" else "")
    return text + " | None" if argument.optional else text


def _keyword_only(row: table.Row) -> set[str]:
    """Names after the `*` of the schema."""
    inside = row.signature.text[row.signature.text.index("(") + 1 : row.signature.text.rindex(") ->")]
    _, star, after = inside.partition("*, ")
    return set(re.findall(r"(\w+)(?:=[^,]*)?(?:,|$)", after)) if star else set()


def _result(row: table.Row) -> str:
    results = row.signature.results
    types = ["Tensor" if r == "Tensor" else _result_type(r) for r in results]
    return "None" if not types else types[0] if len(types) == 1 else f"tuple[{', '.join(types)}]"


def _result_type(text: str) -> str:
    base = text.rstrip("[]").replace("SymInt", "int")
    return f"tuple[{TYPES[base]}, ...]" if text.endswith("[]") else TYPES[base]


def _parameters(row: table.Row, method: bool) -> list[str]:
    keyword_only, parameters, starred = _keyword_only(row), [], False
    for index, argument in enumerate(row.signature.arguments):
        if method and index == 0:
            parameters.append("self")
            continue
        if argument.name in keyword_only and not starred:
            parameters.append("*")
            starred = True
        name = "input" if argument.name == "self" else argument.name
        default = " = ..." if argument.default is not None else ""
        parameters.append(f"{name}: {_type(row, index)}{default}")
    if row.derive_out and not method and row.signature.results == ["Tensor"]:
        parameters += ([] if starred else ["*"]) + ["out: Tensor | None = ..."]
        starred = True
    if not method and _is_factory(row):
        parameters += ([] if starred else ["*"]) + ["requires_grad: bool = ..."]
    return parameters


def _is_factory(row: table.Row) -> bool:
    names = {argument.name for argument in row.signature.arguments}
    return {"dtype", "device"} <= names and row.kind in ("creation", "random", "composite")


def _forms(row: table.Row, method: bool) -> list[str]:
    """Parameter lists of a row: more than one where ints may be spread, `x.view(2, 3)`."""
    parameters = _parameters(row, method)
    forms = [", ".join(parameters)]
    first = 1 if method else 0
    keyword_only = _keyword_only(row)
    positional = [a for a in row.signature.arguments if a.name not in keyword_only]
    if len(positional) == first + 1 and positional[first].is_list and positional[first].base == "int":
        rest = [p for p in parameters[first + 1 :] if p != "*"]
        forms.append(", ".join([*parameters[:first], f"*{positional[first].name}: int", *rest]))
    return forms


def _functions(rows: Iterable[tuple[str, table.Row]], method: bool) -> list[str]:
    by_name: dict[str, list[table.Row]] = collections.defaultdict(list)
    for name, row in rows:
        by_name[name].append(row)
    lines = []
    for name, group in sorted(by_name.items()):
        if name in KEYWORDS:
            continue
        forms = list(dict.fromkeys((form, _result(row)) for row in group for form in _forms(row, method)))
        for form, result in forms:
            lines += ["@overload"] if len(forms) > 1 else []
            # Overloads are tried in order at run time, so an earlier one may well cover a later one.
            lines.append(f"def {name}({form}) -> {result}: ...")
    return lines


def _named(rows: Iterable[table.Row], inplace: bool) -> Iterable[tuple[str, table.Row]]:
    for row in rows:
        for name in (row.signature.name, *row.aliases):
            yield name, row
            if inplace and row.derive_inplace:
                yield name + "_", row


def _fill(template: str, lines: list[str], indent: str = "") -> str:
    body = "\n".join(indent + line for line in lines)
    return (HERE / template).read_text().replace(indent + "# (op table)\n", body + "\n")


def files(tables: list[table.Table]) -> dict[str, str]:
    rows = [row for one in tables for row in one.rows]
    methods = _functions(_named((r for r in rows if r.is_method), inplace=True), method=True)
    functions = _functions(_named((r for r in rows if r.is_function and not r.module), inplace=True), method=False)
    tensor = _fill("stub_tensor.pyi.in", methods, indent="    ")
    result = {"python/_C/__init__.pyi": _fill("stub_head.pyi.in", [*tensor.splitlines(), "", *functions])}
    for module in sorted({row.module for row in rows if row.module}):
        inside = (row for row in rows if row.module == module and row.is_function)
        head = ["from collections.abc import Sequence", "from typing import overload", ""]
        head += ["from framejit._C import DeviceLike, Generator, Number, Tensor, dtype", ""]
        text = "\n".join([*head, *_functions(_named(inside, inplace=True), method=False)])
        result[f"python/_C/{module.replace('.', '_')}.pyi"] = text + "\n"
    return result
