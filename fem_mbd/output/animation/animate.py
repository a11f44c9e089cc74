"""Functions `animate` and `animate_shapes`: runs, modes and buckling shapes as HTML page, glTF file or film.

`ending` chooses the file format by the ending of the file's name. `page` is the HTML page: scene, viewer and three.js
in one file that needs no network.

Film of a scene, `.gif` by pillow or `.mp4` by imageio-ffmpeg, drawn by matplotlib; image of the last state of a run.

They show beams with their outlines, bodies and contact forces as arrows from one side; the page shows more and can be
rotated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.analysis.modal.modes import Modes
from fem_mbd.analysis.statics.buckling import Buckling
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.dependencies import need
from fem_mbd.base.validation import positive
from fem_mbd.errors import InputError, MissingDependency
from fem_mbd.output.animation.gltf import write_glb
from fem_mbd.output.animation.scenes import scene_of, scene_of_shapes
from fem_mbd.output.animation.solids import as_script
from fem_mbd.output.animation.surfaces import BEAMS, BODY, Motion, SectionColours, of_body, of_tube, unpacked
from fem_mbd.runs.results.result import Result

MAX_PICTURES, PER_SECOND = 96, 16
INCHES, DOTS = (6.4, 4.8), 100  # 640 x 480 dots
ARROW = 0.25  # fraction of the model's size: length of the largest contact force
CONTACT = "#c8324b"
START_AND_END = 2


def write_film(scene: Mapping[str, Any], file: Path) -> None:
    """Write the film, of six seconds at most.

    Raises
    ------
    MissingDependency
        Without matplotlib (which installs pillow) or imageio-ffmpeg.
    """
    need("matplotlib")
    if file.suffix.lower() == ".gif":
        _write_gif(scene, file)
    else:
        _write_mp4(scene, file)


def _write_gif(scene: Mapping[str, Any], file: Path) -> None:
    from PIL import Image  # a dependency of matplotlib

    images = [Image.fromarray(picture).quantize(64) for picture in pictures(scene)]
    images[0].save(file, save_all=True, append_images=images[1:], duration=1000 // PER_SECOND, loop=0)


def _write_mp4(scene: Mapping[str, Any], file: Path) -> None:
    try:
        from imageio_ffmpeg import write_frames
    except ImportError as error:
        raise MissingDependency(".mp4 files need imageio-ffmpeg: pip install 'fem_mbd[film]'") from error
    size = tuple(int(inches * DOTS) for inches in INCHES)
    writer = write_frames(str(file), size, fps=PER_SECOND, macro_block_size=2)
    writer.send(None)
    try:
        for picture in pictures(scene):
            writer.send(picture.tobytes())
    finally:
        writer.close()


def pictures(scene: Mapping[str, Any]) -> Iterator[Array]:
    """Images (480, 640, 3) of bytes, evenly spaced over the scene's times."""
    need("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    motion = Motion(scene)
    solids, arrows = list(_solids(scene, motion)), list(_arrows(scene))
    count = len(motion.times)
    figure = Figure(figsize=INCHES, dpi=DOTS)
    canvas = FigureCanvasAgg(figure)
    ax: Any = figure.add_axes((0.0, 0.0, 1.0, 1.0), projection="3d")
    for k in np.unique(np.linspace(0, count - 1, min(count, MAX_PICTURES)).round().astype(int)):
        ax.clear()
        _set_up(ax, scene)
        for points, faces, colour in solids:
            ax.add_collection3d(Poly3DCollection(points[k][faces], facecolors=colour, shade=True))
        for data, largest in arrows:
            force = ARROW * scene["size"] / largest * data[k, 3:]
            ax.quiver(*(data[k, :3] - force), *force, color=CONTACT, linewidth=2)
        clock = f"{motion.times[k]:.4g} s" if "takes" not in scene else scene["takes"][0]["title"]
        figure.suptitle(f"{scene['title']}   {clock}", x=0.02, ha="left", fontsize=10)
        canvas.draw()
        yield np.asarray(canvas.buffer_rgba())[..., :3].copy()


def _set_up(ax: Any, scene: Mapping[str, Any]) -> None:
    middle, half = np.array(scene["middle"]), 0.36 * scene["size"]
    ax.set(**{f"{a}lim": (m - half, m + half) for a, m in zip("xyz", middle, strict=True)})
    ax.set_box_aspect((1, 1, 1), zoom=1.2)
    vertical = int(np.argmax(np.abs(scene["up"])))
    ax.view_init(elev=22, azim=-60, vertical_axis="xyz"[vertical])
    ax.set_axis_off()


def _solids(scene: Mapping[str, Any], motion: Motion) -> Iterator[tuple[Array, Indices, str]]:
    """Points (k, p, 3), triangles and colour of every beam element and body."""
    names = list(dict.fromkeys(tube["name"] for tube in scene["tubes"]))
    for tube in scene["tubes"]:
        positions, axes = motion.rings(tube)
        points, _, faces = of_tube(tube)
        surface = positions[:, :, None] + np.einsum("krij,rsj->krsi", axes[..., 1:], points)
        yield surface.reshape(len(positions), -1, 3), faces, BEAMS[names.index(tube["name"]) % len(BEAMS)]
    for body in scene["bodies"]:
        points, faces = of_body(body)
        yield motion.solid(body, points), faces, body.get("colour", BODY)


def _arrows(scene: Mapping[str, Any]) -> Iterator[tuple[Array, float]]:
    """Positions and forces (k, 6) of the contacts, and the largest force of all."""
    contacts = [a for a in scene["arrows"] if a["kind"] == "contact"]
    largest = max((a["largest"] for a in contacts), default=0.0)
    for arrow in contacts if largest > 0.0 else []:
        yield unpacked(arrow["data"]).reshape(-1, 6), largest


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
    shapes: Modes | Buckling, file: str | Path | None = None, *, amplitude: float = AMPLITUDE
) -> Animation:
    """Animation of modes or buckling shapes over one period; the page has a menu of the shapes.

    Parameters
    ----------
    shapes : of `fem_mbd.modes` or `fem_mbd.buckling`
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
    return animation_of(scene_of_shapes(shapes, positive(amplitude, "amplitude")), file)


def animation_of(scene: dict[str, Any], file: str | Path | None) -> Animation:
    """The animation of a scene, written to a file if one is given."""
    animation = Animation(scene)
    return animation if file is None else replace(animation, file=animation.save(file))
