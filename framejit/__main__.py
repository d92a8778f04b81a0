"""``python -m framejit``: what the compiler does to a program, from the command line.

python -m framejit explain train.py --epochs 1      every graph break of a program, with place, reason, remedy
python -m framejit check train.py                   the same, and exit status 1 if there is one
python -m framejit env                              versions and machine, for bug reports
"""

from __future__ import annotations

import argparse
import platform
import runpy
import sys
from collections.abc import Callable
from typing import Any

import framejit as fj
from framejit.compiler.api import _listening
from framejit.compiler.report import ExplainReport

FORMATS: dict[str, Callable[[ExplainReport], str]] = {
    "text": str,
    "json": ExplainReport.to_json,
    "html": ExplainReport.to_html,
    "sarif": ExplainReport.to_sarif,
}


def _run(script: str, arguments: list[str]) -> ExplainReport:
    """Runs ``script`` as ``__main__`` and reports the traces made meanwhile."""
    events: list[dict[str, Any]] = []
    sys.argv = [script, *arguments]
    with _listening(events.append):
        runpy.run_path(script, run_name="__main__")
    return ExplainReport.from_events(script, events)


def _explain(options: argparse.Namespace) -> int:
    report = _run(options.script, options.arguments)
    text = FORMATS[options.format](report)
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    else:
        print(text)
    return 1 if options.command == "check" and report.breaks else 0


def _env(options: argparse.Namespace) -> int:
    build = fj._C.build_info()
    rows = {
        "framejit": fj.__version__,
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "processor": platform.machine(),
        "compiler": build["compiler"],
        "built for": build["instruction_sets"],
        "instruction set": fj._C.cpu_capability(),
        "threads": fj.get_num_threads(),
    }
    for name, value in rows.items():
        print(f"{name + ':':18}{value}")
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m framejit", description="Inspect what the compiler does.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("explain", "run a script and report its graph breaks"),
        ("check", "run a script and fail if a graph breaks"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("--format", choices=FORMATS, default="text")
        command.add_argument("--output", help="file to write the report to; default: standard output")
        command.add_argument("script", help="Python file to run as __main__")
        command.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
        command.set_defaults(run=_explain)
    commands.add_parser("env", help="versions and machine, for bug reports").set_defaults(run=_env)
    options = parser.parse_args(arguments)
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
