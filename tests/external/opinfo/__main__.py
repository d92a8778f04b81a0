"""``python -m tests.external.opinfo``: --all, or --op NAME (repeatable) with every difference in detail."""

from __future__ import annotations

import argparse
import collections
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

from .classes import message_class
from .differences import Explanations
from .names import variant_name
from .sweep import DTYPES, SUBSET, Options, Report, entries, sweep


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.external.opinfo", description=__doc__)
    parser.add_argument("--all", action="store_true", help="every op that framejit has, every sample")
    parser.add_argument(
        "--op", action="append", help="name as in PyTorch (nn.functional.gelu, div.floor_rounding)"
    )
    parser.add_argument("--subset", action="store_true", help="what test_opinfo.py runs")
    parser.add_argument("--samples", type=int, help="at most so many of each dtype")
    parser.add_argument("--spread", action="store_true", help="other samples of each dtype")
    parser.add_argument("--dtypes", nargs="+", default=DTYPES)
    parser.add_argument(
        "--reference", action="store_true", help="the larger set of samples, of PyTorch's reference tests, of ops that have one"
    )
    parser.add_argument("--elements", type=int, help="only samples whose first tensor has at most so many")
    parser.add_argument("--compiled", action="store_true", help="functions and gradients inside compiled functions")
    parser.add_argument("--explained", action="store_true", help="print explained differences too")
    parser.add_argument("--limit", type=int, default=3, help="differences printed of each op, form and kind")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--quiet", action="store_true", help="print the summary only")
    parser.add_argument(
        "--log",
        type=Path,
        help="append each op's report there; with --all, ops that have one there are not run again",
    )
    parser.add_argument("--absent", action="store_true", help="only list the ops that framejit has not")
    arguments = parser.parse_args()
    if not (arguments.all or arguments.op or arguments.absent or arguments.subset):
        parser.error("--all, --op NAME, --absent or --subset")
    return arguments


def print_differences(differences: list, limit: int) -> None:
    groups = collections.defaultdict(list)
    for difference in differences:
        groups[difference.op, difference.form, difference.kind].append(difference)
    for group in groups.values():
        for difference in group[:limit]:
            print(difference)
        if len(group) > limit:
            print(f"    ... and {len(group) - limit} more {group[0].form} {group[0].kind}")


def main() -> int:
    arguments = parse()
    ops, absent = entries(arguments.op)
    if arguments.reference:
        ops = [op for op in ops if op.reference_inputs_func is not None]
    if arguments.absent:
        print(*absent, sep="\n")
        return 0
    options = SUBSET
    if not arguments.subset:
        options = Options(
            tuple(arguments.dtypes),
            arguments.samples,
            arguments.spread,
            reference=arguments.reference,
            elements=arguments.elements,
            compiled=arguments.compiled,
        )
    explanations = Explanations()
    done = read_log(arguments.log) if arguments.all else {}
    reports: list[Report] = []
    unexplained: list = []
    for report in itertools.chain(done.values(), run(ops, done, options, arguments)):
        reports.append(report)
        new = [difference for difference in report.differences if explanations.explain(difference) is None]
        unexplained += new
        if not arguments.quiet:
            print_differences(report.differences if arguments.explained else new, arguments.limit)
            sys.stdout.flush()
    stale = explanations.unused() if arguments.all and arguments.samples is None else []
    summarise(reports, absent, unexplained, stale)
    return 1 if unexplained or stale else 0


def read_log(path: Path | None) -> dict[str, Report]:
    """The last report of each op."""
    if path is None or not path.exists():
        return {}
    reports = [Report.from_json(line) for line in path.read_text().splitlines()]
    return {report.op: report for report in reports}


def run(ops: list, done: dict[str, Report], options: Options, arguments: argparse.Namespace) -> Iterator[Report]:
    """Reports of the ops that have none, each of which goes to the log."""
    for report in sweep([op for op in ops if variant_name(op) not in done], options, arguments.jobs):
        if arguments.log:
            with arguments.log.open("a") as log:
                log.write(report.to_json() + "\n")
        yield report


def print_classes(differences: list) -> None:
    """How often which message, and of which ops; those of one op alone by op."""
    by_class: dict = collections.defaultdict(collections.Counter)
    for difference in differences:
        by_class[message_class(difference)][difference.op] += 1
    for message, ops in sorted(by_class.items(), key=lambda item: -item[1].total()):
        names = " ".join(f"{op} {count}" for op, count in ops.most_common(12))
        print(f"{ops.total():5} {message}\n        {len(ops)} ops: {names}")


def summarise(reports: list[Report], absent: list[str], unexplained: list, stale: list[str]) -> None:
    names = {report.op for report in reports}
    failing = sorted({difference.op for difference in unexplained})
    inapplicable = sum((report.inapplicable for report in reports), collections.Counter())
    samples, bad = sum(r.samples for r in reports), sum(r.bad_samples for r in reports)
    print(f"\nabsent ({len(absent)}): {' '.join(absent)}")
    print(f"not applicable: {dict(inapplicable.most_common())}")
    for row in stale:
        print(f"explains nothing any more: {row}")
    print_classes(unexplained)
    print(f"entries with unexplained differences ({len(failing)}): {' '.join(failing)}")
    kinds = collections.Counter((difference.form, difference.kind) for difference in unexplained)
    print(
        "unexplained:",
        ", ".join(f"{form} {kind} {count}" for (form, kind), count in kinds.most_common()) or "nothing",
    )
    print(
        f"{len(names)} entries, {samples} samples and {bad} bad samples, of which {sum(r.differing for r in reports)} differ; "
        f"{len(unexplained)} differences unexplained; {sum(r.seconds for r in reports):.0f} s"
    )


if __name__ == "__main__":
    sys.exit(main())
