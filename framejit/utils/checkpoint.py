"""Checkpoints: what a function computed is not kept for backward, but computed again there.

In the function's place in the graph, nodes keep only the number of each tensor that they saved (a hook on saved tensors).
The first of them that backward needs makes the function run once more, which finds the tensors in the same order.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit._C import _autograd
from framejit.autograd.graph import saved_tensors_hooks

_DETERMINISM_CHECKS = ("default", "none")


class CheckpointError(RuntimeError):
    """The function did not do the same the second time."""


class _Finished(BaseException):
    """All that backward can still ask for has been computed. Not an Exception, so that the function does not catch it."""


class _Inputs(fj.autograd.Function):
    """A node that saves the function's tensor arguments: so a checkpoint within a checkpoint does not keep them either."""

    @staticmethod
    def forward(ctx: Any, anchor: Tensor, *tensors: Tensor) -> Tensor:
        ctx.save_for_backward(*tensors)
        return fj.empty((0,))

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        raise AssertionError("the inputs of a checkpoint are not differentiated through this node")


class _Place:
    """What a node keeps in place of a tensor: its number among the tensors that were saved."""

    __slots__ = ("__weakref__", "call", "index")

    def __init__(self, call: _Call, index: int) -> None:
        self.call, self.index = call, index


class _Call:
    """A call of the function that can be repeated under the same circumstances."""

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        context: contextlib.AbstractContextManager[Any],
        keep_rng: bool,
        check: bool,
        early_stop: bool,
    ) -> None:
        self._function, self._kwargs, self._context = function, kwargs, context
        self._check, self._early_stop = check, early_stop
        self._where = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
        self._needs_grad = [args[i].requires_grad for i in self._where]
        self._args = [None if isinstance(arg, Tensor) else arg for arg in args]
        anchor = fj.empty((0,), requires_grad=True)
        self._inputs: Any = _Inputs.apply(anchor, *[args[i] for i in self._where]).grad_fn
        self._rng = fj.get_rng_state() if keep_rng else None
        self._autocast = _autograd.get_autocast("cpu")
        self._saved: list[tuple[Any, ...]] = []  # shape, dtype and device of each
        self._places: list[weakref.ref[_Place]] = []
        self._computed: dict[int, Tensor] = {}

    def recording(self) -> saved_tensors_hooks:
        """The hooks of the first run."""

        def pack(tensor: Tensor) -> _Place:
            place = _Place(self, len(self._saved))
            self._saved.append(_metadata(tensor))
            self._places.append(weakref.ref(place))
            return place

        return saved_tensors_hooks(pack, lambda place: place.call.tensor(place.index))

    def tensor(self, index: int) -> Tensor:
        """The tensor that was saved as number ``index``; the function runs again unless it is at hand."""
        if index not in self._computed:
            self._run_again()
            if _autograd.current_pass() != -1:
                _autograd.queue_callback(self._computed.clear)
        return self._computed.pop(index)

    def _run_again(self) -> None:
        alive = [i for i, place in enumerate(self._places) if place() is not None]
        count = 0

        def pack(tensor: Tensor) -> Tensor:
            nonlocal count
            index, count = count, count + 1
            if index < len(self._saved):
                if self._check and _metadata(tensor) != self._saved[index]:
                    raise CheckpointError(
                        "framejit.utils.checkpoint: Recomputed values for the following tensors have different metadata "
                        f"than during the forward pass.\ntensor at position {index}: saved {self._saved[index]}, "
                        f"recomputed {_metadata(tensor)}"
                    )
                if self._places[index]() is not None:
                    self._computed[index] = tensor
                if self._early_stop and index == alive[-1]:
                    raise _Finished
            return tensor

        args = list(self._args)
        for i, tensor, needs_grad in zip(self._where, self._inputs.saved_tensors, self._needs_grad):
            args[i] = tensor.detach().requires_grad_(needs_grad)
        with self._circumstances(), saved_tensors_hooks(pack, lambda tensor: tensor):
            try:
                self._function(*args, **self._kwargs)
            except _Finished:
                return
        if count != len(self._saved):
            raise CheckpointError(
                "framejit.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self._saved)}\n"
                f"Number of tensors saved during recomputation: {count}."
            )

    @contextlib.contextmanager
    def _circumstances(self) -> Iterator[None]:
        """Grad mode, autocast and random state of the first run."""
        enabled, dtype, cache = self._autocast
        with contextlib.ExitStack() as stack:
            if self._rng is not None:
                stack.callback(fj.set_rng_state, fj.get_rng_state())
                fj.set_rng_state(self._rng)
            stack.enter_context(fj.enable_grad())
            stack.enter_context(fj.autocast("cpu", dtype=dtype, enabled=enabled, cache_enabled=cache))
            stack.enter_context(self._context)
            yield


def _metadata(tensor: Tensor) -> tuple[Any, ...]:
    return tuple(tensor.shape), tensor.dtype, tensor.device


def noop_context_fn() -> tuple[contextlib.AbstractContextManager[Any], contextlib.AbstractContextManager[Any]]:
    """No context for either run."""
    return contextlib.nullcontext(), contextlib.nullcontext()


@fj.compiler.api.leave_to_interpreter
def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[
        [], tuple[contextlib.AbstractContextManager[Any], contextlib.AbstractContextManager[Any]]
    ] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """``function(*args, **kwargs)``, whose intermediate results are computed again in backward instead of being kept.

    Args:
        use_reentrant: accepted; this is PyTorch's variant without reentrance, which can do all that the other can.
        context_fn: returns two context managers, for the first run and for the one in backward.
        determinism_check: "default" compares shape, dtype and device of what the two runs save; "none" does not.
        debug: accepted; an error says which tensor differs in any case.
        early_stop: end the second run when the last tensor that is needed is there.
        preserve_rng_state: draw the same random numbers the second time.

    Raises:
        ValueError: an unknown ``determinism_check``.
        CheckpointError: (in backward) the second run did not save the same tensors.
    """
    if determinism_check not in _DETERMINISM_CHECKS:
        raise ValueError(
            f"determinism_check should be one of {list(_DETERMINISM_CHECKS)} but got {determinism_check}"
        )
    first, second = context_fn()
    if not fj.is_grad_enabled():
        with first:
            return function(*args, **kwargs)
    call = _Call(
        function, args, kwargs, second, preserve_rng_state, determinism_check == "default", early_stop
    )
    with first, call.recording():
        return function(*args, **kwargs)


class CheckpointFunction:
    """What PyTorch's reentrant checkpoints are made of; ``apply`` makes a checkpoint."""

    @staticmethod
    def apply(run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        return checkpoint(run_function, *args, preserve_rng_state=preserve_rng_state)


def checkpoint_sequential(
    functions: Any,
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
) -> Any:
    """Runs a sequence of modules in ``segments`` parts, all but the last one as a checkpoint."""
    modules = list(functions.children()) if isinstance(functions, fj.nn.Sequential) else list(functions)
    size = len(modules) // segments

    def part(start: int, end: int) -> Callable[[Any], Any]:
        def run(value: Any) -> Any:
            for module in modules[start:end]:
                value = module(value)
            return value

        return run

    for i in range(segments - 1):
        run = part(i * size, (i + 1) * size)
        input = checkpoint(run, input, preserve_rng_state=preserve_rng_state)
    return part((segments - 1) * size, len(modules))(input)


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """The GPUs that the tensors in ``args`` are on, and the states of their generators: none, and none."""
    return [], []


def set_device_states(devices: Sequence[int], states: Sequence[Tensor], *, device_type: str | None = None) -> None:
    """Sets what :func:`get_device_states` returned: nothing."""
