"""TensorBoard's file format, as much of it as ``SummaryWriter`` writes.

A file is a sequence of records: length (8 bytes), its checksum, the bytes of an ``Event``, their checksum. An ``Event`` is a
protocol buffer: a sequence of fields, each a key (number of the field, kind of its value) and a value. A message inside a
message is a field of bytes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable

import numpy as np

# --- protocol buffers -------------------------------------------------------------------------------------------------
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5


def varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; the top bit says that more follow. Negative numbers are 64-bit."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(field: int, value: int) -> bytes:
    return varint(field << 3 | _VARINT) + varint(value)


def double(field: int, value: float) -> bytes:
    return varint(field << 3 | _EIGHT_BYTES) + struct.pack("<d", value)


def single(field: int, value: float) -> bytes:
    return varint(field << 3 | _FOUR_BYTES) + struct.pack("<f", value)


def data(field: int, value: bytes | str) -> bytes:
    """A string, or a message inside a message."""
    encoded = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | _BYTES) + varint(len(encoded)) + encoded


def doubles(field: int, values: Iterable[float]) -> bytes:
    return data(field, np.asarray(values, "<f8").tobytes())


# --- values of a summary ----------------------------------------------------------------------------------------------
def scalar_value(tag: str, value: float) -> bytes:
    return data(1, tag) + single(2, value)


def text_value(tag: str, text: str) -> bytes:
    plugin = data(9, data(1, data(1, "text")))
    string_tensor = integer(1, 7) + data(2, data(2, integer(1, 1))) + data(8, text)
    return data(1, tag) + data(8, string_tensor) + plugin


def histogram_value(tag: str, values: np.ndarray, bins: str | int) -> bytes:
    flat = values.astype(np.float64).ravel()
    counts, edges = np.histogram(flat, bins)
    statistics = (flat.min(), flat.max(), flat.size, flat.sum(), (flat * flat).sum())
    message = b"".join(double(field, float(value)) for field, value in enumerate(statistics, 1))
    return data(1, tag) + data(5, message + doubles(6, edges[1:]) + doubles(7, counts))


def image_value(tag: str, pixels: np.ndarray) -> bytes:
    """``pixels``: uint8, height x width x channels (1, 3 or 4)."""
    height, width, channels = pixels.shape
    image = integer(1, height) + integer(2, width) + integer(3, channels) + data(4, png(pixels))
    return data(1, tag) + data(4, image)


def png(pixels: np.ndarray) -> bytes:
    """A PNG file of uint8 pixels, height x width x channels."""
    height, width, channels = pixels.shape
    color_type = {1: 0, 3: 2, 4: 6}[channels]
    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(pixels))  # 0: the row is stored as it is

    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


# --- records ----------------------------------------------------------------------------------------------------------
def version_event(wall_time: float) -> bytes:
    """What a file begins with."""
    return double(1, wall_time) + data(3, "brain.Event:2")


def summary_event(wall_time: float, step: int, value: bytes) -> bytes:
    return double(1, wall_time) + integer(2, step) + data(5, data(1, value))


def record(event: bytes) -> bytes:
    length = struct.pack("<Q", len(event))
    return length + _checksum(length) + event + _checksum(event)


def _crc_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_CRC_TABLE = _crc_table()


def _checksum(content: bytes) -> bytes:
    """CRC-32C, rotated and shifted, so that the checksum of a checksum is no fixed value."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc = crc >> 8 ^ _CRC_TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)
