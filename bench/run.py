"""Measure framejit against NumPy, torch 2.13 and, where installed, JAX: all of them in one run on one machine.

    python bench/run.py [overhead] [compile] [kernels] [guards] [eager] [--json FILE]

    overhead  (a) a call of `x + 1` on 4 floats
    compile   (b) cold compile of a small function
    kernels   (c) pointwise chains and reductions on 1M and 16M floats
    guards    (d) instructions per guard, counted by callgrind
    eager     (e) eager ops one by one; `python bench/eager.py` measures more sizes and numbers of threads

Every line ends with the ratio that is asked for, the wanted value, and `ok` or `MISSED`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import compile_time
import guard_cost
import kernels
import overhead
import peers
from table import Row, print_rows

import eager

SECTIONS = {
    "overhead": overhead.run,
    "compile": compile_time.run,
    "kernels": kernels.run,
    "guards": guard_cost.run,
    "eager": eager.run,
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sections", nargs="*", metavar="section", help="default: all")
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    options = parser.parse_args()
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"unknown section {', '.join(sorted(unknown))}; expected {', '.join(SECTIONS)}")

    present = [peer for peer in (peers.framejit(), peers.torch(), peers.jax(), peers.numpy()) if peer]
    print(", ".join(f"{peer.name} {peer.version}" for peer in present), end="; ")
    print(f"CPython {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    rows: list[Row] = []
    for name in options.sections or SECTIONS:
        print(f"\n{name}", flush=True)
        section = SECTIONS[name](present)
        print_rows(section)
        rows += section
    if options.json:
        options.json.write_text(json.dumps([row.as_dict() for row in rows], indent=1) + "\n")
    missed = sum(row.missed for row in rows)
    print(f"\n{len(rows) - missed} of {len(rows)} lines reach what is wanted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
