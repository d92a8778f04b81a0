"""``SummaryWriter``: numbers, texts, histograms and images in a log folder."""

from __future__ import annotations

import datetime
import os
import pathlib
import socket
import time
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from framejit import Tensor
from framejit.utils.tensorboard import events

_files = 0  # how many this process has opened: two writers of one folder get files of their own


class FileWriter:
    """One file of events in a folder."""

    def __init__(self, log_dir: str | os.PathLike[str], filename_suffix: str = "") -> None:
        global _files
        folder = pathlib.Path(log_dir)
        folder.mkdir(parents=True, exist_ok=True)
        now = time.time()
        name = f"events.out.tfevents.{int(now)}.{socket.gethostname()}.{os.getpid()}.{_files}{filename_suffix}"
        _files += 1
        self._file = open(folder / name, "ab")  # noqa: SIM115  (closed by `close`)
        self._file.write(events.record(events.version_event(now)))

    def add_value(self, value: bytes, global_step: int | None, walltime: float | None) -> None:
        """Appends a ``Summary.Value`` of :mod:`framejit.utils.tensorboard.events`."""
        event = events.summary_event(time.time() if walltime is None else walltime, global_step or 0, value)
        self._file.write(events.record(event))

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self._file.close()


class SummaryWriter:
    """Writes what TensorBoard shows. Data may be tensors, NumPy arrays or Python numbers.

    Args:
        log_dir: the folder (default: ``runs/<date>_<host><comment>``).
        purge_step, max_queue, flush_secs: accepted; events are written at once.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ) -> None:
        if log_dir is None:
            date = datetime.datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{date}_{socket.gethostname()}{comment}")
        self.log_dir = os.fspath(log_dir)
        self._suffix = filename_suffix
        self._writers = {"": FileWriter(log_dir, filename_suffix)}
        self.file_writer = self._writers[""]

    def get_logdir(self) -> str:
        """The folder of this writer's file."""
        return self.log_dir

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """A point of the curve ``tag``."""
        self.file_writer.add_value(events.scalar_value(tag, float(scalar_value)), global_step, walltime)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """A point of several curves in one diagram: each curve has a folder of its own, as TensorBoard expects."""
        for tag, value in tag_scalar_dict.items():
            folder = f"{main_tag.replace('/', '_')}_{tag}"
            if folder not in self._writers:
                self._writers[folder] = FileWriter(os.path.join(self.log_dir, folder), self._suffix)
            self._writers[folder].add_value(
                events.scalar_value(main_tag, float(value)), global_step, walltime
            )

    def add_text(
        self, tag: str, text_string: str, global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """A text, shown as Markdown."""
        value = events.text_value(f"{tag}/text_summary", text_string)
        self.file_writer.add_value(value, global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: int | None = None,
        bins: str | int = "auto",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """The distribution of ``values``; ``bins`` is NumPy's."""
        array = _array(values)
        if array.size == 0:
            raise ValueError("The input has no element.")
        self.file_writer.add_value(events.histogram_value(tag, array, bins), global_step, walltime)

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """An image, of uint8 or of numbers in [0, 1]; ``dataformats`` names its dims (``"HW"``: grey)."""
        array = _array(img_tensor)
        if array.ndim != len(dataformats):
            raise ValueError(
                f"add_image: got {array.ndim} dims, expected {len(dataformats)} ({dataformats})"
            )
        order = [dataformats.upper().index(dim) for dim in "HWC" if dim in dataformats.upper()]
        pixels = array.transpose(order)
        pixels = pixels[:, :, None] if pixels.ndim == 2 else pixels
        if pixels.dtype != np.uint8:
            pixels = (pixels.astype(np.float32) * 255).clip(0, 255).astype(np.uint8)
        self.file_writer.add_value(events.image_value(tag, pixels), global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """A batch of images, side by side."""
        position = dataformats.upper().index("N")
        rest = dataformats.upper().replace("N", "")
        images: Iterable[np.ndarray] = np.moveaxis(_array(img_tensor), position, 0)
        row = np.concatenate(list(images), axis=rest.index("W"))
        self.add_image(tag, row, global_step, walltime, rest)

    def flush(self) -> None:
        for writer in self._writers.values():
            writer.flush()

    def close(self) -> None:
        for writer in self._writers.values():
            writer.close()

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _array(values: Any) -> np.ndarray:
    return values.detach().cpu().numpy() if isinstance(values, Tensor) else np.asarray(values)
