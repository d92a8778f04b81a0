"""save and load: PyTorch's files both ways, damaged files, and files that try to run code."""

import collections
import io
import os
import pickle
import zipfile

import numpy as np
import pytest

import framejit as fj
from framejit import serialization
from framejit.serialization.allowed import STORAGE_CLASSES


def through_file(obj, path, **options):
    fj.save(obj, path)
    return fj.load(path, **options)


@pytest.fixture(params=["path", "buffer", "mmap"])
def roundtrip(request, tmp_path):
    def buffer(obj):
        stream = io.BytesIO()
        fj.save(obj, stream)
        stream.seek(0)
        return fj.load(stream)

    return {
        "path": lambda obj: through_file(obj, tmp_path / "object.pt"),
        "mmap": lambda obj: through_file(obj, tmp_path / "object.pt", mmap=True),
        "buffer": buffer,
    }[request.param]


DTYPES = [name for name in STORAGE_CLASSES.values() if hasattr(fj, name)]


def test_objects_survive(roundtrip):
    obj = {
        "numbers": [1, 2.5, True, None, 3 + 4j, 1 << 70], "text": ("a", b"b\xff"), 5: {1, 2},
        "fj": (fj.Size([2, 3]), fj.float64, fj.device("cpu")), "ordered": collections.OrderedDict(z=1, a=2),
    }  # fmt: skip
    again = roundtrip(obj)
    assert again == obj and type(again["fj"][0]) is fj.Size and list(again["ordered"]) == ["z", "a"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_tensors_survive(roundtrip, dtype):
    x = fj.arange(24).reshape(2, 3, 4).to(getattr(fj, dtype))
    for tensor in (x, x.permute(2, 0, 1), x[1, :, ::2], x[0, 0, 0], x[:, :0]):
        again = roundtrip(tensor)
        assert again.tolist() == tensor.tolist()
        assert (again.dtype, again.shape, again.stride()) == (tensor.dtype, tensor.shape, tensor.stride())


def test_sharing_and_grad_mode_survive(roundtrip):
    x = fj.zeros(4, requires_grad=True)
    weight = fj.nn.Parameter(fj.ones(2), requires_grad=False)
    again, part, (parameter, same) = roundtrip((x, x.detach()[1:], [weight, weight]))
    part += 1
    assert again.tolist() == [0, 1, 1, 1] and again.requires_grad and not part.requires_grad
    assert type(parameter) is fj.nn.Parameter and parameter is same and not parameter.requires_grad


def test_training_goes_on_from_a_checkpoint(tmp_path):
    def make():
        fj.manual_seed(0)
        model = fj.nn.Sequential(fj.nn.Linear(4, 8), fj.nn.ReLU(), fj.nn.Linear(8, 1))
        return model, fj.optim.AdamW(model.parameters(), lr=0.01)

    def step(model, optimizer, seed):
        optimizer.zero_grad()
        fj.manual_seed(seed)
        loss = model(fj.randn(16, 4)).square().mean()
        loss.backward()
        optimizer.step()
        return loss.item()

    model, optimizer = make()
    for seed in range(3):
        step(model, optimizer, seed)
    fj.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path / "checkpoint.pt")
    expected = [step(model, optimizer, seed) for seed in range(3, 6)]
    model, optimizer = make()
    state = fj.load(tmp_path / "checkpoint.pt")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    assert [step(model, optimizer, seed) for seed in range(3, 6)] == expected


def test_storages_are_aligned(tmp_path):
    fj.save([fj.ones(3), fj.ones(5)], tmp_path / "x.pt")
    with zipfile.ZipFile(tmp_path / "x.pt") as archive, open(tmp_path / "x.pt", "rb") as file:
        for record in archive.infolist():
            file.seek(record.header_offset + 26)
            name, extra = np.frombuffer(file.read(4), "<u2")
            assert (record.header_offset + 30 + int(name) + int(extra)) % 64 == 0


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "x.pt"
    fj.save(1, path)
    with pytest.raises(RuntimeError, match="detach"):
        fj.save([fj.ones(2), fj.ones(2, requires_grad=True) * 2], path)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        fj.save(lambda: None, path)
    assert fj.load(path) == 1 and os.listdir(tmp_path) == ["x.pt"]


def test_bad_arguments(tmp_path):
    with pytest.raises(FileNotFoundError):
        fj.load(tmp_path / "none.pt")
    with pytest.raises(RuntimeError, match="does not exist"):
        fj.save(1, tmp_path / "none" / "x.pt")
    with pytest.raises(AttributeError, match="write"):
        fj.save(1, 5)
    with pytest.raises(AttributeError, match="int"):
        fj.load(5)
    with pytest.raises(ValueError, match="pickle_protocol"):
        fj.save(1, tmp_path / "x.pt", pickle_protocol=4)
    with pytest.raises(ValueError, match="add_safe_globals"):
        fj.load(tmp_path / "x.pt", weights_only=False)
    with pytest.raises(ValueError, match="path"):
        fj.load(io.BytesIO(), mmap=True)


def test_damaged_files(tmp_path):
    path = tmp_path / "x.pt"
    fj.save({"a": fj.arange(1000), "b": fj.ones(10)}, path)
    data = path.read_bytes()
    for length in (0, 10, len(data) // 2, len(data) - 10):
        with pytest.raises(RuntimeError, match="load"):
            fj.load(io.BytesIO(data[:length]))
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 0x40
    with pytest.raises(RuntimeError, match="damaged"):
        fj.load(io.BytesIO(flipped))
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(RuntimeError, match="save or torch.save"):
        fj.load(path)


def archive_of(pickled, **records):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("x/data.pkl", pickled)
        for name, data in records.items():
            archive.writestr(f"x/{name}", data)
    stream.seek(0)
    return stream


class Evil:
    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("function", [os.system, eval, getattr, fj.load, __import__, pickle.loads])
def test_files_run_no_code(function):
    with pytest.raises(pickle.UnpicklingError, match="add_safe_globals"):
        fj.load(archive_of(pickle.dumps(Evil(function, "raise SystemExit"), 2)))


def test_files_cannot_reach_beyond_a_storage():
    pickler = serialization.Pickler()
    data = pickler.dumps(fj.ones(4))
    with pytest.raises(RuntimeError, match="4 elements"):
        fj.load(archive_of(data, **{"data/0": b"1234"}))
    with pytest.raises(RuntimeError, match="no record"):
        fj.load(archive_of(data))
    with pytest.raises(RuntimeError, match="out of bounds"):
        fj.load(archive_of(data.replace(b"K\x04\x85", b"K\x05\x85"), **{"data/0": bytes(16)}))


class Point:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x


def test_classes_that_the_user_allows(tmp_path):
    fj.save(Point(3), tmp_path / "x.pt")
    with pytest.raises(pickle.UnpicklingError, match="Point"):
        fj.load(tmp_path / "x.pt")
    with serialization.safe_globals([Point]):
        assert serialization.get_safe_globals() == [Point]
        assert fj.load(tmp_path / "x.pt") == Point(3)
    assert serialization.get_safe_globals() == []
    renamed = archive_of(b"\x80\x02cold.module\nPlace\nK\x01\x85R.")
    with serialization.safe_globals([(Point, "old.module.Place")]):
        assert fj.load(renamed) == Point(1)


def test_map_location():
    pickler = serialization.Pickler()
    data = pickler.dumps(fj.ones(2)).replace(b"X\x03\x00\x00\x00cpu", b"X\x06\x00\x00\x00cuda:0")
    file = lambda: archive_of(data, **{"data/0": np.ones(2, "f4").tobytes()})  # noqa: E731
    with pytest.raises(RuntimeError, match="map_location='cpu'"):
        fj.load(file())
    seen = []
    for where in (
        "cpu",
        fj.device("cpu"),
        {"cuda:0": "cpu"},
        lambda storage, location: seen.append(location) or storage,
    ):
        assert fj.load(file(), map_location=where).tolist() == [1, 1]
    assert seen == ["cuda:0"]


# --- PyTorch ----------------------------------------------------------------------------------------------------------


def test_pytorch_reads_our_files_and_we_read_pytorchs(tmp_path):
    torch = pytest.importorskip("torch")

    def make(library):
        x = library.arange(12, dtype=library.float64).reshape(3, 4)
        model = library.nn.Linear(2, 2)
        optimizer = library.optim.Adam(model.parameters())
        model(library.ones(1, 2)).sum().backward()
        optimizer.step()
        return {
            "x": x, "t": x.t(), "part": x[1], "int": library.tensor([1, 2]), "bool": library.tensor(True), "none": library.zeros(0),
            "model": model.state_dict(), "optimizer": optimizer.state_dict(), "p": model.weight, "size": x.shape, "n": [1, 2.0, "c", b"d"],
        }  # fmt: skip

    def compare(a, b):
        if isinstance(a, dict):
            assert a.keys() == b.keys()
            return [compare(a[key], b[key]) for key in a]
        if isinstance(a, (list, tuple)):
            assert len(a) == len(b)
            return [compare(x, y) for x, y in zip(a, b)]
        if hasattr(a, "detach"):
            assert np.array_equal(a.detach().numpy(), b.detach().numpy()) and a.stride() == b.stride()
            assert (
                a.requires_grad == b.requires_grad
                and str(a.dtype).split(".")[1] == str(b.dtype).split(".")[1]
            )
        elif type(a).__module__ not in ("torch", "framejit"):
            assert a == b

    ours, theirs = make(fj), make(torch)
    fj.save(ours, tmp_path / "ours.pt")
    compare(ours, torch.load(tmp_path / "ours.pt"))
    compare(ours, torch.load(tmp_path / "ours.pt", mmap=True))
    torch.save(theirs, tmp_path / "theirs.pt")
    for options in ({}, {"mmap": True}):
        again = fj.load(tmp_path / "theirs.pt", **options)
        compare(again, theirs)
        assert again["x"].untyped_storage() is again["part"].untyped_storage()
        assert type(again["p"]) is fj.nn.Parameter
    legacy = tmp_path / "legacy.pt"
    torch.save(theirs, legacy, _use_new_zipfile_serialization=False)
    with pytest.raises(RuntimeError, match="1.6 or later"):
        fj.load(legacy)
