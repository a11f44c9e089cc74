"""Functions `animate` and `animate_shapes`: runs, modes and buckling shapes as HTML page, glTF file or film.

`ending` chooses the file format by the ending of the file's name. `page` is the HTML page: scene, viewer and three.js
in one file that needs no network.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from fem_mbd.analysis.modal.modes import Modes
from fem_mbd.analysis.statics.buckling import Buckling
from fem_mbd.base.validation import positive
from fem_mbd.errors import InputError
from fem_mbd.output.animation.film import write_film
from fem_mbd.output.animation.gltf import write_glb
from fem_mbd.output.animation.scenes import scene_of, scene_of_shapes
from fem_mbd.output.animation.solids import as_script
from fem_mbd.output.animation.surfaces import SectionColours
from fem_mbd.runs.results.result import Result

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


FOLDER = files("fem_mbd.output.animation").joinpath("viewer")
SCRIPTS = (
    "three.min.js",
    "quality.js",
    "colours.js",
    "tubes.js",
    "solids.js",
    "plot.js",
    "stage.js",
    "viewer.js",
    "controls.js",
)


def page(scene: dict[str, Any]) -> str:
    """The whole page as text. Names are inserted as data only; the browser is forbidden to load or send anything."""
    filling = {
        "TITLE": escape(scene["title"]),
        "STYLE": _text("style.css"),
        "SCENE": as_script(scene),
        "LICENCE": escape(_text("three.LICENSE")),
        "SCRIPTS": "\n".join(f"<script>\n{_text(name)}</script>" for name in SCRIPTS),
    }
    text = _text("page.html")
    # split at the marks, so that inserted text is not searched for marks again
    parts = text.split("@@")
    return "".join(filling[part] if k % 2 else part for k, part in enumerate(parts))


def _text(name: str) -> str:
    return FOLDER.joinpath(name).read_text(encoding="utf-8")


FRAMES = 400
AMPLITUDE = 0.1


@dataclass(frozen=True)
class Animation:
    """An animation; notebooks display it.

    Attributes
    ----------
    scene : its contents, as plain data
    file : file to which it was written, None before
    """

    scene: dict[str, Any] = field(repr=False)
    file: Path | None = None

    @cached_property
    def html(self) -> str:
        """The whole page as text, which needs no other file and no network."""
        return page(self.scene)

    def save(self, path: str | Path, *, colour: str = "", at: float = 0.0) -> Path:
        """Write the animation in the format given by the ending of the name; returns the path.

        Parameters
        ----------
        path : of the file: ``.html`` a page for any browser, ``.glb`` glTF for slides and viewers (needs pygltflib),
            ``.gif`` or ``.mp4`` a film (the latter needs imageio-ffmpeg); folders are created
        colour : of beams in a ``.glb``, whose colours cannot change over time: a section force or strain as listed in
            the page, e.g. "M2"
        at : s, time of these colours

        Raises
        ------
        InputError
            For another ending, a colour that is unknown or not available in this format, or when the file cannot be
            written.
        MissingDependency
            When a library is missing; the message says how to install it.
        """
        path, kind = Path(path), ending(path)
        if colour and kind != ".glb":
            raise InputError(
                f"{path}: colour {colour!r} is for .glb; in a page it is chosen by the user, films have none"
            )
        colours = SectionColours(self.scene, colour, at) if colour else None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if kind == ".glb":
                write_glb(self.scene, path, colours)
            elif kind in (".gif", ".mp4"):
                write_film(self.scene, path)
            else:
                path.write_text(self.html, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path}: it cannot be written there ({error.strerror})") from error
        return path

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" '
            'style="width:100%;height:600px;border:0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Animation of {self.scene['title']!r}; save(path) writes .html, .glb, .gif or .mp4>"


def animate(
    result: Result, file: str | Path | None = None, *, frames: int = FRAMES, plots: list[str] | None = None
) -> Animation:
    """Animation of a run in three dimensions, for any browser.

    Parameters
    ----------
    result : with recorded positions and rotations
    file : file to write, .html, .glb, .gif or .mp4; optional, `Animation.save` can write it later
    frames : largest number of states; fewer where the page would become too large
    plots : histories below the animation, ``"PART.QUANTITY"`` each; by default energies, contact forces and reactions

    Returns
    -------
    Animation
        The animation.

    Raises
    ------
    InputError
        When the run has nothing to show, for an unknown plot, or for an unknown ending of the file.
    """
    if file is not None:
        ending(file)
    return animation_of(scene_of(result, frames, plots), file)


def animate_shapes(
    found: Modes | Buckling, file: str | Path | None = None, *, amplitude: float = AMPLITUDE
) -> Animation:
    """Animation of modes or buckling shapes over one period; the page has a menu of the shapes.

    Parameters
    ----------
    found : of `fem_mbd.modes` or `fem_mbd.buckling`
    file : file to write, .html, .glb, .gif or .mp4; optional, `Animation.save` can write it later
    amplitude : of the largest displacement, as a fraction of the model's size

    Returns
    -------
    Animation
        The animation.

    Raises
    ------
    InputError
        For an amplitude that is not positive.
    """
    return animation_of(scene_of_shapes(found, positive(amplitude, "amplitude")), file)


def animation_of(scene: dict[str, Any], file: str | Path | None) -> Animation:
    """The animation of a scene, written to a file if one is given."""
    animation = Animation(scene)
    return animation if file is None else replace(animation, file=animation.save(file))
