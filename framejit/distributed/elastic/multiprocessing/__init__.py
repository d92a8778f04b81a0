"""The processes of one machine."""

from framejit.distributed.elastic.multiprocessing import errors as errors

__all__ = ["errors"]
