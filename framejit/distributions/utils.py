"""What distributions share: broadcasting of parameters, probabilities and their logarithms."""

from __future__ import annotations

from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.nn import functional as F


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Numbers and tensors as tensors of one shape; numbers take the dtype of the tensors."""
    tensors = [value for value in values if isinstance(value, Tensor)]
    if len(tensors) < len(values):
        if not all(isinstance(value, (Tensor, int, float)) for value in values):
            raise ValueError(
                "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
            )
        dtype = tensors[0].dtype if tensors else fj.get_default_dtype()
        values = tuple([v if isinstance(v, Tensor) else fj.tensor(v, dtype=dtype) for v in values])
    return tuple(fj.broadcast_tensors(*values))


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities kept away from 0 and 1, so that their logarithms are finite."""
    eps = fj.finfo(probs.dtype).eps
    return probs.clamp(eps, 1 - eps)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities of (binary or categorical) logits."""
    return logits.sigmoid() if is_binary else F.softmax(logits, -1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Log-odds of binary probabilities, logarithms of categorical ones."""
    probs = clamp_probs(probs)
    return probs.log() - (-probs).log1p() if is_binary else probs.log()


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Tensor:
    return fj.randn(tuple(shape), dtype=dtype, device=device)


def sum_rightmost(value: Tensor, dims: int) -> Tensor:
    """``value`` summed over its last ``dims`` dims."""
    return value.flatten(-dims).sum(-1) if dims else value


class lazy_property:
    """A property that is computed once, when it is first read."""

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with fj.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The elements of square matrices up to the diagonal ``diag``, row by row."""
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    rows, columns = fj.tril_indices(n, n, diag)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """The inverse of :func:`tril_matrix_to_vec`, with zeros elsewhere."""
    count = vec.shape[-1]
    n = round((-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2)
    rows, columns = fj.tril_indices(n, n, diag)
    if len(rows) != count:
        raise ValueError(
            f"The size of last dimension is {count} which cannot be expressed as the lower triangular part of a square D x D "
            "matrix."
        )
    matrix = vec.new_zeros((*vec.shape[:-1], n, n))
    matrix[..., rows, columns] = vec
    return matrix
