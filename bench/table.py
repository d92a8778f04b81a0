"""One line of results: seconds per competitor, and the demands it is held against."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from timing import show


@dataclass(frozen=True)
class Demand:
    what: str  # "us per call", "x faster than torch.compile"
    got: float
    wanted: float
    at_most: bool  # else at least

    @property
    def met(self) -> bool:
        return self.got <= self.wanted if self.at_most else self.got >= self.wanted

    def __str__(self) -> str:
        sign = "<=" if self.at_most else ">="
        return f"{self.got:.3g} {self.what} (wanted {sign} {self.wanted:g}): {'ok' if self.met else 'MISSED'}"


@dataclass
class Row:
    name: str
    values: dict[str, float]  # competitor -> seconds, or instructions where `unit` says so
    demands: list[Demand] = field(default_factory=list)
    unit: str = "seconds"

    @property
    def missed(self) -> bool:
        return any(not demand.met for demand in self.demands)

    def ratio(self, slower: str, faster: str, wanted: float) -> None:
        """Demand that `faster` is at least `wanted` times as fast; silent where the competitor is not installed."""
        if slower in self.values and faster in self.values:
            got = self.values[slower] / self.values[faster]
            self.demands.append(Demand(f"x as fast as {slower}", got, wanted, at_most=False))

    def limit(self, what: str, got: float, wanted: float) -> None:
        self.demands.append(Demand(what, got, wanted, at_most=True))

    def as_dict(self) -> dict[str, Any]:
        demands = [{"what": d.what, "got": d.got, "wanted": d.wanted, "met": d.met} for d in self.demands]
        return {"name": self.name, "unit": self.unit, "values": self.values, "demands": demands}


def print_rows(rows: list[Row], header: bool = True, name_width: int = 0) -> None:
    if not rows:
        return
    columns = list(dict.fromkeys(name for row in rows for name in row.values))
    first = max(name_width, *(len(row.name) for row in rows))
    widths = {name: max(len(name), 9) for name in columns}
    if header:
        print(f"  {'':{first}}  " + "  ".join(f"{name:>{widths[name]}}" for name in columns))
    for row in rows:
        cells = [_cell(row, name) for name in columns]
        line = "  ".join(f"{cell:>{widths[name]}}" for cell, name in zip(cells, columns, strict=True))
        print(f"  {row.name:{first}}  {line}  {'; '.join(map(str, row.demands))}", flush=True)


def _cell(row: Row, name: str) -> str:
    if name not in row.values:
        return "-"
    return show(row.values[name]) if row.unit == "seconds" else f"{row.values[name]:.1f}"
