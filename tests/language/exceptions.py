"""How exceptions are raised, handled, chained and swallowed. Each function is a program: a number and a tensor to anything."""

import contextlib
import sys

def returns_in_try(n, x):
    log = []

    def inner(k):
        for i in range(5):
            try:
                if i == k:
                    return "returned", x + i
                if i == k - 1:
                    continue
                if k == 7 and i == 2:
                    break
                if k == 8 and i == 1:
                    raise ValueError(i)
            except ValueError as error:
                log.append(("except", error.args))
                if n:
                    return "from handler"
            else:
                log.append(("else", i))
            finally:
                log.append(("finally", i))
        else:
            log.append("loop ended")
        return "fell through"

    return [inner(k) for k in (0, 3, 7, 8, 9)], log


def finally_overrides(n, x):
    def returns():
        try:
            raise KeyError(n)
        finally:
            return x + 1  # noqa: B012

    def swallowed_in_loop():
        seen = []
        for i in range(3):
            try:
                seen.append(1 // (i - n))
            finally:
                if i < 2:
                    continue  # noqa: B012
                break  # noqa: B012
        return seen

    return returns(), swallowed_in_loop()


def nested_handlers(n, x):
    log = []
    try:
        try:
            x.nothing_of_that_name if n else {}["missing"]  # noqa: B018
        except KeyError as error:
            log.append(repr(error))
            raise ValueError("second") from error
        except AttributeError:
            log.append("attribute")
            raise
        finally:
            log.append("inner finally")
    except (ValueError, AttributeError) as error:
        log.append((type(error).__name__, type(error.__cause__).__name__, type(error.__context__).__name__))
        kept = error
    return log, type(kept).__name__


def handler_name_is_deleted(n, x):
    error = "before"
    try:
        raise ValueError(n)
    except ValueError as error:
        pass
    try:
        return error
    except UnboundLocalError as unbound:
        return x + n, str(unbound)


def raises_with_chain(n, x):
    try:
        try:
            [][n]
        except IndexError as error:
            error.add_note("a note")
            raise RuntimeError("outer") from (None if n else error)
    except RuntimeError as error:
        raise TypeError("outermost") from error


def raises_implicit_chain(n, x):
    try:
        raise ValueError(n)
    except ValueError:
        {}[n]


def raise_in_finally(n, x):
    try:
        if n:
            raise ValueError("first")
    finally:
        x.sum(7)


def reraised(n, x):
    def again():
        raise

    try:
        try:
            raise OSError(n, "text")
        except OSError:
            if n:
                again()
            raise
    except OSError as error:
        return error.errno, error.strerror, error.args, x * 2


def exception_state(n, x):
    before = sys.exc_info()[0]
    try:
        raise LookupError(n)
    except LookupError:
        inside = sys.exc_info()[0].__name__
        try:
            raise KeyError
        except KeyError:
            nested = sys.exc_info()[0].__name__
        after_nested = sys.exc_info()[0].__name__
    return before, inside, nested, after_nested, sys.exc_info()[0], x + 1


def traceback_is_seen(n, x):
    def fails():
        return x.sum(9)

    try:
        fails()
    except IndexError as error:
        trace, lines = error.__traceback__, []
        while trace:
            lines.append(trace.tb_lineno - trace.tb_frame.f_code.co_firstlineno)
            trace = trace.tb_next
        return lines, error.__context__


def exception_groups(n, x):
    log = []
    try:
        raise ExceptionGroup("group", [ValueError(n), KeyError("k"), ExceptionGroup("inner", [OSError(1)])])
    except* (ValueError, KeyError) as group:
        log.append(("first", [type(e).__name__ for e in group.exceptions]))
    except* OSError as group:
        log.append(("second", group.message))
    try:
        try:
            raise TypeError("bare")
        except* ValueError:
            log.append("no")
    except TypeError as error:
        log.append(str(error))
    return x + len(log), log


def custom_exceptions(n, x):
    class Problem(Exception):
        def __init__(self, code, *, detail="none"):
            super().__init__(f"problem {code}")
            self.code, self.detail = code, detail

        def __str__(self):
            return f"{self.code}/{self.detail}"

    class Worse(Problem):
        pass

    results = []
    for kind in (Problem, Worse):
        try:
            raise kind(n, detail="d")
        except Worse as error:
            results.append(("worse", str(error), error.args))
        except Problem as error:
            results.append(("problem", str(error), error.args, error.code, vars(error)))
    return results, x + n


def asserts(n, x):
    assert x.ndim == 1, "never shown"
    try:
        assert n > 100, f"{n} is small"
    except AssertionError as error:
        text = str(error)
    try:
        assert not n or n
        assert n == -1
    except AssertionError as error:
        return text, error.args, x


class Manager:
    def __init__(self, log, name, swallow=False, fail=None):
        self.log, self.name, self.swallow, self.fail = log, name, swallow, fail

    def __enter__(self):
        self.log.append(f"enter {self.name}")
        if self.fail == "enter":
            raise RuntimeError("in enter")
        return self.name

    def __exit__(self, kind, value, trace):
        self.log.append((f"exit {self.name}", kind and kind.__name__, str(value), trace is None))
        if self.fail == "exit":
            raise RuntimeError("in exit")
        return self.swallow


def with_statements(n, x):
    log = []
    with Manager(log, "a"), Manager(log, "b", swallow=True) as b:
        log.append(b)
        raise ValueError("swallowed")
    for i in range(3):
        with Manager(log, "loop"):
            if i == n:
                continue
            if i == 1:
                break
    with contextlib.suppress(ZeroDivisionError):
        n // 0
        log.append("not reached")

    def returns():
        with Manager(log, "r"):
            return x + 1

    return returns(), log


def with_failures(n, x):
    log = []
    try:
        with Manager(log, "a"), Manager(log, "b", fail="enter" if n else "exit"):
            log.append("body")
            raise KeyError("body")
    except (RuntimeError, KeyError) as error:
        return log, str(error), repr(error.__context__), x


def with_target_unpacked(n, x):
    class Pair:
        def __enter__(self):
            return [1, (2, 3)]

        def __exit__(self, *args):
            return None

    holder = {}
    with Pair() as (a, (b, holder["c"])):
        pass
    return a, b, holder, x
