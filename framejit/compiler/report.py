"""Reports: what ``explain`` found, as text, HTML, JSON and SARIF.

A report is built from the trace events of ``_C.compiler``, one for each trace that was made.
"""

from __future__ import annotations

import html
import json
import linecache
from dataclasses import asdict, dataclass, field
from typing import Any

_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


@dataclass(frozen=True)
class Break:
    """One place where a graph ended before its function did.

    Attributes:
        id: stable identifier of the reason, such as ``tensor_branch``.
        what: what the reason is, in a few words.
        detail: what exactly was met, such as ``print``.
        reason: why the graph has to end there.
        remedy: what to do about it.
        file, line, function, source: the place in the user's code; ``source`` is the text of the line.
    """

    id: str
    what: str
    detail: str
    reason: str
    remedy: str
    file: str
    line: int
    function: str
    source: str

    @staticmethod
    def from_event(event: dict[str, Any]) -> Break:
        entry = event["break"]
        return Break(
            id=entry["id"],
            what=entry["what"],
            detail=entry["detail"],
            reason=entry["why"],
            remedy=entry["remedy"],
            file=entry["file"],
            line=entry["line"],
            function=entry["function"],
            source=linecache.getline(entry["file"], entry["line"]).strip(),
        )

    def __str__(self) -> str:
        detail = f": {self.detail}" if self.detail else ""
        return (
            f"graph break [{self.id}] {self.what}{detail}\n"
            f'  File "{self.file}", line {self.line}, in {self.function}\n'
            f"    {self.source}\n"
            f"  why: {self.reason}\n"
            f"  fix: {self.remedy}"
        )


@dataclass(frozen=True)
class TraceInfo:
    """One piece of a function that was traced.

    Attributes:
        function, file, line: where the piece begins.
        end: how it ends: ``returns``, ``graph_break``, ``branch``, ``loop_step``, ``loop_cut`` or ``fallback``.
        op_count: number of ops in its graph; 0 when there was nothing to compile.
        seconds: time taken to trace and compile it.
        graph, guards: their text.
        recompile_reason: the guard of an earlier trace that failed, if this is a recompilation.
    """

    function: str
    file: str
    line: int
    end: str
    op_count: int
    seconds: float
    graph: str
    guards: str
    recompile_reason: str | None


@dataclass
class ExplainReport:
    """What compiling a function for the given arguments came to; ``str(report)`` is the text form."""

    name: str
    traces: list[TraceInfo] = field(default_factory=list)
    breaks: list[Break] = field(default_factory=list)
    internal_errors: list[str] = field(default_factory=list)

    @staticmethod
    def from_events(name: str, events: list[dict[str, Any]]) -> ExplainReport:
        report = ExplainReport(name)
        for event in events:
            if event["kind"] == "internal_error":
                report.internal_errors.append(event["message"])
            if event["kind"] != "trace":
                continue
            fields = ("function", "file", "line", "end", "op_count", "seconds", "graph", "guards")
            report.traces.append(
                TraceInfo(**{k: event[k] for k in fields}, recompile_reason=event["recompile"])
            )
            if event["break"] is not None and event["break"]["reported"]:
                found = Break.from_event(event)
                if found not in report.breaks:
                    report.breaks.append(found)
        return report

    @property
    def graph_count(self) -> int:
        """Number of graphs: traces with at least one op."""
        return sum(trace.op_count > 0 for trace in self.traces)

    @property
    def graph_break_count(self) -> int:
        return len(self.breaks)

    @property
    def op_count(self) -> int:
        return sum(trace.op_count for trace in self.traces)

    @property
    def seconds(self) -> float:
        """Time taken to trace and compile everything."""
        return sum(trace.seconds for trace in self.traces)

    @property
    def break_reasons(self) -> list[str]:
        """One line for each break: PyTorch's name for it."""
        return [f"{b.what}: {b.detail}" if b.detail else b.what for b in self.breaks]

    @property
    def graphs(self) -> list[str]:
        """The text of each graph."""
        return [trace.graph for trace in self.traces if trace.op_count]

    def _summary(self) -> str:
        return (
            f"{self.name}: {_count(self.graph_count, 'graph')}, {_count(len(self.breaks), 'graph break')}, "
            f"{_count(self.op_count, 'op')}, compiled in {self.seconds * 1e3:.2f} ms"
        )

    def __str__(self) -> str:
        errors = [f"internal error (the program ran without the compiler): {e}" for e in self.internal_errors]
        return "\n\n".join([self._summary(), *map(str, self.breaks), *errors])

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "graph_count": self.graph_count,
            "graph_break_count": self.graph_break_count,
            "op_count": self.op_count,
            "seconds": self.seconds,
            "breaks": [asdict(b) for b in self.breaks],
            "traces": [asdict(t) for t in self.traces],
            "internal_errors": self.internal_errors,
        }

    def to_json(self, indent: int | None = 2) -> str:
        return json.dumps(self.to_dict(), indent=indent)

    def to_sarif(self) -> str:
        """SARIF 2.1.0, one result for each break, for code-scanning tools."""
        rules = {
            b.id: {"id": b.id, "shortDescription": {"text": b.what}, "fullDescription": {"text": b.reason}}
            for b in self.breaks
        }
        results = [
            {
                "ruleId": b.id,
                "level": "warning",
                "message": {"text": f"{b.what}: {b.detail}. {b.reason}. To fix it: {b.remedy}."},
                "locations": [
                    {
                        "physicalLocation": {
                            "artifactLocation": {"uri": b.file},
                            "region": {"startLine": b.line, "snippet": {"text": b.source}},
                        }
                    }
                ],
            }
            for b in self.breaks
        ]
        driver = {
            "name": "framejit",
            "informationUri": "https://pypi.org/project/framejit",
            "rules": list(rules.values()),
        }
        return json.dumps(
            {
                "$schema": _SARIF_SCHEMA,
                "version": "2.1.0",
                "runs": [{"tool": {"driver": driver}, "results": results}],
            },
            indent=2,
        )

    def to_html(self) -> str:
        """One self-contained page."""
        rows = "".join(
            f"<tr><td><code>{html.escape(b.id)}</code></td>"
            f"<td>{html.escape(b.file)}:{b.line}<br><code>{html.escape(b.source)}</code></td>"
            f"<td>{html.escape(b.what)}{': ' if b.detail else ''}{html.escape(b.detail)}<br>"
            f"<small>{html.escape(b.reason)}</small></td><td>{html.escape(b.remedy)}</td></tr>"
            for b in self.breaks
        )
        graphs = "".join(
            f"<details><summary>{html.escape(t.function)}, line {t.line}: {_count(t.op_count, 'op')}, ends with "
            f"{t.end}</summary><pre>{html.escape(t.graph)}</pre></details>"
            for t in self.traces
            if t.op_count
        )
        return (
            "<!doctype html><meta charset='utf-8'><title>framejit: graph breaks</title>"
            "<style>body{font:15px system-ui;margin:2em}td,th{border-bottom:1px solid #ccc;padding:.4em;"
            "text-align:left;vertical-align:top}</style>"
            f"<h1>{html.escape(self._summary())}</h1>"
            "<table><tr><th>id</th><th>place</th><th>what and why</th><th>remedy</th></tr>"
            f"{rows}</table><h2>Graphs</h2>{graphs}"
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
