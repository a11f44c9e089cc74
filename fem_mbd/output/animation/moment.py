"""The last moment of a run as a picture, drawn as the films are: beams, bodies, contact forces."""

from __future__ import annotations

from pathlib import Path

from fem_mbd.errors import InputError
from fem_mbd.output.animation.film import pictures
from fem_mbd.output.animation.scene import scene_of
from fem_mbd.runs.results.result import Result

START_AND_END = 2


def write_moment(result: Result, file: Path) -> Path:
    """Draw the last state on record, 640 x 480 dots; returns the file.

    Parameters
    ----------
    result : with places and rotations on record
    file : .png, to be written

    Raises
    ------
    InputError
        For another ending, a run with nothing to show, or when writing is not allowed there.
    """
    from PIL import Image  # matplotlib needs it anyway

    if file.suffix.lower() != ".png":
        raise InputError(f"picture {file}: its name has to end in .png")
    *_, last = pictures(scene_of(result, START_AND_END, None))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(last).save(file)
    except OSError as error:
        raise InputError(f"picture {file}: it cannot be written there ({error.strerror or error})") from error
    return file
