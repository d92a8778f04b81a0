"""Versions, under PyTorch's names."""

from framejit import __version__ as __version__

cuda = None
hip = None
debug = False
git_version = "unknown"
