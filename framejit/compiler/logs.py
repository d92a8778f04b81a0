"""``FRAMEJIT_LOGS=graph_breaks,recompiles,...``: what the compiler does, through Python's ``logging``.

Each kind is a logger ``framejit.<kind>``; naming it in the variable sets it to DEBUG with a handler on stderr. The kinds
of STAGES are printed to stderr by the compiler's own stages, as they run.
"""

from __future__ import annotations

import logging
import os
from typing import Any

from framejit._C import compiler as _compiler
from framejit.compiler.report import Break

#: kind -> what it shows
KINDS = {
    "graph_breaks": "every graph break with place, reason and remedy",
    "recompiles": "the guard that failed, for every recompilation",
    "guards": "the guard program of every trace",
    "graph": "the graph of every trace, as recorded",
    "trace": "every trace: prelude, graph, epilogue, end",
    "perf": "time taken to trace and compile",
    "aot": "what each stage of differentiating and simplifying a graph made, with its time",
    "loops": "the loops that a graph was lowered to, before and after fusion",
    "kernels": "the programs of precompiled kernels made of the loops",
}
STAGES = ("aot", "loops", "kernels")
log = {kind: logging.getLogger(f"framejit.{kind}") for kind in KINDS if kind not in STAGES}


def parse(setting: str) -> list[str]:
    """The kinds named in a setting such as ``"graph_breaks,guards"``; ``"all"`` names every one.

    Raises:
        ValueError: a kind is not known.
    """
    names = [name.strip() for name in setting.split(",") if name.strip()]
    unknown = [name for name in names if name not in KINDS and name != "all"]
    if unknown:
        raise ValueError(
            f"FRAMEJIT_LOGS: got {', '.join(unknown)}, expected a list of {', '.join(KINDS)} or all"
        )
    return list(KINDS) if "all" in names else names


def set_logs(*kinds: str) -> None:
    """Turns these kinds on, and all others off."""
    wanted = parse(",".join(kinds))
    _compiler.set_stage_logs(**{kind: kind in wanted for kind in STAGES})
    for kind, logger in log.items():
        logger.setLevel(logging.DEBUG if kind in wanted else logging.WARNING)
        if kind in wanted and not logger.handlers:
            handler = logging.StreamHandler()
            handler.setFormatter(logging.Formatter("[%(name)s] %(message)s"))
            logger.addHandler(handler)


def enabled() -> bool:
    return any(logger.isEnabledFor(logging.DEBUG) for logger in log.values())


def emit(event: dict[str, Any]) -> None:
    """Logs one trace event."""
    if event["kind"] != "trace":
        return
    place = f"{event['function']} ({event['file']}:{event['line']})"
    if event["break"] is not None and event["break"]["reported"]:
        log["graph_breaks"].debug("%s", Break.from_event(event))
    if event["recompile"]:
        log["recompiles"].debug("%s recompiled: %s", place, event["recompile"])
    log["guards"].debug("%s\n%s", place, event["guards"])
    if event["op_count"]:
        log["graph"].debug("%s\n%s", place, event["graph"])
    log["trace"].debug("%s\n%s", place, event["trace"])
    log["perf"].debug("%s: %d ops in %.3f ms", place, event["op_count"], event["seconds"] * 1e3)


def from_environment() -> None:
    setting = os.environ.get("FRAMEJIT_LOGS", "")
    if setting:
        set_logs(*parse(setting))
