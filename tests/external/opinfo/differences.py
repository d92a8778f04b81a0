"""The table of explained differences (``differences.toml``): which rows explain what, and which no longer do."""

from __future__ import annotations

import dataclasses
import fnmatch
import re
import tomllib
from pathlib import Path

from .checks import Difference

PATH = Path(__file__).with_name("differences.toml")


@dataclasses.dataclass
class Explanation:
    """A row: patterns (``*`` for any text) of op, dtype, form and kind, a regular expression that the text must contain, a reason.

    ``rare``: the fixed subset of test_opinfo.py need not meet it.
    """

    reason: str
    ops: list[str]
    forms: list[str] = dataclasses.field(default_factory=lambda: ["*"])
    kinds: list[str] = dataclasses.field(default_factory=lambda: ["*"])
    dtypes: list[str] = dataclasses.field(default_factory=lambda: ["*"])
    text: str = ""
    rare: bool = False
    used_for: set[str] = dataclasses.field(default_factory=set)  # op patterns

    def explains(self, difference: Difference) -> bool:
        patterns = [pattern for pattern in self.ops if fnmatch.fnmatchcase(difference.op, pattern)]
        if not patterns:
            return False
        pairs = (
            (self.forms, difference.form),
            (self.kinds, difference.kind),
            (self.dtypes, difference.dtype),
        )
        if not all(
            any(fnmatch.fnmatchcase(value, pattern) for pattern in allowed) for allowed, value in pairs
        ):
            return False
        if not re.search(self.text, f"{difference.text}\n{difference.sample}"):
            return False
        self.used_for.update(patterns)
        return True


class Explanations:
    def __init__(self, path: Path = PATH) -> None:
        with path.open("rb") as file:
            self.rows = [Explanation(**row) for row in tomllib.load(file).get("difference", [])]

    def explain(self, difference: Difference) -> Explanation | None:
        """The first row that explains it; every row that does is marked as used."""
        rows = [row for row in self.rows if row.explains(difference)]
        return rows[0] if rows else None

    def unused_rows(self) -> list[str]:
        """Rows that explained nothing since the table was read, but for rare ones."""
        return [f"{row.ops}: {row.reason}" for row in self.rows if not row.used_for and not row.rare]

    def unused(self) -> list[str]:
        """Rows, or ops of rows, that explained nothing since the table was read."""
        return [
            f"{pattern}: {row.reason}"
            for row in self.rows
            for pattern in row.ops
            if pattern not in row.used_for
        ]
