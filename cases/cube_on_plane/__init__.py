"""Case: a cube on a plane under a tangential force, with decreasing normal force: stick, then slip.

Colantonio et al., projected LuGre model, section 3: a cube of side 0.1 m stands on six contact points (or four) on a
circle of radius 0.05 m. It is pressed down with 10 N and rests for 1 s; the pull grows from 0 to 0.75 N between 1 s and
2 s and holds to 3 s; then the vertical force falls to 0 at 4 s. With mu_s = 0.15 the cube must slip when 5 N remain, at
3.5 s. Until then the total friction equals the pull, the same in every direction; its distribution over the points
follows the normal forces, which shift with the pull, and repeats every 60 degrees for six points.

The contact law is N = K d**2 + D d**0.5 d' at each point, K = A/sigma**2 with sigma = 3e-9 m**2 N**0.5. Not given, and
**assumed**: the mass of the cube, 1 kg (without weight: 10 N is the whole normal force, as slip at 3.5 s shows); the
pull acts at the centre of the cube; the points have equal shares of the area of their polygon; the first point lies on
the x axis, from which directions are measured.

Every direction has its own cube in the same run. While the cube sticks, statics gives each point's share in closed
form: the normal forces are K (a + b cos(theta_j - phi))**2 with a, b from the balance of forces and moments.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.case import Case
from fem_mbd.cases.cube_on_plane.model import PRESS_ENDS, Parameters, build
from fem_mbd.cases.cube_on_plane.results import COMPARISON_TIME, Histories, checks, static_shares
from fem_mbd.output.figures.plots import COLOURS, legend, new_figure, save, styled
from fem_mbd.runs.results.result import Result


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """Total friction and speed over time for all directions, and for each direction the points' shares."""
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
                    ax.plot(COMPARISON_TIME, statics[point], "o", color=COLOURS[point], markersize=3)
            ax.set(title=f"pull at {angle:g}°", ylabel="friction [N]", xlim=(0, h.time[-1]))
        for ax in axes[-1]:
            ax.set_xlabel("time [s]")
        figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=p.points)
        figure.suptitle("Friction of each contact point, equal curves coincide; dots: statics", fontsize=11)
        return save(figure, path)


CASE = Case(
    "cube_on_plane",
    "a cube pulled over a plane in four directions, stick to slip as the normal force falls (projected LuGre)",
    Parameters,
    build,
    checks,
    plot,
)
