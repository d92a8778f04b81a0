"""Switches of autograd, as context managers and decorators: no_grad, enable_grad, set_grad_enabled, inference_mode."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from framejit._C import _autograd

_F = TypeVar("_F", bound=Callable[..., Any])


class _Decorator:
    """A context manager that can also decorate a function, a generator function or a class of none."""

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *exception: object) -> None:
        raise NotImplementedError

    def _fresh(self) -> _Decorator:
        """A context manager of its own for each call: the function may be called recursively or by several threads."""
        return type(self)()

    def __call__(self, function: _F) -> _F:
        if inspect.isgeneratorfunction(function):
            return self._decorate_generator(function)  # type: ignore[return-value]

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with self._fresh():
                return function(*args, **kwargs)

        return wrapper  # type: ignore[return-value]

    def _decorate_generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The mode is on while the generator's body runs, and off while its user's does."""

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            generator = function(*args, **kwargs)
            send, value = generator.send, None
            try:
                while True:
                    with self._fresh():
                        item = send(value)
                    send = generator.send
                    try:
                        value = yield item
                    except GeneratorExit:
                        raise
                    except BaseException as error:
                        send, value = generator.throw, error
            except StopIteration as stop:
                return stop.value
            finally:
                with self._fresh():
                    generator.close()

        return wrapper


class no_grad(_Decorator):
    """Within it, results do not require grad.

    >>> with fj.no_grad():
    ...     y = x * 2
    """

    def __enter__(self) -> None:
        self.previous = _autograd.is_grad_enabled()
        _autograd.set_grad_enabled(False)

    def __exit__(self, *exception: object) -> None:
        _autograd.set_grad_enabled(self.previous)

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        self = super().__new__(cls)
        return self if function is None else self(function)  # `@no_grad` without parentheses


class enable_grad(_Decorator):
    """Within it, operations are recorded, also inside :class:`no_grad`."""

    def __enter__(self) -> None:
        self.previous = _autograd.is_grad_enabled()
        _autograd.set_grad_enabled(True)

    def __exit__(self, *exception: object) -> None:
        _autograd.set_grad_enabled(self.previous)

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        self = super().__new__(cls)
        return self if function is None else self(function)


class set_grad_enabled(_Decorator):
    """Sets grad mode at once; as a context manager, until the block ends."""

    def __init__(self, mode: bool) -> None:
        self.previous = _autograd.is_grad_enabled()
        self.mode = mode
        _autograd.set_grad_enabled(mode)

    def __call__(self, function: _F) -> _F:
        _autograd.set_grad_enabled(self.previous)  # a decorator changes the mode inside its function only
        return super().__call__(function)

    def __enter__(self) -> None:
        _autograd.set_grad_enabled(self.mode)

    def __exit__(self, *exception: object) -> None:
        _autograd.set_grad_enabled(self.previous)

    def _fresh(self) -> set_grad_enabled:
        return type(self)(self.mode)


class inference_mode(_Decorator):
    """As :class:`no_grad`; its results can never be part of a backward graph."""

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def __new__(cls, mode: Any = True) -> Any:
        self = super().__new__(cls)
        if isinstance(mode, bool):
            return self
        self.mode = True
        return self(mode)

    def __enter__(self) -> None:
        self.previous = _autograd.is_grad_enabled(), _autograd.is_inference_enabled()
        if self.mode:
            _autograd.set_grad_enabled(False)
        _autograd.set_inference_enabled(self.mode)

    def __exit__(self, *exception: object) -> None:
        grad, inference = self.previous
        _autograd.set_inference_enabled(inference)
        _autograd.set_grad_enabled(grad)

    def _fresh(self) -> inference_mode:
        return type(self)(self.mode)


is_grad_enabled = _autograd.is_grad_enabled
is_inference_mode_enabled = _autograd.is_inference_enabled


class set_multithreading_enabled(_Decorator):
    """Accepted for PyTorch's sake: on CPU a backward pass always runs on the thread that started it."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass

    def _fresh(self) -> set_multithreading_enabled:
        return self
