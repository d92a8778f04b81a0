"""PyTorch's path of what a worker process knows about itself."""

from __future__ import annotations

import os

from framejit.utils.data.worker import WorkerInfo, get_worker_info

__all__ = ["ManagerWatchdog", "WorkerInfo", "get_worker_info"]


class ManagerWatchdog:
    """Tells a worker whether the process that started it is alive."""

    def __init__(self) -> None:
        self.manager_pid = os.getppid()
        self.manager_dead = False

    def is_alive(self) -> bool:
        self.manager_dead = self.manager_dead or os.getppid() != self.manager_pid
        return not self.manager_dead
