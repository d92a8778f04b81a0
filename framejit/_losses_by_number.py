"""Losses under ``torch``'s own names, which take ``reduction`` as a number, and other functions that modules call in old programs."""

from __future__ import annotations

from typing import Any, NoReturn

import framejit as fj
from framejit import Tensor
from framejit.nn import functional as F

__all__ = [
    "affine_grid_generator", "bilinear", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "ctc_loss", "eig",
    "frobenius_norm", "hinge_embedding_loss", "kl_div", "lstsq", "margin_ranking_loss", "matrix_rank", "norm_except_dim",
    "poisson_nll_loss", "solve", "symeig", "triplet_margin_loss",
]  # fmt: skip

_REDUCTIONS = ("none", "mean", "sum")

bilinear = F.bilinear
affine_grid_generator = F.affine_grid


def kl_div(input: Tensor, target: Tensor, reduction: int = 1, *, log_target: bool = False) -> Tensor:
    """See :func:`framejit.nn.functional.kl_div`."""
    return F.kl_div(input, target, reduction=_REDUCTIONS[reduction], log_target=log_target)


def hinge_embedding_loss(self: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 1) -> Tensor:
    """See :func:`framejit.nn.functional.hinge_embedding_loss`."""
    return F.hinge_embedding_loss(self, target, margin=margin, reduction=_REDUCTIONS[reduction])


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 1
) -> Tensor:
    """See :func:`framejit.nn.functional.cosine_embedding_loss`."""
    return F.cosine_embedding_loss(input1, input2, target, margin=margin, reduction=_REDUCTIONS[reduction])


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 1
) -> Tensor:
    """See :func:`framejit.nn.functional.margin_ranking_loss`."""
    return F.margin_ranking_loss(input1, input2, target, margin=margin, reduction=_REDUCTIONS[reduction])


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 1,
) -> Tensor:
    """See :func:`framejit.nn.functional.triplet_margin_loss`."""
    options: dict[str, Any] = dict(margin=margin, p=p, eps=eps, swap=swap, reduction=_REDUCTIONS[reduction])
    return F.triplet_margin_loss(anchor, positive, negative, **options)


def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int
) -> Tensor:
    """See :func:`framejit.nn.functional.poisson_nll_loss`."""
    options: dict[str, Any] = dict(log_input=log_input, full=full, eps=eps, reduction=_REDUCTIONS[reduction])
    return F.poisson_nll_loss(input, target, **options)


def binary_cross_entropy_with_logits(
    self: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: int = 1,
) -> Tensor:
    """See :func:`framejit.nn.functional.binary_cross_entropy_with_logits`."""
    options: dict[str, Any] = dict(weight=weight, pos_weight=pos_weight, reduction=_REDUCTIONS[reduction])
    return F.binary_cross_entropy_with_logits(self, target, **options)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> Tensor:
    """See :func:`framejit.nn.functional.ctc_loss`."""
    options: dict[str, Any] = dict(blank=blank, reduction=_REDUCTIONS[reduction], zero_infinity=zero_infinity)
    return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, **options)


def frobenius_norm(self: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """The root of the sum of squares over ``dim``."""
    return fj.linalg.vector_norm(self, dim=dim, keepdim=keepdim)


def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The ``pow``-norms over all dims but ``dim``, which are kept; over all where it is -1."""
    if dim == -1:
        return fj.linalg.vector_norm(v, pow)
    others = [i for i in range(v.dim()) if i != dim % v.dim()]
    return fj.linalg.vector_norm(v, pow, dim=others, keepdim=True)


def _removed(name: str, advice: str) -> Any:
    def function(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(f"{name}: PyTorch has removed this function. Try {advice}.")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Removed from PyTorch too. Try {advice}."
    return function


symeig = _removed("symeig", "linalg.eigh, or linalg.eigvalsh for values alone")
eig = _removed("eig", "linalg.eig, or linalg.eigvals for values alone")
lstsq = _removed("lstsq", "linalg.lstsq, whose arguments are in the other order")
solve = _removed("solve", "linalg.solve, whose arguments are in the other order")
matrix_rank = _removed("matrix_rank", "linalg.matrix_rank")
