"""safetensors files, against the safetensors package."""

import json
import struct

import numpy as np
import pytest

import framejit as fj
from framejit.utils import safetensors as st


def tensors():
    return {
        "a.weight": fj.arange(12.0).reshape(3, 4), "b": fj.tensor(5), "flag": fj.tensor([True, False, True]),
        "transposed": fj.arange(6, dtype=fj.float64).reshape(2, 3).t(), "empty": fj.zeros(0, 3), "bytes": fj.tensor([1, 2], dtype=fj.uint8),
    }  # fmt: skip


def same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        assert (
            np.array_equal(np.asarray(a[name]), np.asarray(b[name]))
            and np.asarray(a[name]).dtype == np.asarray(b[name]).dtype
        )


def test_round_trips(tmp_path):
    path = tmp_path / "x.safetensors"
    st.save_file(tensors(), path, metadata={"format": "fj"})
    same(st.load_file(path), tensors())
    same(st.load(path.read_bytes()), tensors())
    assert st.save(tensors(), {"format": "fj"}) == path.read_bytes()
    with st.safe_open(path, framework="pt") as file:
        assert file.metadata() == {"format": "fj"} and sorted(file.keys()) == sorted(tensors())
        assert file.get_tensor("b").item() == 5
        with pytest.raises(st.SafetensorError, match=r"missing; it has .*a\.weight"):
            file.get_tensor("missing")
    assert all(tensor.is_contiguous() for tensor in st.load_file(path).values())


def test_the_package_reads_ours_and_we_read_its(tmp_path):
    package = pytest.importorskip("safetensors.numpy")
    st.save_file(tensors(), tmp_path / "ours.safetensors")
    same(tensors(), package.load_file(tmp_path / "ours.safetensors"))
    arrays = {name: np.ascontiguousarray(tensor.numpy()) for name, tensor in tensors().items()}
    package.save_file(arrays, tmp_path / "theirs.safetensors", metadata={"a": "b"})
    same(st.load_file(tmp_path / "theirs.safetensors"), arrays)


def test_what_cannot_be_saved():
    x = fj.ones(4)
    with pytest.raises(RuntimeError, match="'a' and 'b' share memory"):
        st.save({"a": x, "b": x[1:]})
    with pytest.raises(ValueError, match="list"):
        st.save({"a": [1.0]})
    with pytest.raises(TypeError, match="strings"):
        st.save({"a": x}, {"n": 1})


def file_of(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


ENTRY = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "too short"),
        (b"1234567", "too short"),
        (file_of({}, length=1 << 60), "header"),
        (file_of({}, length=50), "header"),
        (file_of(b"{"), "JSON"),
        (file_of([1]), "JSON object"),
        (file_of({"a": 1}), "no sense"),
        (file_of({"a": {"dtype": "F32"}}), "no sense"),
        (file_of({"a": {**ENTRY, "dtype": "X9"}}, bytes(8)), "X9"),
        (file_of({"a": {**ENTRY, "shape": [-2]}}, bytes(8)), "shape"),
        (file_of({"a": {**ENTRY, "shape": [3]}}, bytes(8)), "lies at"),
        (file_of({"a": {**ENTRY, "data_offsets": [8, 16]}}, bytes(16)), "lies at"),
        (file_of({"a": {**ENTRY, "data_offsets": [8, 0]}}, bytes(8)), "lies at"),
        (file_of({"a": ENTRY, "b": ENTRY}, bytes(8)), "lies at"),
        (file_of({"a": ENTRY}, bytes(4)), "damaged"),
        (file_of({"a": ENTRY}, bytes(12)), "damaged"),
    ],
)
def test_damaged_files(data, message):
    with pytest.raises(st.SafetensorError, match=message):
        st.load(data)
