"""Names of files in decks: upper and lower case are one, as in Windows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def in_any_case(folder: Path, parts: Sequence[str]) -> Path | None:
    """The file at a path below a folder, whatever its upper and lower case; None where there is none.

    Parameters
    ----------
    folder : that is there
    parts : names of folders and, last, of the file
    """
    place = folder.joinpath(*parts)
    if place.is_file():
        return place
    place = folder
    for part in parts:
        if part not in (".", "..") and not (place / part).exists():
            try:
                names = sorted(entry.name for entry in place.iterdir())
            except OSError:
                return None
            part = next((name for name in names if name.lower() == part.lower()), part)
        place = place / part
    return place if place.is_file() else None
