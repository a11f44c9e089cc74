"""Image of the last recorded state of a run, drawn like the films: beams, bodies, contact forces."""

from __future__ import annotations

from pathlib import Path

from fem_mbd.errors import InputError
from fem_mbd.output.animation.scene.run_scene import scene_of
from fem_mbd.output.animation.writers.film import pictures
from fem_mbd.runs.results.result import Result

START_AND_END = 2


def write_last_state(result: Result, file: Path) -> Path:
    """Draw the last recorded state, 640 x 480 pixels; returns the file.

    Parameters
    ----------
    result : with recorded positions and rotations
    file : .png, to be written

    Raises
    ------
    InputError
        For another ending, a run with nothing to show, or a file that cannot be written.
    """
    from PIL import Image  # a dependency of matplotlib

    if file.suffix.lower() != ".png":
        raise InputError(f"picture {file}: the name has to end in .png")
    *_, last = pictures(scene_of(result, START_AND_END, None))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(last).save(file)
    except OSError as error:
        raise InputError(f"picture {file}: it cannot be written there ({error.strerror or error})") from error
    return file
