"""`animate`: a run as one self-contained page, to be kept, sent and opened by a double click."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

from fem_mbd.animation.page import page
from fem_mbd.animation.scene import scene_of
from fem_mbd.errors import InputError
from fem_mbd.results.result import Result

FRAMES = 400


@dataclass(frozen=True)
class Animation:
    """A page with a moving picture; in a notebook it shows itself.

    Attributes
    ----------
    html : the whole page: no other file and no network is needed
    """

    html: str

    def save(self, path: str | Path) -> Path:
        """Write the page; returns its path.

        Parameters
        ----------
        path : of the .html file; folders are made

        Raises
        ------
        InputError
            When that is not allowed there.
        """
        path = Path(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.html, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path}: the page cannot be written there ({error.strerror})") from error
        return path

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" '
            'style="width:100%;height:600px;border:0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Animation, {len(self.html) / 1e6:.2f} MB; save(path) writes the page>"


def animate(
    result: Result, file: str | Path | None = None, *, frames: int = FRAMES, plots: list[str] | None = None
) -> Animation:
    """A run as a moving picture in three dimensions, to be looked at in any browser.

    Parameters
    ----------
    result : with places and rotations on record
    file : where to write the page; left out, `Animation.save` does it later
    frames : most states to show; fewer where the page would become too large
    plots : histories under the picture, ``"PART.QUANTITY"`` each; left out, energies, contact forces and reactions

    Returns
    -------
    Animation
        The page.

    Raises
    ------
    InputError
        When the run has nothing to show, or a plot is asked for that it has not.
    """
    made = Animation(page(scene_of(result, frames, plots)))
    if file is not None:
        made.save(file)
    return made
