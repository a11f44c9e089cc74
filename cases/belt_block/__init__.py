"""Case: a block on a moving belt, held by a spring, with several friction laws compared in one run.

The thesis on frictional contacts in multibody systems, section 3.4: 1 kg, 2 N/m, belt at 0.1 m/s, 20 s; the block
starts at the origin with the belt's speed. `law` names one friction law, several joined by `+`, or `all`: each has its
own block on the same belt. Figures 3.20 to 3.24.

The block is a point mass resting under its weight on the plane of the belt, contact stiffness **assumed**; the source's
coefficients in N are divided by the weight. Laws with a jump at rest stick by a bond that gives 1 um.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.case import Case
from fem_mbd.cases.belt_block.model import GROUPS, LAWS, Parameters, build, chosen
from fem_mbd.cases.belt_block.results import Block
from fem_mbd.cases.belt_block.statements import checks
from fem_mbd.output.figures.plots import COLOURS, new_figure, save, styled
from fem_mbd.runs.results.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# curves of a group often coincide: dashes keep the lower one visible
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (3, 1.5)), (0, (5, 1, 1, 1)), (0, (1, 1)), (0, (8, 2, 2, 2)))
FORCE = "friction force [N]"
DOTS = (0, (1, 1))
PRESLIDING = 30.0  # µm
SLOW_SPEED = 6.0  # mm/s
REST_SPEED = 1e-5  # m/s


def plot(result: Result, parameters: Parameters, folder: Path) -> list[Path]:
    """The source's figures 3.20 to 3.24.

    For each group of laws a figure over time and one of the force over displacement and velocity; for the dynamic
    laws also the rise of force before slip, and its dependence on increasing and decreasing slip speed.
    """
    paths = []
    for number, group in enumerate(GROUPS, 20):
        names = [n for n in chosen(parameters) if LAWS[n].group == group]
        if not names:
            continue
        blocks = {LAWS[n].title: Block(result, parameters, n) for n in names}
        name = group.replace(" ", "_")
        paths.append(_over_time(blocks, folder / f"fig3_{number}_{name}.png", group))
        paths.append(_force(blocks, folder / f"fig3_24_force_{name}.png", group))
        if group == GROUPS[2]:
            paths.append(_slow_slip(blocks, folder / "fig3_23_presliding_and_lag.png"))
    return paths


def _styles(blocks: dict[str, Block]) -> Iterator[tuple[str, Block, dict[str, Any]]]:
    for number, (title, block) in enumerate(blocks.items()):
        style = {"color": COLOURS[number % len(COLOURS)], "linestyle": DASHES[number % len(DASHES)]}
        yield title, block, style | {"linewidth": 1.2}


def _over_time(blocks: dict[str, Block], path: Path, group: str) -> Path:
    with styled():
        figure, axes = new_figure(3)
        position, slip, force = axes[:, 0]
        for title, block, style in _styles(blocks):
            position.plot(block.time, block.position, label=title, **style)
            slip.plot(block.time, block.slip, **style)
            force.plot(block.time, block.friction, **style)
        position.set(ylabel="position [m]")
        slip.set(ylabel="relative velocity [m/s]")
        force.set(ylabel=FORCE, xlabel="time [s]")
        _head(figure, position, f"Laws: {group}")
        return save(figure, path)


def _force(blocks: dict[str, Block], path: Path, group: str) -> Path:
    with styled():
        figure, axes = new_figure(1, 2, height=3.8, share_x=False)
        for title, block, style in _styles(blocks):
            axes[0, 0].plot(block.position, block.friction, label=title, **style)
            axes[0, 1].plot(block.slip, block.friction, **style)
        axes[0, 0].set(xlabel="displacement [m]", ylabel=FORCE)
        axes[0, 1].set(xlabel="relative velocity [m/s]", ylabel=FORCE)
        _head(figure, axes[0, 0], f"Laws: {group}")
        return save(figure, path)


def _slow_slip(blocks: dict[str, Block], path: Path) -> Path:
    """Force over the slipped distance up to break-away, and over the increasing and decreasing speed of the first
    slip.
    """
    with styled():
        figure, axes = new_figure(1, 2, height=3.8, share_x=False)
        presliding, lag = axes[0]
        for title, block, style in _styles(blocks):
            begin, fastest, end = block.first_slip(REST_SPEED)
            early = slice(0, fastest)
            presliding.plot(1e6 * block.slipped[early], block.friction[early], label=title, **style)
            speed = 1e3 * np.abs(block.slip)
            lag.plot(
                speed[begin : fastest + 1], block.friction[begin : fastest + 1], **style | {"linestyle": "-"}
            )
            lag.plot(
                speed[fastest : end + 1], block.friction[fastest : end + 1], **style | {"linestyle": DOTS}
            )
        presliding.set(xlabel="slipped distance [µm]", ylabel=FORCE, xlim=(0.0, PRESLIDING))
        lag.set(xlabel="speed of slip [mm/s]; dotted: slowing down", ylabel=FORCE, xlim=(0.0, SLOW_SPEED))
        _head(figure, presliding, "Dynamic laws: before slip, and slow slip")
        return save(figure, path)


def _head(figure: Figure, axes: Axes, title: str) -> None:
    """Title above all axes, and below it the legend of the curves of ``axes``."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, ncols=3, loc="outside upper center", title=title, title_fontsize=11)


CASE = Case(
    name="belt_block",
    summary="a block on a belt, held by a spring: friction laws compared, stick-slip",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
)
