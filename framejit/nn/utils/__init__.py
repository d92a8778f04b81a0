"""Helpers over parameters: gradient clipping, flat vectors."""

from framejit.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_
from framejit.nn.utils.vector import parameters_to_vector, vector_to_parameters

__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "vector_to_parameters"]
