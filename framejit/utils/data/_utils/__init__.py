"""PyTorch's paths of what loaders are made of: collating functions, workers, and the watch over them."""

import sys

from framejit._utils import ExceptionWrapper
from framejit.utils.data._utils import collate, pin_memory, signal_handling, worker
from framejit.utils.data.worker import POLL_SECONDS as MP_STATUS_CHECK_INTERVAL

__all__ = [
    "IS_WINDOWS",
    "MP_STATUS_CHECK_INTERVAL",
    "ExceptionWrapper",
    "collate",
    "pin_memory",
    "python_exit_status",
    "signal_handling",
    "worker",
]

IS_WINDOWS = sys.platform == "win32"
python_exit_status = False
