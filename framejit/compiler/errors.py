"""What the compiler raises and warns with. All other exceptions are the program's own."""

from __future__ import annotations

import logging
from typing import Any

from framejit.compiler.report import Break


class GraphBreakError(RuntimeError):
    """Raised under ``fullgraph=True`` where a graph would end; nothing of the program has run.

    Attributes:
        graph_break: the break, as :func:`framejit.explain` reports it.
    """

    def __init__(self, graph_break: Break) -> None:
        super().__init__(f"fullgraph=True, but the function does not compile to one graph.\n{graph_break}")
        self.graph_break = graph_break


class NotCompiledError(RuntimeError):
    """Raised under ``fullgraph=True`` where a call would run without the compiler; nothing of the program has run."""

    def __init__(self, function: str, why: str) -> None:
        super().__init__(f"fullgraph=True, but {function} would run without the compiler: {why}")


class RecompileLimitWarning(UserWarning):
    """A function was compiled ``cache_size_limit`` times; further kinds of arguments run without the compiler."""


class BackendCompilerError(RuntimeError):
    """A backend raised, or returned something that is not callable."""


internal_error_count = 0  # of this process, for our tests


def log_internal_error(event: dict[str, Any]) -> None:
    """Says once for each place that the compiler failed there; called from the C side. The program runs on without it."""
    global internal_error_count
    internal_error_count += 1
    logging.getLogger("framejit").error(
        "internal error while compiling %s (%s:%s): %s\nIt runs without the compiler. Please report this with the function "
        "and the output of `python -m framejit env`.",
        *(event[key] for key in ("function", "file", "line", "message")),
    )


def graph_break_error(event: dict[str, Any]) -> GraphBreakError:
    """The exception for a trace event with a break; called from the C side."""
    return GraphBreakError(Break.from_event(event))
