"""Modules as functions of their parameters."""

from framejit.nn.utils.stateless import functional_call

__all__ = ["functional_call"]
