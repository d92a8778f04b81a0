"""State dicts from the web: downloaded once, then read from a cache folder."""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
import tempfile
import urllib.parse
import urllib.request
from typing import Any

import framejit as fj

_HASH_IN_NAME = re.compile(r"-([a-f0-9]{8,})\.")


def cache_folder() -> pathlib.Path:
    """``$FRAMEJIT_HOME``, else ``framejit`` in the user's cache folder."""
    home = os.environ.get("FRAMEJIT_HOME")
    if home:
        return pathlib.Path(home)
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "framejit"


def load_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
) -> Any:
    """What :func:`framejit.load` reads from the file at ``url``. No code of the file is run.

    Args:
        model_dir: where files are kept (default: ``checkpoints`` in the cache folder).
        check_hash: the file's name holds the first digits of its SHA-256, ``name-<digits>.ext``, which must be right.
        progress: accepted; nothing is shown.

    Raises:
        RuntimeError: the file does not have the hash that its name claims.
    """
    folder = pathlib.Path(model_dir) if model_dir else cache_folder() / "checkpoints"
    name = file_name or pathlib.PurePosixPath(urllib.parse.urlparse(url).path).name
    target = folder / name
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        found = _HASH_IN_NAME.search(name) if check_hash else None
        _download(url, target, found.group(1) if found else None)
    return fj.load(target, map_location=map_location)


def _download(url: str, target: pathlib.Path, hash_prefix: str | None) -> None:
    """Writes beside ``target`` first: a broken download leaves no file of that name."""
    digest = hashlib.sha256()
    with (
        urllib.request.urlopen(url) as source,
        tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as copy,
    ):
        try:
            while block := source.read(1 << 20):
                copy.write(block)
                digest.update(block)
            copy.close()
            if hash_prefix and not digest.hexdigest().startswith(hash_prefix):
                raise RuntimeError(
                    f'invalid hash value (expected "{hash_prefix}", got "{digest.hexdigest()}")'
                )
            os.replace(copy.name, target)
        except BaseException:
            pathlib.Path(copy.name).unlink(missing_ok=True)
            raise
