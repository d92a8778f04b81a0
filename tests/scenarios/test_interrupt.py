"""Ctrl-C during a compiled loop, and recursion to the interpreter's limit."""

import signal

import framejit as fj
import pytest


def interrupted(function, *args):
    """Whether SIGINT a moment after the call ends it with KeyboardInterrupt."""
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    previous = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell has it ignored
    try:
        function(*args)
    except KeyboardInterrupt:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
        signal.signal(signal.SIGINT, handler)
    return False


def count_up(x, n):
    for i in range(n):
        x = x + i
    return x


def grow(x):
    while x.sum() < 1e9:
        x = x + 1e-9
    return x


@pytest.mark.parametrize("function, args", [(count_up, (fj.zeros(4), 10**9)), (grow, (fj.zeros(4),))])
def test_ctrl_c_ends_a_compiled_loop(function, args):
    compiled = fj.compile(function)
    assert interrupted(compiled, *args)
    assert compiled(*(fj.ones(2) * 1e9, 2)[: len(args)]).shape == (2,), "usable afterwards"


def test_recursion_to_the_limit():
    def down(x, n):
        return down(x + 1, n + 1)

    compiled = fj.compile(down)
    for _ in range(2):
        with pytest.raises(RecursionError):
            compiled(fj.zeros(2), 0)
