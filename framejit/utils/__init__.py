"""Utilities around training: ``data`` (datasets and loaders)."""

from framejit.utils import data as data

__all__ = ["data"]
