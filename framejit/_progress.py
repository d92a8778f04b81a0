"""A progress bar for where the package tqdm is not installed: the part of its interface that downloads use."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any


class Progress:
    """Counts to ``total`` and shows the share on stderr, at whole percents."""

    def __init__(
        self, iterable: Iterable[Any] | None = None, total: int | None = None, disable: bool = False, **options: Any
    ) -> None:
        self.iterable, self.total, self.disable, self.n = iterable, total, disable, 0
        self._shown = -1

    def update(self, n: int = 1) -> None:
        self.n += n
        percent = 100 * self.n // self.total if self.total else 0
        if not self.disable and percent != self._shown:
            self._shown = percent
            print(f"\r{percent} %" if self.total else f"\r{self.n}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if not self.disable and self._shown >= 0:
            print(file=sys.stderr)

    def __iter__(self) -> Iterator[Any]:
        with self:
            for item in self.iterable or ():
                yield item
                self.update()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
