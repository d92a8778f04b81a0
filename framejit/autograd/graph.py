"""The backward graph as an object: its nodes and edges, hooks on several tensors, and how saved tensors are kept."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from framejit import _C
from framejit._C import Node as Node
from framejit._C import Tensor
from framejit._C._autograd import HookHandle


class GradientEdge(NamedTuple):
    """A place in the backward graph: output ``output_nr`` of ``node``. Stands for a tensor in ``grad`` and ``backward``."""

    node: Node
    output_nr: int
    ownership_token: Node | None = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge through which the gradient of ``tensor`` flows; the tensor itself need not be kept."""
    return GradientEdge(*_C._autograd.gradient_edge(tensor))


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Says that a tensor has been written to by other means, so that saved copies of it are known to be stale."""
    for each in (tensor,) if isinstance(tensor, Tensor) else tuple(tensor):
        _C._autograd.increment_version(each)


class saved_tensors_hooks:
    """In this block, ``pack_hook(tensor)`` is called for every tensor that is saved for backward, and
    ``unpack_hook(what pack_hook returned)`` when it is needed.

    >>> with fj.autograd.graph.saved_tensors_hooks(to_disk, from_disk):
    ...     y = model(x)
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        _C._autograd.push_saved_tensor_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *exception: object) -> None:
        _C._autograd.pop_saved_tensor_hooks()


class save_on_cpu(saved_tensors_hooks):
    """In this block, what is saved for backward is kept on the CPU and copied back when it is needed."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(tensor: Tensor) -> tuple[Any, Tensor]:
            if tensor.device.type == "cpu":
                return tensor.device, tensor.clone()
            return tensor.device, tensor.to("cpu")

        def unpack(packed: tuple[Any, Tensor]) -> Tensor:
            device, tensor = packed
            return tensor.to(device)

        super().__init__(pack, unpack)


class allow_mutation_on_saved_tensors:
    """In this block, what is saved for backward is saved as a copy, so that it may be changed in place afterwards.

    Entering gives an object with ``clear()``, which is there for PyTorch's sake: copies die with the graph.
    """

    def __init__(self) -> None:
        self._hooks = saved_tensors_hooks(lambda tensor: tensor.clone(), lambda copy: copy)

    def __enter__(self) -> allow_mutation_on_saved_tensors:
        self._hooks.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._hooks.__exit__(*exception)

    def clear(self) -> None:
        """Does nothing."""


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """In this block, setting saved-tensor hooks raises a RuntimeError of this message."""
    previous = _C._autograd.forbid_saved_tensor_hooks(error_message)
    try:
        yield
    finally:
        _C._autograd.forbid_saved_tensor_hooks(previous)


class _Handles:
    """The hooks of several tensors, removed together."""

    def __init__(self, handles: Sequence[HookHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Takes all the hooks away."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _Handles:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


class _Pass:
    """What a hook on several tensors has seen of one backward pass."""

    def __init__(self, edges: Sequence[GradientEdge], count: int) -> None:
        self.grads: list[Tensor | None] = [None] * count
        self.missing = sum(_C._autograd.will_run(edge.node) for edge in edges)


def register_multi_grad_hook(
    tensors: Sequence[Tensor],
    fn: Callable[[Sequence[Tensor | None]], None] | Callable[[Tensor], None],
    *,
    mode: Literal["all", "any"] = "all",
) -> _Handles:
    """Calls ``fn`` once per backward pass: with the list of the gradients of ``tensors`` when all those that the pass
    computes are there (``"all"``; None for others), or with the first of them (``"any"``)."""
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    edges = [get_gradient_edge(tensor) for tensor in tensors]
    lock = threading.Lock()
    seen: dict[int, _Pass] = {}

    def note(index: int, grad: Tensor) -> None:
        number = _C._autograd.current_pass()
        with lock:
            first = number not in seen
            if first:
                seen[number] = _Pass(edges, len(edges))
                _C._autograd.queue_callback(lambda: seen.pop(number, None))
            state = seen[number]
            state.grads[index] = grad
            state.missing -= 1
            call = first if mode == "any" else state.missing == 0
        if call:
            fn(grad if mode == "any" else state.grads)  # type: ignore[arg-type]

    def hook(index: int) -> Callable[[Tensor], None]:
        return lambda grad: note(index, grad)

    return _Handles([_C._autograd.register_hook(tensor, hook(index)) for index, tensor in enumerate(tensors)])
