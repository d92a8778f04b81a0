"""Checkpoints: what a function computed is not kept for backward, but computed again there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import framejit as fj
from framejit import Tensor


class _Recomputed(fj.autograd.Function):
    """Runs ``function`` without recording it; in backward, runs it once more and differentiates that."""

    @staticmethod
    def forward(ctx: Any, run: _Run, anchor: Tensor, *tensors: Tensor) -> Any:
        ctx.run = run
        ctx.save_for_backward(*tensors)
        with fj.no_grad():
            return run(tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        inputs = [t.detach().requires_grad_(t.requires_grad) for t in ctx.saved_tensors]
        with fj.enable_grad():
            outputs = ctx.run.again(inputs)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        wanted = [(o, g) for o, g in zip(outputs, grads) if isinstance(o, Tensor) and o.requires_grad]
        if wanted:
            fj.autograd.backward([o for o, _ in wanted], [g for _, g in wanted])
        return (None, None, *[x.grad for x in inputs])


class _Run:
    """A call whose tensors can be exchanged, and whose random numbers come again."""

    def __init__(
        self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any], keep_rng: bool
    ) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs
        self.where = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
        self.rng = fj.get_rng_state() if keep_rng else None

    def __call__(self, tensors: Sequence[Tensor]) -> Any:
        args = list(self.args)
        for i, tensor in zip(self.where, tensors):
            args[i] = tensor
        return self.function(*args, **self.kwargs)

    def again(self, tensors: Sequence[Tensor]) -> Any:
        if self.rng is None:
            return self(tensors)
        now = fj.get_rng_state()
        fj.set_rng_state(self.rng)
        try:
            return self(tensors)
        finally:
            fj.set_rng_state(now)


@fj.compiler.api.leave_to_interpreter
def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Any = None,
    determinism_check: str = "default",
    debug: bool = False,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """``function(*args, **kwargs)``, whose intermediate results are computed again in backward instead of being kept.

    Args:
        preserve_rng_state: draw the same random numbers the second time.
        use_reentrant, context_fn, determinism_check, debug: accepted; both of PyTorch's variants are this one.
    """
    run = _Run(function, args, kwargs, preserve_rng_state)
    tensors = [args[i] for i in run.where]
    if not fj.is_grad_enabled():
        return run(tensors)
    # Parameters inside `function` need gradients even where no argument does: the anchor makes the result require grad.
    return _Recomputed.apply(run, fj.empty((0,), requires_grad=True), *tensors)


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
