"""Figures of the cube: total friction, speed, and the shares of the points, over time."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.cases.cube_on_plane.model import PRESS_ENDS, Parameters
from fem_mbd.cases.cube_on_plane.results import HELD, Histories, static_shares
from fem_mbd.output.figures.plots import COLOURS, legend, new_figure, save, styled
from fem_mbd.runs.results.result import Result


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """Total friction over time for all directions, and for each direction the points' shares."""
    h = Histories(result, p)
    return [_total(h, folder / "total_friction.png"), _points(h, folder / "shares.png")]


def _total(h: Histories, path: Path) -> Path:
    p = h.p
    styles = ("-", "--", ":", "-.")
    with styled():
        figure, axes = new_figure(2)
        force, speed = axes[:, 0]
        for cube, angle in enumerate(p.directions):
            style = {"linestyle": styles[cube % 4], "linewidth": 1.6 - 0.2 * (cube % 4)}
            force.plot(h.time, h.total[:, cube], label=f"pull at {angle:g}°", **style)
            speed.plot(h.time, h.speed[:, cube], label=f"pull at {angle:g}°", **style)
        limit = p.mu_s * p.press * np.clip(PRESS_ENDS - h.time, 0, 1)
        force.plot(h.time, h.pull, color="0.3", linewidth=0.6, label="pull")
        force.plot(h.time, limit, color="0.3", linewidth=0.6, linestyle=(0, (5, 4)), label="static limit")
        force.set(ylabel="total friction [N]", ylim=(0, 1.5 * p.pull))
        legend(force)
        speed.set(
            ylabel="speed [m/s]", xlabel="time [s]", yscale="log", ylim=(1e-9, None), xlim=(0, h.time[-1])
        )
        speed.axhline(p.v_s, color="0.3", linewidth=0.6)
        figure.suptitle("Cube on a plane; below, horizontal: Stribeck velocity", fontsize=11)
        return save(figure, path)


def _points(h: Histories, path: Path) -> Path:
    p = h.p
    rows = (len(p.directions) + 1) // 2
    with styled():
        figure, axes = new_figure(rows, min(2, len(p.directions)), height=2.6 * rows + 0.6)
        for ax in axes.ravel()[len(p.directions) :]:
            ax.set_visible(False)
        for cube, (ax, angle) in enumerate(zip(axes.ravel(), p.directions, strict=False)):
            statics = static_shares(p, angle)
            for point in range(p.points):
                # curves of points with equal shares coincide
                dashes = "-" if point < p.points / 2 else (0, (4, 4))
                share = h.shares[:, cube, point]
                ax.plot(h.time, share, color=COLOURS[point], linestyle=dashes, label=f"F{point + 1}")
                if p.exponent == 2.0:
                    ax.plot(HELD, statics[point], "o", color=COLOURS[point], markersize=3)
            ax.set(title=f"pull at {angle:g}°", ylabel="friction [N]", xlim=(0, h.time[-1]))
        for ax in axes[-1]:
            ax.set_xlabel("time [s]")
        figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=p.points)
        figure.suptitle("Friction of each contact point, equal curves coincide; dots: statics", fontsize=11)
        return save(figure, path)
