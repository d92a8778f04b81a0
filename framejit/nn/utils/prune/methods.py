"""Pruning methods: which elements of a parameter become zero."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.nn.modules.module import Module

Amount = int | float


class BasePruningMethod(ABC):
    """A hook that sets ``name`` to ``name_orig * name_mask`` before each call of its module.

    A subclass has a ``PRUNING_TYPE`` (``"unstructured"``, ``"structured"`` or ``"global"``: which part of an earlier mask
    a further pruning may choose from) and defines ``compute_mask``.
    """

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The new mask: ``default_mask`` with further zeros, chosen by the importances ``t``."""

    def apply_mask(self, module: Module) -> Tensor:
        """The pruned parameter."""
        mask, original = getattr(module, f"{self._tensor_name}_mask"), getattr(module, f"{self._tensor_name}_orig")
        return mask.to(original.dtype) * original

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
    ) -> BasePruningMethod:
        """Prunes a parameter, which may be pruned already, and keeps it pruned by a hook of the module.

        Args:
            args, kwargs: of the class.
            importance_scores: what to choose by, instead of the parameter's values.
        """
        method = cls(*args, **kwargs)
        method._tensor_name = name
        keys = [key for key, hook in hooks_of(module) if hook._tensor_name == name]
        assert len(keys) <= 1, f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}."
        if keys:
            container = PruningContainer(module._forward_pre_hooks[keys[0]])
            container.add_pruning_method(method)
            method = container
        original = getattr(module, name)
        scores = original if importance_scores is None else importance_scores
        if scores.shape != original.shape:
            raise AssertionError(f"importance_scores should have the same shape as parameter {name} of {module}")
        # A parameter that is pruned already is an attribute, and has a mask.
        start = getattr(module, f"{name}_mask").detach().clone() if keys else fj.ones_like(original).detach()
        mask = method.compute_mask(scores, default_mask=start)
        if keys:
            del module._forward_pre_hooks[keys[0]]
        else:
            module.register_parameter(f"{name}_orig", module._parameters.pop(name))
        module.register_buffer(f"{name}_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(
        self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None
    ) -> Tensor:
        """A pruned copy of a tensor."""
        scores = t if importance_scores is None else importance_scores
        assert scores.shape == t.shape, "importance_scores should have the same shape as tensor t"
        return t * self.compute_mask(scores, fj.ones_like(t) if default_mask is None else default_mask)

    def remove(self, module: Module) -> None:
        """Makes the parameter an ordinary one again, with the pruned values. The hook stays: see ``prune.remove``."""
        name = self._tensor_name
        pruned = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(f"{name}_orig")
        assert original is not None
        original.data = pruned.data
        del module._buffers[f"{name}_mask"]
        module.register_parameter(name, original)


def hooks_of(module: Module) -> list[tuple[int, BasePruningMethod]]:
    """The pruning hooks of a module, with their keys."""
    return [(key, hook) for key, hook in module._forward_pre_hooks.items() if isinstance(hook, BasePruningMethod)]


class PruningContainer(BasePruningMethod):
    """Several methods, one after the other, each choosing among what the ones before have left."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        methods = args[0] if len(args) == 1 and isinstance(args[0], Iterable) else args
        for i, method in enumerate(methods):
            if i == 0 and isinstance(method, BasePruningMethod):
                self._tensor_name = method._tensor_name
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """One more method, of the same tensor."""
        if method is None:
            return
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, index: Any) -> Any:
        return self._pruning_methods[index]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The last method's, applied to what ``default_mask`` has left; ``default_mask`` holds the effect of the others."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(t.dtype)
        left = _left(mask, method)
        combined = mask.clone()
        combined[left] = method.compute_mask(t[left], mask[left]).to(mask.dtype)
        return combined


def _left(mask: Tensor, method: BasePruningMethod) -> Any:
    """What indexes the part of a tensor that a further pruning chooses from."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    if method.PRUNING_TYPE == "global":
        return (slice(None),) * mask.dim()
    if method.PRUNING_TYPE != "structured":
        raise AttributeError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    dim = method.dim % mask.dim()  # type: ignore[attr-defined]
    channels = mask.movedim(dim, 0).flatten(1).sum(1) != 0
    return (*[slice(None)] * dim, channels)


class Identity(BasePruningMethod):
    """Prunes nothing: the parameter only gets its mask."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask


class RandomUnstructured(BasePruningMethod):
    """Prunes elements at random."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Amount) -> None:
        check_amount(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return _without_smallest(fj.rand_like(t), default_mask, self.amount)


class L1Unstructured(BasePruningMethod):
    """Prunes the elements of the smallest absolute values."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Amount) -> None:
        check_amount(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return _without_smallest(t.abs(), default_mask, self.amount)


class _Structured(BasePruningMethod):
    """Prunes whole slices along ``dim``: those of the smallest scores."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Amount, dim: int = -1) -> None:
        check_amount(amount)
        self.amount, self.dim = amount, dim

    def _scores(self, slices: Tensor) -> Tensor:
        """Of the rows of a matrix."""
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if t.dim() <= 1:
            raise ValueError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                f"{t.shape} with {t.dim()} dims"
            )
        if not -t.dim() <= self.dim < t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        scores = self._scores(t.detach().movedim(self.dim, 0).flatten(1))
        kept = _without_smallest(scores, fj.ones_like(scores), self.amount)
        return default_mask * kept.reshape([-1 if i == self.dim % t.dim() else 1 for i in range(t.dim())])


class RandomStructured(_Structured):
    """Prunes slices along ``dim`` at random."""

    def _scores(self, slices: Tensor) -> Tensor:
        return fj.rand(slices.shape[0], dtype=slices.dtype)


class LnStructured(_Structured):
    """Prunes the slices along ``dim`` of the smallest ``n``-norms."""

    def __init__(self, amount: Amount, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _scores(self, slices: Tensor) -> Tensor:
        return slices.norm(p=self.n, dim=1)


class CustomFromMask(BasePruningMethod):
    """Prunes what a given mask says."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        assert default_mask.shape == self.mask.shape
        return default_mask * self.mask.to(default_mask.dtype)


def check_amount(amount: Any) -> None:
    """An int counts elements, a float is a share of them."""
    if isinstance(amount, bool) or not isinstance(amount, (int, float)):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 or (isinstance(amount, float) and amount > 1):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _without_smallest(scores: Tensor, mask: Tensor, amount: Amount) -> Tensor:
    """``mask`` with zeros where the scores are smallest."""
    size = scores.numel()
    count = amount if isinstance(amount, int) else round(amount * size)
    if count > size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={size}")
    mask = mask.clone(memory_format=fj.contiguous_format)
    if count:
        mask.view(-1)[scores.detach().reshape(-1).topk(count, largest=False)[1]] = 0
    return mask
