"""File formats of animations, chosen by the ending of the file's name."""

from __future__ import annotations

from pathlib import Path

from fem_mbd.errors import InputError

FORMATS = {
    ".html": "page for a browser",
    ".htm": "page for a browser",
    ".glb": "glTF, for slides and viewers",
    ".gif": "film",
    ".mp4": "film",
}


def ending(file: str | Path, what: str = "file") -> str:
    """The ending, in lower case.

    Parameters
    ----------
    file : to be written
    what : its name in messages

    Raises
    ------
    InputError
        For an unknown ending.
    """
    suffix = Path(file).suffix.lower()
    if suffix not in FORMATS:
        raise InputError(f"{what} {file}: the name has to end in {', '.join(FORMATS)}")
    return suffix
