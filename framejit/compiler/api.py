"""``compile``, ``explain``, ``disable`` and their relatives: argument checks, then the C side."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from framejit._C import compiler as _compiler
from framejit.compiler import logs
from framejit.compiler.report import ExplainReport

F = TypeVar("F", bound=Callable[..., Any])

#: option -> (type, default, meaning)
OPTIONS: dict[str, tuple[type[int], int, str]] = {
    "cache_size_limit": (
        int,
        8,
        "compilations of one code object at one entry point before it is left to eager",
    ),
    "inline_depth": (int, 64, "nested calls that are inlined into one trace"),
    "loop_iterations": (int, 64, "iterations of a loop in one trace before it is cut at the back edge"),
    "max_instructions": (int, 60_000, "bytecode instructions in one trace before it is cut"),
}
BACKENDS = ("inductor", "aot_eager", "eager")
MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")


def list_backends() -> list[str]:
    """Names that ``compile(backend=...)`` takes."""
    return list(BACKENDS)


def _checked_options(options: dict[str, Any] | None) -> dict[str, Any]:
    result = {name: default for name, (_, default, _) in OPTIONS.items()}
    for name, value in (options or {}).items():
        if name not in OPTIONS:
            raise RuntimeError(f"compile: unknown option {name!r}, expected one of {', '.join(OPTIONS)}")
        expected = OPTIONS[name][0]
        if not isinstance(value, expected) or isinstance(value, bool):
            raise RuntimeError(
                f"compile: option {name!r} got {value!r} of type {type(value).__name__}, expected {expected.__name__}"
            )
        if value < 1:
            raise RuntimeError(f"compile: option {name!r} got {value}, expected at least 1")
        result[name] = value
    return result


def _check_backend(backend: object) -> None:
    if callable(backend) or backend in BACKENDS:
        return
    if isinstance(backend, str):
        raise RuntimeError(
            f"compile: unknown backend {backend!r}, expected one of {', '.join(BACKENDS)} or a callable"
        )
    raise TypeError(f"compile: got a backend of type {type(backend).__name__}, expected a name or a callable")


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] = "inductor",
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
) -> Any:
    """Compiles ``model``, a function, method or :class:`framejit.nn.Module`, at its first call. Also a decorator.

    Args:
        fullgraph: raise :class:`GraphBreakError` unless the whole function becomes one graph, and :class:`NotCompiledError`
            where a call would run without the compiler, as it does beyond ``cache_size_limit``.
        dynamic: sizes of inputs. ``None``: fixed until one changes, then symbolic; ``True``: symbolic from the start;
            ``False``: always fixed.
        backend: ``"inductor"``, ``"aot_eager"`` (differentiated, not fused), ``"eager"`` (traced only), or a callable
            ``(GraphModule, example_inputs) -> callable``.
        mode: accepted as in PyTorch; on CPU all modes are the same.
        options: see ``framejit.compiler.OPTIONS``.
        disable: return ``model`` as it is.

    Raises:
        TypeError: ``model`` is not callable.
        RuntimeError: unknown backend, mode or option.
    """
    if model is None:
        return functools.partial(
            compile,
            fullgraph=fullgraph,
            dynamic=dynamic,
            backend=backend,
            mode=mode,
            options=options,
            disable=disable,
        )
    if not callable(model):
        raise TypeError(
            f"compile: got an object of type {type(model).__name__}, expected a function or nn.Module"
        )
    if mode is not None and options is not None:
        raise RuntimeError("compile: either mode or options can be given, not both")
    if mode is not None and mode not in MODES:
        raise RuntimeError(f"compile: unknown mode {mode!r}, expected one of {', '.join(MODES)}")
    if dynamic not in (None, True, False):
        raise TypeError(f"compile: got dynamic={dynamic!r}, expected None, True or False")
    _check_backend(backend)
    checked = _checked_options(options)
    if disable:
        return model
    settings: dict[str, Any] = dict(
        fullgraph=bool(fullgraph), dynamic=dynamic, backend=backend, options=checked
    )
    from framejit import nn  # the package imports this module first

    if isinstance(model, nn.Module):
        from framejit.compiler.module import OptimizedModule

        return OptimizedModule(model, settings)
    return _compiler.CompiledFunction(model, **settings)


@dataclass(frozen=True)
class Stats:
    """Counters of one compiled function, over all frames reached from it.

    Attributes:
        compilations: traces made. graphs: of those, the ones with ops. breaks: the ones that end in a graph break.
        guard_misses: calls for which no trace fitted although there were some.
        failed_runs: runs of a graph that raised, after which the interpreter ran the frame and raised at the line.
    """

    compilations: int
    graphs: int
    breaks: int
    guard_misses: int
    failed_runs: int


def stats(compiled: Any) -> Stats:
    """Counters of a function that :func:`compile` returned.

    Raises:
        TypeError: ``compiled`` is something else.
    """
    function = getattr(compiled, "_compiled_call", compiled)
    if not isinstance(function, _compiler.CompiledFunction):
        raise TypeError(f"stats: got {type(compiled).__name__}, expected what fj.compile returned")
    counters = function.stats()
    return Stats(**{name: counters[name] for name in Stats.__dataclass_fields__})


@contextlib.contextmanager
def _listening(listener: Callable[[dict[str, Any]], None]) -> Iterator[None]:
    previous = None

    def both(event: dict[str, Any]) -> None:
        listener(event)
        if previous is not None:
            previous(event)

    previous = _compiler.set_listener(both)
    try:
        yield
    finally:
        _compiler.set_listener(previous)


def explain(model: Callable[..., Any], **compile_options: Any) -> Callable[..., ExplainReport]:
    """``explain(fn)(*args)`` runs ``fn`` compiled from scratch and reports its graphs and every graph break.

    Keyword arguments are those of :func:`compile`, without ``fullgraph``. Effects of ``fn`` happen; its exceptions
    are raised.
    """
    if compile_options.pop("fullgraph", False):
        raise ValueError("explain: fullgraph=True raises at the first break; explain reports all of them")
    target = getattr(model, "_orig_mod", None) or getattr(model, "__wrapped__", None) or model
    name = getattr(target, "__qualname__", type(target).__name__)

    def run(*args: Any, **kwargs: Any) -> ExplainReport:
        events: list[dict[str, Any]] = []
        compiled = compile(target, **compile_options)
        with _listening(events.append):
            compiled(*args, **kwargs)
        return ExplainReport.from_events(name, events)

    return run


def leave_to_interpreter(fn: F, recursive: bool = True) -> F:
    """Marks ``fn`` so that the compiler leaves it alone; ``recursive``: what it calls as well. Returns ``fn``."""
    _compiler.mark_disabled(fn, recursive)
    return fn


class disable(contextlib.ContextDecorator):
    """Leaves code to the interpreter.

    ``@disable`` on a function (with ``recursive=False``: the function itself, not what it calls), or
    ``with disable():`` around calls of compiled functions.
    """

    def __new__(cls, fn: Callable[..., Any] | None = None, recursive: bool = True) -> Any:
        if fn is None:
            return super().__new__(cls)
        if not callable(fn):
            raise TypeError(f"disable: got {type(fn).__name__}, expected a function")
        target = getattr(fn, "__wrapped__", fn) if isinstance(fn, _compiler.CompiledFunction) else fn
        return leave_to_interpreter(target, recursive)

    def __init__(self, fn: Callable[..., Any] | None = None, recursive: bool = True) -> None:
        self._recursive = recursive

    def __call__(self, fn: Callable[..., Any]) -> Any:
        return type(self)(fn, self._recursive)

    def __enter__(self) -> disable:
        _compiler.push_disabled()
        return self

    def __exit__(self, *exc_info: object) -> None:
        _compiler.pop_disabled()


def is_compiling() -> bool:
    """True in traced code, False in code that the interpreter runs."""
    return _compiler.is_compiling()


def reset() -> None:
    """Drops every compiled trace of every function."""
    _compiler.reset()


def start_logging() -> None:
    """Reads ``FRAMEJIT_LOGS`` and listens to the compiler; called once, when the package is imported."""
    logs.from_environment()
    _compiler.set_listener(logs.emit)


def set_logs(*kinds: str) -> None:
    """Turns these kinds of log on, and all others off: ``set_logs("graph_breaks", "recompiles")``."""
    logs.set_logs(*kinds)
