"""``FileBaton``: whoever makes a file first may work; the others wait until it is gone."""

from __future__ import annotations

import os
import time


class FileBaton:
    """A lock between processes, as a file at ``lock_file_path`` that exists while someone holds it."""

    def __init__(self, lock_file_path: str, wait_seconds: float = 0.1) -> None:
        self.lock_file_path, self.wait_seconds = lock_file_path, wait_seconds
        self.fd: int | None = None

    def try_acquire(self) -> bool:
        """Takes the baton if nobody holds it; says whether it did."""
        try:
            self.fd = os.open(self.lock_file_path, os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            return False
        return True

    def wait(self) -> None:
        """Returns when nobody holds the baton."""
        while os.path.exists(self.lock_file_path):
            time.sleep(self.wait_seconds)

    def release(self) -> None:
        if self.fd is not None:
            os.close(self.fd)
        os.remove(self.lock_file_path)
