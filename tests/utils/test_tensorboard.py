"""SummaryWriter: the files are read back by a reader written from the format's description, not by the writer's code."""

import struct
import zlib

import numpy as np
import pytest

import framejit as fj
from framejit.utils.tensorboard import SummaryWriter


def crc32c(content):
    """Bit by bit."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(content):
    crc = crc32c(content)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) % 2**32


def fields(message):
    """{field: [value]} of a protocol buffer; messages inside stay bytes."""
    found, at = {}, 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = number()
        if key % 8 == 0:
            value = number()
        else:
            size = {1: 8, 5: 4}.get(key % 8) or number()
            value = message[at : at + size]
            at += size
        found.setdefault(key // 8, []).append(value)
    return found


def read(folder):
    (file,) = folder.glob("events.out.tfevents.*")
    content, events = file.read_bytes(), []
    while content:
        (size,) = struct.unpack("<Q", content[:8])
        assert struct.unpack("<I", content[8:12]) == (masked(content[:8]),)
        event = content[12 : 12 + size]
        assert struct.unpack("<I", content[12 + size : 16 + size]) == (masked(event),)
        events.append(fields(event))
        content = content[16 + size :]
    assert events[0][3] == [b"brain.Event:2"]
    return events[1:]


def test_crc32c():
    assert crc32c(b"123456789") == 0xE3069283


def only_value(event):
    (summary,) = event[5]
    return fields(fields(summary)[1][0])


def test_scalars(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", fj.tensor(2.5), 300, walltime=7.0)
        writer.add_scalar("loss", 1.5)
        writer.add_scalars("both", {"train": 1, "test": 2.0}, 1)
    first, second = read(tmp_path)
    assert first[1] == [struct.pack("<d", 7.0)] and first[2] == [300]
    assert only_value(first) == {1: [b"loss"], 2: [struct.pack("<f", 2.5)]} and second[2] == [0]
    (test,) = read(tmp_path / "both_test")
    assert only_value(test) == {1: [b"both"], 2: [struct.pack("<f", 2.0)]}


def test_histogram(tmp_path):
    values = fj.tensor([0.0, 1, 1, 4])
    with SummaryWriter(tmp_path) as writer:
        writer.add_histogram("h", values, 1, bins=4)
        with pytest.raises(ValueError, match="no element"):
            writer.add_histogram("h", fj.empty(0))
    (event,) = read(tmp_path)
    histogram = fields(only_value(event)[5][0])
    statistics = [struct.unpack("<d", histogram[field][0])[0] for field in range(1, 6)]
    assert statistics == [0, 4, 4, 6, 18]
    assert np.frombuffer(histogram[6][0]).tolist() == [1, 2, 3, 4]
    assert np.frombuffer(histogram[7][0]).tolist() == [1, 2, 0, 1]


def test_images_and_text(tmp_path):
    pixels = fj.arange(24, dtype=fj.uint8).reshape(3, 2, 4)
    with SummaryWriter(tmp_path) as writer:
        writer.add_image("i", pixels)
        writer.add_images("is", fj.stack([fj.zeros(1, 2, 4), fj.ones(1, 2, 4)]))
        writer.add_text("t", "hello")
        with pytest.raises(ValueError, match="expected 3"):
            writer.add_image("i", pixels[0])
    one, two, text = (only_value(event) for event in read(tmp_path))
    assert decode(one).tolist() == pixels.permute(1, 2, 0).tolist()
    assert decode(two)[:, :, 0].tolist() == [[0] * 4 + [255] * 4] * 2
    assert fields(text[8][0])[8] == [b"hello"] and text[1] == [b"t/text_summary"]


def decode(value):
    """The pixels of an image whose rows are stored unfiltered."""
    image = fields(value[4][0])
    height, width, channels = (image[field][0] for field in (1, 2, 3))
    content = image[4][0]
    assert content[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", content[16:24]) == (width, height)
    at = content.index(b"IDAT")
    (size,) = struct.unpack(">I", content[at - 4 : at])
    rows = np.frombuffer(zlib.decompress(content[at + 4 : at + 4 + size]), np.uint8).reshape(height, -1)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, channels)
