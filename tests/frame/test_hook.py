"""The hook: when it is installed, what passes through, recursion, threads, signals, watchers, disable."""

import signal
import sys
import textwrap
import threading
import time
import traceback
import unittest.mock

import pytest

from framejit._C import compiler
from framejit.compiler import skip_standard_library
from tests.frame.support import break_everywhere, outcome


def traced_functions(run):
    """Qualified names of the code objects of which a trace was made while ``run`` ran."""
    names = []
    previous = compiler.set_listener(lambda event: names.append(event["function"]) if event["kind"] == "trace" else None)
    try:
        run()
    finally:
        compiler.set_listener(previous)
    return {name.rsplit(".", 1)[-1] for name in names}


def helper(x):
    return x + 1


def user(x):
    return helper(x) * 2


def test_callees_are_frames_of_their_own():
    assert traced_functions(lambda: break_everywhere(user)(3)) == {"user", "helper"}


def test_nothing_is_traced_outside_a_region():
    compiled = break_everywhere(user)
    assert compiled(1) == 4
    assert traced_functions(lambda: user(1)) == set()


def test_generators_pass_through_and_what_they_call_does_not():
    def numbers(n):
        for i in range(n):
            yield helper(i)

    def total(n):
        return sum(numbers(n))

    names = traced_functions(lambda: break_everywhere(total)(3))
    assert names == {"total", "helper"}


def test_recursion_error_not_a_crash():
    def endless(n):
        return endless(n + 1) + 1

    plain, stepped = outcome(lambda: endless(0)), outcome(lambda: break_everywhere(endless)(0))
    assert plain.error.startswith("RecursionError") and stepped.error.startswith("RecursionError")


def test_recursion_up_to_the_limit():
    def down(n):
        return 0 if n == 0 else 1 + down(n - 1)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(5_000)
    try:
        depth = 4_000
        assert break_everywhere(down)(depth) == depth
    finally:
        sys.setrecursionlimit(limit)
    assert break_everywhere(down)(100) == 100, "the hook works again afterwards"


def test_traceback_names_the_users_lines():
    def inner(x):
        y = x
        raise ValueError(y)

    def outer(x):
        return inner(x)

    with pytest.raises(ValueError) as info:
        break_everywhere(outer)(3)
    frames = traceback.extract_tb(info.tb)
    first = outer.__code__.co_firstlineno
    assert [(f.name, f.lineno - first) for f in frames[-2:]] == [("outer", 1), ("inner", -2)]


def test_a_handled_exception_does_not_give_the_frame_up():
    def handles(n):
        caught = []
        for i in range(n):
            try:
                caught.append(1 // (i - 1))
            except ZeroDivisionError as error:
                caught.append(str(error))
        return helper(n), caught

    compiled = break_everywhere(handles)
    assert traced_functions(lambda: compiled(3)) == {"handles", "helper"}
    lines = []
    previous = compiler.set_listener(lambda event: lines.append(event["line"]))
    compiler.reset()
    try:
        assert compiled(3) == handles(3)
    finally:
        compiler.set_listener(previous)
    assert handles.__code__.co_firstlineno + 7 in lines, "the line after the loop is traced"


def test_watched_frames_are_left_to_the_interpreter():
    seen = []

    def tracer(frame, event, arg):
        if frame.f_code is helper.__code__:
            seen.append(event)
        return tracer

    compiled = break_everywhere(user)
    previous = sys.gettrace()
    sys.settrace(tracer)
    try:
        names = traced_functions(lambda: compiled(1))
    finally:
        sys.settrace(previous)
    assert names == set()
    assert seen == ["call", "line", "return"]


def test_profiler_sees_calls():
    seen = []

    def profiler(frame, event, arg):
        if event in ("call", "return") and frame.f_code is helper.__code__:
            seen.append(event)

    compiled = break_everywhere(user)
    sys.setprofile(profiler)
    try:
        compiled(1)
    finally:
        sys.setprofile(None)
    assert seen == ["call", "return"]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring")
def test_monitoring_sees_lines():
    monitoring = sys.monitoring
    lines = []
    monitoring.use_tool_id(4, "framejit test")
    monitoring.register_callback(4, monitoring.events.LINE, lambda code, line: lines.append((code, line)))
    compiled = break_everywhere(user)
    compiled(1)
    monitoring.set_events(4, monitoring.events.LINE)
    try:
        compiled(1)
    finally:
        monitoring.set_events(4, 0)
        monitoring.free_tool_id(4)
    assert (helper.__code__, helper.__code__.co_firstlineno + 1) in lines


def test_threads_share_one_function():
    def work(n):
        total = 0
        for i in range(n):
            total += helper(i)
            if i % 50 == 0:
                time.sleep(0)
        return total

    compiled = break_everywhere(work)
    results, errors = {}, []

    def run(n):
        try:
            for _ in range(5):
                results[n] = compiled(n)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(100 + n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert results == {100 + n: work(100 + n) for n in range(8)}


def test_other_threads_are_not_compiled():
    def main():
        thread = threading.Thread(target=helper, args=(1,))
        thread.start()
        thread.join()

    assert "helper" not in traced_functions(lambda: break_everywhere(main)())


def test_other_threads_run_during_a_loop_of_steps():
    ran = threading.Event()

    def spin(stop):
        while not stop():
            pass
        return True

    compiled = break_everywhere(spin)
    timer = threading.Timer(0.05, ran.set)
    timer.start()
    assert compiled(ran.is_set)


def test_interrupt_ends_a_loop():
    def spin():
        n = 0
        while True:
            n += 1

    compiled = break_everywhere(spin)
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            compiled()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def test_disabled_functions():
    def leaf(x):
        return x + 1

    def middle(x):
        return leaf(x)

    def top(x):
        return middle(x)

    compiled = break_everywhere(top)
    assert traced_functions(lambda: compiled(1)) == {"top", "middle", "leaf"}
    compiler.mark_disabled(middle, False)
    compiler.reset()
    assert traced_functions(lambda: compiled(1)) == {"top", "leaf"}
    compiler.mark_disabled(middle, True)
    compiler.reset()
    assert traced_functions(lambda: compiled(1)) == {"top"}
    assert compiler.is_disabled(middle) and not compiler.is_disabled(top)


def test_disabled_context():
    compiled = break_everywhere(user)
    compiler.push_disabled()
    try:
        assert traced_functions(lambda: compiled(1)) == set()
    finally:
        compiler.pop_disabled()
    assert traced_functions(lambda: compiled(1)) == {"user", "helper"}


@pytest.mark.parametrize(
    ("prefixes", "exceptions", "traced"),
    [([__file__], [], set()), ([__file__[:-3]], [__file__], {"user", "helper"}), ([], [], {"user", "helper"})],
)
def test_skipped_files(prefixes, exceptions, traced):
    compiler.set_skipped_files(prefixes, exceptions)
    try:
        assert traced_functions(lambda: break_everywhere(user)(1)) == traced
    finally:
        skip_standard_library()


def test_the_standard_library_is_skipped_but_what_it_calls_back_is_not():
    def part(value):
        return value + 1

    def through_library(value):
        return textwrap.dedent(" a"), unittest.mock.Mock(side_effect=part)(value)

    assert traced_functions(lambda: break_everywhere(through_library)(1)) == {"through_library", "part"}


def test_finalizers_and_callbacks_inside_a_step():
    events = []

    class Noisy:
        def __del__(self):
            events.append(sys._getframe(1).f_code.co_name)

    def drop():
        value = Noisy()
        value = None
        return value

    break_everywhere(drop)()
    assert events == ["drop"]
