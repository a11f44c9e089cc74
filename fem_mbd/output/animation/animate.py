"""`animate`: a run, modes or buckling shapes as a moving picture: a page that opens by a double click, glTF, a film."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from fem_mbd.analysis.modal.modes import Modes
from fem_mbd.analysis.statics.buckling import Buckling
from fem_mbd.base.validation import positive
from fem_mbd.errors import InputError
from fem_mbd.output.animation.film import write_film
from fem_mbd.output.animation.formats import ending
from fem_mbd.output.animation.gltf import write_glb
from fem_mbd.output.animation.page import page
from fem_mbd.output.animation.scene import scene_of
from fem_mbd.output.animation.section_colours import SectionColours
from fem_mbd.output.animation.shapes_scene import scene_of_shapes
from fem_mbd.runs.results.result import Result

FRAMES = 400
AMPLITUDE = 0.1


@dataclass(frozen=True)
class Animation:
    """A moving picture; in a notebook it shows itself.

    Attributes
    ----------
    scene : what it shows, as plain data
    file : where it has been written, None as long as it has not
    """

    scene: dict[str, Any] = field(repr=False)
    file: Path | None = None

    @cached_property
    def html(self) -> str:
        """The whole page: no other file and no network is needed."""
        return page(self.scene)

    def save(self, path: str | Path, *, colour: str = "", at: float = 0.0) -> Path:
        """Write it as the ending of the name says; returns the path.

        Parameters
        ----------
        path : of the file: ``.html`` a page for any browser, ``.glb`` glTF for slides and viewers (needs pygltflib),
            ``.gif`` or ``.mp4`` a film (the latter needs imageio-ffmpeg); folders are made
        colour : of beams in a ``.glb``, whose colours cannot change with the time: a section force or strain as the
            page lists them, e.g. "M2"
        at : s, the instant whose colours they are

        Raises
        ------
        InputError
            For another ending, a colour that there is not or that this kind of file does not have, or when writing is
            not allowed there.
        MissingDependency
            When a library is missing; how to install it is said.
        """
        path, kind = Path(path), ending(path)
        if colour and kind != ".glb":
            raise InputError(
                f"{path}: colour {colour!r} is for .glb; in a page it is chosen, films have none"
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
    """A run as a moving picture in three dimensions, to be looked at in any browser.

    Parameters
    ----------
    result : with places and rotations on record
    file : where to write it, .html, .glb, .gif or .mp4; left out, `Animation.save` does it later
    frames : most states to show; fewer where the page would become too large
    plots : histories under the picture, ``"PART.QUANTITY"`` each; left out, energies, contact forces and reactions

    Returns
    -------
    Animation
        The picture.

    Raises
    ------
    InputError
        When the run has nothing to show, a plot is asked for that it has not, or nothing can be written as the file's
        ending says.
    """
    if file is not None:
        ending(file)
    return shown(scene_of(result, frames, plots), file)


def animate_shapes(
    found: Modes | Buckling, file: str | Path | None = None, *, amplitude: float = AMPLITUDE
) -> Animation:
    """Modes, or buckling shapes, as a moving picture: one period, to be chosen from in the page.

    Parameters
    ----------
    found : of `fem_mbd.modes` or `fem_mbd.buckling`
    file : where to write it, .html, .glb, .gif or .mp4; left out, `Animation.save` does it later
    amplitude : of the largest displacement, as a part of the model's size

    Returns
    -------
    Animation
        The picture.

    Raises
    ------
    InputError
        For an amplitude that is not above zero.
    """
    return shown(scene_of_shapes(found, positive(amplitude, "amplitude")), file)


def shown(scene: dict[str, Any], file: str | Path | None) -> Animation:
    """The picture of a scene, written where a file is named."""
    made = Animation(scene)
    return made if file is None else replace(made, file=made.save(file))
