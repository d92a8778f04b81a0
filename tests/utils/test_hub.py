"""fj.hub: folders with a hubconf.py; downloads by file:// addresses."""

import hashlib

import pytest

import framejit as fj

HUBCONF = """
from parts import WIDTH

dependencies = ["torch", "numpy"]

def make(depth, bias=True):
    "A stack."
    import framejit as fj
    return fj.nn.Sequential(*(fj.nn.Linear(WIDTH, WIDTH, bias) for _ in range(depth)))
"""


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "hubconf.py").write_text(HUBCONF)
    (tmp_path / "parts.py").write_text("WIDTH = 3")
    return str(tmp_path)


def test_load_from_a_folder(repository):
    model = fj.hub.load(repository, "make", 2, source="local", bias=False)
    assert len(model) == 2 and model(fj.ones(3)).shape == (3,) and model[0].bias is None
    with pytest.raises(RuntimeError, match="Cannot find callable other"):
        fj.hub.load(repository, "other", source="local")
    with pytest.raises(ValueError, match="Unknown source"):
        fj.hub.load(repository, "make", source="elsewhere")
    with pytest.raises(ValueError, match="owner/name"):
        fj.hub.load(repository, "make")


def test_missing_dependencies_are_named(tmp_path):
    (tmp_path / "hubconf.py").write_text("dependencies = ['no_such_package']\ndef f(): pass")
    with pytest.raises(RuntimeError, match="Missing dependencies: no_such_package"):
        fj.hub.load(str(tmp_path), "f", source="local")


def test_downloads(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("FRAMEJIT_HOME", str(tmp_path / "home"))
    assert fj.hub.get_dir() == str(tmp_path / "home" / "hub")
    source = tmp_path / "w.pt"
    fj.save({"w": fj.ones(2)}, source)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    target = tmp_path / "copy.pt"
    fj.hub.download_url_to_file(source.as_uri(), target, digest[:10], progress=False)
    assert target.read_bytes() == source.read_bytes() and capsys.readouterr().err == ""
    target.unlink()
    with pytest.raises(RuntimeError, match="invalid hash value"):
        fj.hub.download_url_to_file(source.as_uri(), target, "0" * 8)
    assert not target.exists()
    state = fj.hub.load_state_dict_from_url(source.as_uri(), progress=False)
    assert state["w"].tolist() == [1, 1]
    assert (tmp_path / "home" / "hub" / "checkpoints" / "w.pt").exists()
