"""PyTorch's path of what a worker process knows about itself."""

from framejit.utils.data.worker import WorkerInfo, get_worker_info

__all__ = ["WorkerInfo", "get_worker_info"]
