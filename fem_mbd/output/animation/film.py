"""Film of a scene, `.gif` by pillow or `.mp4` by imageio-ffmpeg, drawn by matplotlib; image of the last state of a run.

They show beams with their outlines, bodies and contact forces as arrows from one side; the page shows more and can be
rotated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.dependencies import need
from fem_mbd.errors import InputError, MissingDependency
from fem_mbd.output.animation.scenes import scene_of
from fem_mbd.output.animation.surfaces import BEAMS, BODY, Motion, of_body, of_tube, unpacked
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
