"""Sorts differences by what they say, with names and numbers left out: one mend often removes a whole class."""

from __future__ import annotations

import re

from .checks import Difference

_REPLACEMENTS = (
    (re.compile(r"gradient \d+: "), ""),
    (
        re.compile(
            r"\b(u?int(8|16|32|64)|b?float(16|32|64)|complex(64|128)|bool|short( int)?|long( int)?|int|(un)?signed char|float|double|c10::\S+)\b"
        ),
        "<dtype>",
    ),
    (
        re.compile(
            r"\b(Short|Long|Int|Char|Byte|Bool|Float|Double|Half|BFloat16|ComplexFloat|ComplexDouble)\b"
        ),
        "<dtype>",
    ),
    (re.compile(r"<dtype>(, <dtype>)+"), "<dtypes>"),
    (re.compile(r"\d+ of \d+ elements .*"), "elements differ"),
    (re.compile(r"[([][-\d., a-zA-Z]*[\d,][-\d., ]*[)\]]"), "<numbers>"),  # shapes, strides
    (re.compile(r"(?<![a-z])[-+]?\d[\d.]*(e[-+]?\d+)?"), "<n>"),
    (re.compile(r"'[^']*'"), "<name>"),
)


def message_class(difference: Difference) -> str:
    text = difference.text.splitlines()[0] if difference.text else ""
    name = (
        difference.op.split(".")[-1] if "." not in difference.op else ".".join(difference.op.split(".")[:2])
    )
    for word in (difference.op, name, name.split(".")[-1], name.split(".")[0]):
        text = re.sub(rf"\b{re.escape(word)}_?\b", "<op>", text)
    for pattern, replacement in _REPLACEMENTS:
        text = pattern.sub(replacement, text)
    return f"{difference.form} {difference.kind}: {text}"
