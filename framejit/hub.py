"""Models and weights from elsewhere, in PyTorch's names: folders and GitHub repositories with a ``hubconf.py``, files at URLs.

Downloads are kept below :func:`get_dir`. :func:`load_state_dict_from_url` runs no code of the file; :func:`load`, :func:`list`
and :func:`help` do run the repository's ``hubconf.py``, which is what they are for.
"""

from __future__ import annotations

import builtins
import hashlib
import importlib.util
import os
import pathlib
import re
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable
from types import ModuleType
from typing import Any
from urllib.parse import urlparse

from tqdm.auto import tqdm as tqdm

import framejit as fj

__all__ = [
    "download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir",
]  # fmt: skip

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
_HUBCONF = "hubconf.py"
_folder: pathlib.Path | None = None


def get_dir() -> str:
    """Where downloads are kept: what :func:`set_dir` said, else ``hub`` in ``$FRAMEJIT_HOME`` or the user's cache folder."""
    return str(_folder or cache_folder() / "hub")


def set_dir(d: str | os.PathLike[str]) -> None:
    """Keeps downloads in folder ``d`` from now on."""
    global _folder
    _folder = pathlib.Path(d).expanduser()


def cache_folder() -> pathlib.Path:
    """``$FRAMEJIT_HOME``, else ``framejit`` in the user's cache folder."""
    home = os.environ.get("FRAMEJIT_HOME")
    if home:
        return pathlib.Path(home)
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "framejit"


def _get_torch_home() -> str:
    """PyTorch's name of :func:`cache_folder`."""
    return str(cache_folder())


# --- files ------------------------------------------------------------------------------------------------------------
def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = True,
) -> Any:
    """What :func:`framejit.load` reads from the file at ``url``. No code of the file is run.

    Args:
        model_dir: where files are kept (default: ``checkpoints`` in :func:`get_dir`).
        check_hash: the file's name holds the first digits of its SHA-256, ``name-<digits>.ext``, which must be right.
        progress: show how much has come.
        weights_only: accepted; nothing else is ever loaded.

    Raises:
        RuntimeError: the file does not have the hash that its name claims.
    """
    folder = pathlib.Path(model_dir) if model_dir else pathlib.Path(get_dir()) / "checkpoints"
    name = file_name or pathlib.PurePosixPath(urlparse(url).path).name
    target = folder / name
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        found = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, target, found.group(1) if found else None, progress)
    return fj.load(target, map_location=map_location)


def download_url_to_file(
    url: str, dst: str | os.PathLike[str], hash_prefix: str | None = None, progress: bool = True
) -> None:
    """The file at ``url`` as file ``dst``. Written beside it first: a broken download leaves no file of that name.

    Args:
        hash_prefix: the first digits of the SHA-256 that the file must have.
        progress: show how much has come.

    Raises:
        RuntimeError: the file has another hash.
    """
    digest = hashlib.sha256()
    target = pathlib.Path(dst).expanduser()
    with (
        urllib.request.urlopen(url) as source,
        tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as copy,
        tqdm(total=_size(source), disable=not progress, unit="B", unit_scale=True) as bar,
    ):
        try:
            while block := source.read(1 << 20):
                copy.write(block)
                digest.update(block)
                bar.update(len(block))
            copy.close()
            if hash_prefix and not digest.hexdigest().startswith(hash_prefix):
                raise RuntimeError(
                    f'invalid hash value (expected "{hash_prefix}", got "{digest.hexdigest()}")'
                )
            os.replace(copy.name, target)
        except BaseException:
            pathlib.Path(copy.name).unlink(missing_ok=True)
            raise


def _size(source: Any) -> int | None:
    length = source.headers.get("Content-Length")
    return int(length) if length else None


# --- repositories -----------------------------------------------------------------------------------------------------
def load(
    repo_or_dir: str,
    model: str,
    *args: Any,
    source: str = "github",
    trust_repo: bool | str | None = None,
    force_reload: bool = False,
    verbose: bool = True,
    skip_validation: bool = False,
    **kwargs: Any,
) -> Any:
    """``model(*args, **kwargs)``, with the function ``model`` of a repository's ``hubconf.py``, which is run as it is.

    Args:
        repo_or_dir: ``owner/name`` or ``owner/name:branch`` on GitHub; with ``source="local"`` a folder.
        force_reload: download a repository again that is there already.
        trust_repo, verbose, skip_validation: accepted; nothing is asked, shown or looked up first.

    Raises:
        ValueError: an unknown source.
        RuntimeError: no such function, or a package that the repository names is not installed.
    """
    return _entry_point(_hubconf(repo_or_dir, source, force_reload), model)(*args, **kwargs)


def list(
    github: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: bool | str | None = None,
    verbose: bool = True,
) -> builtins.list[str]:
    """Names of the public functions in a GitHub repository's ``hubconf.py``."""
    names = vars(_hubconf(github, "github", force_reload))
    return [name for name, value in names.items() if callable(value) and not name.startswith("_")]


def help(
    github: str,
    model: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: bool | str | None = None,
) -> str | None:
    """The docstring of a function in a GitHub repository's ``hubconf.py``."""
    return _entry_point(_hubconf(github, "github", force_reload), model).__doc__


def _hubconf(repo: str, source: str, force_reload: bool) -> ModuleType:
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    folder = pathlib.Path(repo) if source == "local" else _fetch(repo, force_reload)
    sys.path.insert(0, str(folder))  # hubconf.py imports its neighbours
    try:
        return _import_module(_HUBCONF, str(folder / _HUBCONF))
    finally:
        sys.path.remove(str(folder))


def _import_module(name: str, path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RuntimeError(f"hub: {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _entry_point(module: ModuleType, name: str) -> Callable[..., Any]:
    wanted = getattr(module, "dependencies", [])
    missing = [package for package in wanted if package != "torch" and not importlib.util.find_spec(package)]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
    function = getattr(module, name, None)
    if not callable(function):
        raise RuntimeError(f"Cannot find callable {name} in hubconf")
    return function


def _fetch(repo: str, force_reload: bool) -> pathlib.Path:
    """The folder of a GitHub repository, downloaded where it is not there yet."""
    match = re.fullmatch(r"([\w.-]+)/([\w.-]+)(?::(.+))?", repo)
    if not match:
        raise ValueError(f"hub: got {repo!r}, expected owner/name or owner/name:branch")
    owner, name, branch = match.groups()
    target = pathlib.Path(get_dir()) / f"{owner}_{name}_{(branch or 'HEAD').replace('/', '_')}"
    if target.exists() and not force_reload:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        archive = pathlib.Path(scratch) / "archive.zip"
        download_url_to_file(f"https://github.com/{owner}/{name}/archive/{branch or 'HEAD'}.zip", archive)
        with zipfile.ZipFile(archive) as content:
            content.extractall(pathlib.Path(scratch) / "content")
        (only,) = (pathlib.Path(scratch) / "content").iterdir()
        if target.exists():
            target.rename(pathlib.Path(scratch) / "old")
        only.rename(target)
    return target
