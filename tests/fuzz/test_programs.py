"""Random functions, interpreted against compiled: the same programs every time, or as many as fit into a time budget.

``make fuzz`` sets ``FRAMEJIT_FUZZ_SECONDS`` and ``FRAMEJIT_FUZZ_SEED``; a failure names the seed, which alone makes the
program again.
"""

from __future__ import annotations

import linecache
import os
import time
import warnings

import pytest

import framejit as fj
from tests.fuzz.programs import make_source
from tests.scenarios.support import assert_same_outcome, run


def load(seed: int):
    source = make_source(seed)
    filename = f"<program {seed}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    scope = {"fj": fj}
    exec(compile(source, filename, "exec"), scope)
    return scope["f"], source


def arguments(variant: int):
    x = fj.arange(6.0).reshape(2, 3) - 2.5
    return [(x, x * 0.5, 2, 1.5), (-x, x + 1, 3, -0.5), (x * 2, x, 0, 2.0)][variant]


def compare(seed: int) -> None:
    fn, source = load(seed)
    compiled = fj.compile(load(seed)[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fj.compiler.RecompileLimitWarning)
        for variant in (0, 0, 1, 2, 1):
            want = run(lambda: fn(*arguments(variant)))
            got = run(lambda: compiled(*arguments(variant)))
            where = f"seed {seed}, arguments {variant} of\n{source}"
            assert_same_outcome(got, want, where, tolerance=1e-4)


@pytest.mark.parametrize("seed", range(150))
def test_compiled_equals_interpreted(seed):
    compare(seed)


@pytest.mark.skipif("FRAMEJIT_FUZZ_SECONDS" not in os.environ, reason="runs in make fuzz")
@pytest.mark.timeout(0)
def test_many_more():
    end = time.monotonic() + float(os.environ["FRAMEJIT_FUZZ_SECONDS"])
    seed = int(os.environ.get("FRAMEJIT_FUZZ_SEED", time.time_ns() % 2**31))
    while time.monotonic() < end:
        compare(seed)
        seed += 1
