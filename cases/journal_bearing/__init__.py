"""Case: run-down of an overhung rotor in a journal bearing with clearance.

The bearing is that of O. A. Bauchau and C. Ju, "Modeling friction phenomena in flexible multibody dynamics", figure 4:
two spatial clearance joints on one rigid body. The paper gives no example; the data are this case's own. A disk on the
end of a horizontal journal spins under gravity. The journal is tilted in its sleeve, one edge pressed down and the
other one up; friction moves both contacts round by the friction angle and brakes the spin to rest, after which the
journal sticks and rocks, rolling on its two edges.

Statics and rigid-body dynamics give the forces (lever rule), the position of the contact and the deceleration (friction
circle) and the frequency of the rocking in closed form; the run is checked against them. It starts in the steady
sliding position; the journal is massless.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.case import Case
from fem_mbd.cases.journal_bearing.model import Parameters, build
from fem_mbd.cases.journal_bearing.results import FAR, NEAR, Histories, checks
from fem_mbd.output.figures.plots import COLOURS, Panel, draw_panels, legend, new_figure, save, styled
from fem_mbd.runs.results.result import Result


def plot(result: Result, parameters: Parameters, folder: Path) -> list[Path]:
    """Draw all figures of a run into ``folder``: spin, forces of the two edges, and their orbits in the clearance."""
    h = Histories(result, parameters)
    return [
        _run_down(h, folder / "run_down.png"),
        _forces(h, folder / "forces.png"),
        _orbits(h, folder / "orbits.png"),
    ]


def _run_down(h: Histories, path: Path) -> Path:
    p = h.parameters
    closed = np.maximum(p.speed - p.deceleration * h.time, 0.0)
    with styled():
        figure, axes = new_figure(2)
        speed, slip = axes[:, 0]
        speed.plot(h.time, h.speed, label="run")
        speed.plot(h.time, closed, "--", color="0.2", linewidth=0.8, label="friction circle")
        speed.set_ylabel("spin [rad/s]")
        legend(speed)
        for edge, name in ((FAR, "edge far from the disk"), (NEAR, "edge near it")):
            slip.plot(h.time, h.slip_speed[:, edge], label=name, linewidth=0.7)
        slip.axhline(p.stribeck_velocity, color="0.3", linestyle="--", linewidth=0.7)
        slip.set_yscale("log")
        slip.set(ylabel="slip speed [m/s]", xlabel="time [s]", xlim=(0, h.time[-1]))
        legend(slip)
        figure.suptitle("Run-down of the overhung rotor; dashed below: Stribeck velocity", fontsize=11)
        return save(figure, path)


def _forces(h: Histories, path: Path) -> Path:
    p, force = h.parameters, h.force
    panels = [
        Panel("vertical force [N]", {"edge far from the disk": force[:, FAR, 2], "edge near it": force[:, NEAR, 2]}),
        Panel("horizontal force [N]", {"edge far from the disk": force[:, FAR, 1], "edge near it": force[:, NEAR, 1]}),
        Panel("angle of the contact [deg]", {"run": np.degrees(h.angle), "friction angle": (
            np.array([0.0, p.standstill]), np.full(2, np.degrees(p.friction_angle)))}),
    ]  # fmt: skip
    return draw_panels(
        path, h.time, panels, title="Forces of the sleeve on the journal", limits=(0, h.time[-1])
    )


def _orbits(h: Histories, path: Path) -> Path:
    """Centres of the edges seen along the axis, within the circle of the clearance."""
    p = h.parameters
    clearance = 1e6 * (p.radius_sleeve - p.radius_journal)
    angles = np.linspace(0, 2 * np.pi, 400)
    with styled():
        figure, axes = new_figure(1, 2, height=3.8)
        for ax, edge, title in zip(
            axes[0], (FAR, NEAR), ("edge far from the disk", "edge near it"), strict=True
        ):
            ax.plot(clearance * np.cos(angles), clearance * np.sin(angles), color="0.3", linewidth=0.7)
            for rows, name, colour in (
                (h.sliding, "sliding", COLOURS[0]),
                (h.resting, "rocking", COLOURS[1]),
            ):
                positions = 1e6 * h.edges[rows, edge]
                ax.plot(
                    positions[:, 1],
                    positions[:, 2],
                    color=colour,
                    label=name,
                    linewidth=2.0 if rows is h.sliding else 1.0,
                )
            ax.set(xlabel="i2 [µm]", title=title)
            ax.set_aspect("equal")
        axes[0, 0].set_ylabel("i3 [µm]")
        axes[0, 0].legend(loc="center")
        figure.suptitle("Centres of the journal's edges in the clearance", fontsize=11)
        return save(figure, path)


CASE = Case(
    name="journal_bearing",
    summary="an overhung rotor runs down in a journal bearing with clearance and friction (Bauchau & Ju, figure 4)",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
)
