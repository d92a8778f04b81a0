"""``vmap``: a function of samples as a function of batches."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from framejit import _C, random
from framejit._C import Tensor
from framejit.compiler.api import leave_to_interpreter
from framejit.utils._pytree import broadcast_to_and_flatten, tree_flatten, tree_unflatten


def check_randomness(randomness: str) -> None:
    """Raises for an unknown mode."""
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        )


def _name(func: Callable[..., Any]) -> str:
    return getattr(func, "__name__", None) or repr(func)


class _Batch:
    """The arguments of one call, and how to take samples of them."""

    def __init__(self, func: Callable[..., Any], in_dims: Any, args: tuple[Any, ...]) -> None:
        name = _name(func)
        call = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>)"
        if not isinstance(in_dims, (int, tuple)):
            raise ValueError(
                f"{call}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: "
                f"{type(in_dims)}."
            )
        if not args:
            raise ValueError(
                f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a "
                "function with no inputs. The latter is unsupported."
            )
        self.leaves, self.spec = tree_flatten(args)
        dims = broadcast_to_and_flatten(in_dims, self.spec)
        if dims is None:
            raise ValueError(
                f"{call}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
                f"{tree_flatten(in_dims)[1]} but inputs has structure {self.spec}."
            )
        self.dims = [self._check_dim(leaf, dim, call) for leaf, dim in zip(self.leaves, dims, strict=True)]
        self.size = self._batch_size(call)

    @staticmethod
    def _check_dim(leaf: Any, dim: Any, call: str) -> int | None:
        if dim is None:
            return None
        if not isinstance(dim, int):
            raise ValueError(
                f"{call}: Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
            )
        if not isinstance(leaf, Tensor):
            raise ValueError(
                f"{call}: Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over non-Tensor "
                "arguments, please use None as the respective in_dim"
            )
        rank = leaf.dim()
        if not -rank <= dim < rank:
            raise ValueError(
                f"{call}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {rank} so expected "
                f"in_dim to satisfy -{rank} <= in_dim < {rank}."
            )
        return dim % rank

    def _batch_size(self, call: str) -> int:
        sizes = [leaf.size(dim) for leaf, dim in zip(self.leaves, self.dims, strict=True) if dim is not None]
        if not sizes:
            raise ValueError(f"{call}: every in_dim is None: there is nothing to map over")
        if any(size != sizes[0] for size in sizes):
            raise ValueError(
                f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped "
                "dimension"
            )
        return int(sizes[0])

    def sample(self, index: int) -> tuple[Any, ...]:
        """The arguments of one call: views of the batches."""
        leaves = [
            leaf if dim is None else leaf.select(dim, index)
            for leaf, dim in zip(self.leaves, self.dims, strict=True)
        ]
        made: tuple[Any, ...] = tree_unflatten(leaves, self.spec)
        return made

    def stand_in(self) -> tuple[Any, ...]:
        """A sample of an empty batch: zeros."""
        leaves = [
            leaf if dim is None else leaf.new_zeros([size for d, size in enumerate(leaf.shape) if d != dim])
            for leaf, dim in zip(self.leaves, self.dims, strict=True)
        ]
        made: tuple[Any, ...] = tree_unflatten(leaves, self.spec)
        return made


class _Randomness:
    """What random ops in the function do, sample by sample."""

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.before = None if mode == "different" else random.get_rng_state()

    def next_sample(self) -> None:
        """Before each call but the first."""
        if self.mode == "same":
            assert self.before is not None
            random.set_rng_state(self.before)

    def check(self) -> None:
        """After the calls."""
        if self.mode == "error" and not _C.ops.equal(self.before, random.get_rng_state()):
            raise RuntimeError(
                "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
                "randomness flags on vmap or perform the randomness operation out of vmap"
            )


def _stacked(values: list[Any], dim: Any, size: int, func: Callable[..., Any]) -> Any:
    name = _name(func)
    if dim is None:
        return values[0]
    if not isinstance(values[0], Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(values[0])}. Did you mean to set out_dims= "
            "to None for output?"
        )
    rank = values[0].dim() + 1
    if not isinstance(dim, int):
        raise ValueError(f"vmap({name}, ...): out_dims must be ints or None, got {type(dim)}")
    if not -rank <= dim < rank:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})"
        )
    if size == 0:
        shape = list(values[0].shape)
        shape.insert(dim % rank, 0)
        return values[0].new_empty(shape)
    return _C.ops.stack(values, dim)


def _run(
    func: Callable[..., Any],
    in_dims: Any,
    out_dims: Any,
    randomness: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    batch = _Batch(func, in_dims, args)
    generator = _Randomness(randomness)
    rows = []
    spec = None
    samples = (batch.sample(i) for i in range(batch.size)) if batch.size else [batch.stand_in()]
    for i, sample in enumerate(samples):
        if i:
            generator.next_sample()
        leaves, found = tree_flatten(func(*sample, **kwargs))
        if spec is not None and found != spec:
            raise ValueError(
                f"vmap({_name(func)}, ...): the function returned results of structure {spec} for one sample and {found} for "
                "another"
            )
        spec = found
        rows.append(leaves)
    generator.check()
    assert spec is not None
    dims = broadcast_to_and_flatten(out_dims, spec)
    if dims is None:
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims}): out_dims is not compatible with the structure of `outputs`. out_dims "
            f"has structure {tree_flatten(out_dims)[1]} but outputs has structure {spec}."
        )
    columns = zip(*rows, strict=True)
    return tree_unflatten(
        [_stacked(list(column), dim, batch.size, func) for column, dim in zip(columns, dims, strict=True)],
        spec,
    )


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that maps ``func`` over a dimension of its arguments, and stacks the results.

    ``func`` is called once per sample, on views: the results are those of PyTorch's ``vmap``, and ``func`` may look at values
    (``.item()``, ``if``) and use any op; but it is as slow as a loop.

    Args:
        func: takes tensors without the mapped dimension; returns tensors, or containers of them.
        in_dims: the dimension of each argument that is mapped over; None: every call gets the whole argument. One int, or a
            tuple as nested as the arguments are.
        out_dims: where the dimension is in the results; None: the result of the first sample.
        randomness: what random ops do: raise an ``"error"``, draw ``"different"`` numbers for each sample, or the ``"same"``.
        chunk_size: accepted; samples are computed one after the other.
    """
    check_randomness(randomness)
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @leave_to_interpreter
    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return _run(func, in_dims, out_dims, randomness, args, kwargs)

    return wrapper
