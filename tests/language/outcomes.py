"""Everything that a caller can see of a call."""

import contextlib
import io
import pathlib
import traceback
from types import ModuleType

import framejit as fj

FOLDER = str(pathlib.Path(__file__).parent)


def programs_of(module: ModuleType, parameters: tuple[str, ...]) -> list:
    """The module's own functions that take just these arguments, as they are named there."""
    return [
        function
        for function in vars(module).values()
        if getattr(function, "__module__", "") == module.__name__
        and getattr(function, "__code__", None)
        and function.__code__.co_varnames[: function.__code__.co_argcount] == parameters
    ]


def _chain(error, depth=0):
    """All that a handler can see of an exception, but for frames outside the programs."""
    if error is None or depth > 6:
        return None
    frames = [(f.name, f.lineno) for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(FOLDER)]
    own = frames[next((i for i, (name, _) in enumerate(frames) if name not in ("outcome", "<lambda>")), 0) :]
    return (
        type(error).__name__,
        str(error),
        own,
        error.__suppress_context__,
        _chain(error.__cause__, depth + 1),
        _chain(error.__context__, depth + 1),
        getattr(error, "__notes__", None),
    )


def _shown(value):
    if isinstance(value, fj.Tensor):
        return ("tensor", str(value.dtype), value.tolist())
    if isinstance(value, BaseException):
        return _chain(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return type(value).__name__, [_shown(item) for item in value]
    if isinstance(value, dict):
        return type(value).__name__, [(_shown(key), _shown(item)) for key, item in value.items()]
    if hasattr(value, "__dict__") and not callable(value):
        return type(value).__name__, _shown(vars(value))
    if callable(value) or hasattr(value, "__next__"):
        return type(value).__name__
    return value


def outcome(call, args):
    """Result, exception, output and the arguments afterwards, to compare."""
    out = io.StringIO()
    result = error = None
    with contextlib.redirect_stdout(out):
        try:
            result = call(*args)
        except BaseException as raised:  # compared by the caller
            error = raised
    return _shown(result), _chain(error), out.getvalue(), _shown(args)
