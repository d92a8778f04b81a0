"""SummaryWriter takes tensors; the files are read back with the protocol buffers of tensorboardX."""

import struct

import pytest

import framejit as fj

tensorboardX = pytest.importorskip("tensorboardX")
from tensorboardX.proto.event_pb2 import Event  # noqa: E402

from framejit.utils.tensorboard import SummaryWriter  # noqa: E402


def values(folder):
    """The summary values of the one file of a folder, with their steps."""
    (file,) = folder.glob("events.out.tfevents.*")
    content, found = file.read_bytes(), []
    while content:
        (size,) = struct.unpack("<Q", content[:8])
        event = Event.FromString(content[12 : 12 + size])
        found += [(event.step, value) for value in event.summary.value]
        content = content[16 + size :]
    return found


def test_scalars(tmp_path):
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_scalar("loss", fj.tensor(2.5, requires_grad=True) * 2, 300)
        writer.add_scalars("both", {"train": fj.tensor(1.0), "test": 2.0}, 1)
    ((step, value),) = values(tmp_path)
    assert (step, value.tag, value.simple_value) == (300, "loss", 5.0)
    ((_, value),) = values(tmp_path / "both" / "train")
    assert value.simple_value == 1.0


def test_histogram_image_and_keywords(tmp_path):
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_histogram("h", values=fj.tensor([0.0, 1, 1, 4]), global_step=2)
        writer.add_image("i", fj.zeros(3, 2, 4, dtype=fj.uint8))
    (step, histogram), (_, image) = values(tmp_path)
    assert step == 2 and histogram.histo.num == 4 and histogram.histo.sum == 6
    assert (image.image.height, image.image.width) == (2, 4)
