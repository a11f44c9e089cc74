"""Case: spatial crank mechanism, its spherical joint ideal (case 1) or with clearance and friction (case 2).

O. A. Bauchau and C. Ju, "Modeling friction phenomena in flexible multibody dynamics", section 6.1, figures 5 to 10. A
crank SP turns about i1 at S with 20 rad/s and drives a flexible link PQ through a universal joint; a spherical joint at
Q connects the link to a 5 kg slider, which moves along i1 on the tip of a beam cantilevered at O.

The text does not give axial and shear stiffness, rotary inertia, the length of the beam, the relative position of S and
O, nor any damping. **Assumed**, all of them parameters: the beam's axis is i1 through the origin, its tip at (1, 0, 0)
and O at (1.6, 0, 0); S at 0.4 m from i1, in the direction of 200 degrees from +i2 towards +i3 (the direction fixes the
origin of the crank angle; at 200 the ball nearly sticks around 196 degrees, the middle of the paper's range); the crank
along +i2 at the start; aluminium tubes (E 73 GPa, G 27.4 GPa, 2700 kg/m^3) for properties not determined by bending
stiffness and mass; a crank-fixed universal axis i3; slider inertia 5e-3 kg m^2; Kelvin-Voigt damping of 1e-3 s on all
beams. One element for the crank, two for link and beam, three nodes each. docs/studies/crank_mechanism_scan.md shows
the effect of each assumption.

Structural damping decides the outcome of case 2. Without it, friction drives a backward whirl of the ball in its
clearance: the universal joint transmits the crank's rotation, so the link spins about its own axis relative to the
slider, and the contact at its pole is unstable for mu = 0.3. That is a property of the model, the same at small steps.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.case import Case
from fem_mbd.cases.crank_mechanism.model import Parameters, build
from fem_mbd.cases.crank_mechanism.results import Histories, checks, ideal_histories
from fem_mbd.output.figures.plots import COLOURS, Panel, draw_panels, new_figure, save, styled
from fem_mbd.runs.results.result import Result

ANGLES = (0, 45, 90, 135, 180, 225, 270, 315)


def plot(result: Result, parameters: Parameters, folder: Path) -> list[Path]:
    """Draw all figures of a run into ``folder``: the paper's figures 6 to 10 over crank angle, and a picture of the
    mechanism.
    """
    h = Histories(result, parameters)
    paths = [_mechanism(h, folder / "mechanism.png")]
    if parameters.case == 2:
        ideal = ideal_histories(parameters)
        paths += _contact_figures(h, folder)
        paths.append(_root_forces(h, ideal, folder / "fig08_root_forces.png"))
        paths.append(_midspan_forces(h, ideal, folder / "fig09_midspan_forces.png"))
        paths.append(_step_sizes(h, folder / "fig10_step_size.png"))
    else:
        paths.append(_root_forces(h, h, folder / "fig08_root_forces.png"))
        paths.append(_midspan_forces(h, h, folder / "fig09_midspan_forces.png"))
    return paths


def _title(h: Histories, text: str) -> str:
    return f"{text}, revolution {h.revolution}"


def _draw(h: Histories, path: Path, panels: list[Panel], title: str) -> Path:
    return draw_panels(
        path,
        h.angle,
        panels,
        xlabel="crank angle [deg]",
        title=_title(h, title),
        angle=True,
        limits=(0.0, 360.0),
    )


def _contact_figures(h: Histories, folder: Path) -> list[Path]:
    slip = [Panel("tangential velocity [m/s]", {"": h.slip_speed})]
    forces = [
        Panel("friction force [N]", {"": h.friction_force}),
        Panel("normal force [N]", {"": h.contact["normal_force"]}),
    ]
    return [
        _draw(h, folder / "fig06_tangential_velocity.png", slip, "Tangential velocity at Q"),
        _draw(h, folder / "fig07_friction_force.png", forces, "Contact forces at Q"),
    ]


def _root_forces(h: Histories, ideal: Histories, path: Path) -> Path:
    names = ("F2", "F3")
    panels = [
        _compared(f"{n} [N]", h, ideal, h.root_force[:, 1 + k], ideal.root_force[:, 1 + k])
        for k, n in enumerate(names)
    ]
    return _draw(h, path, panels, "Forces of the beam on its root O")


def _midspan_forces(h: Histories, ideal: Histories, path: Path) -> Path:
    names = ("axial", "shear 2", "shear 3")
    panels = [
        _compared(f"{n} [N]", h, ideal, h.midspan_force[:, k], ideal.midspan_force[:, k])
        for k, n in enumerate(names)
    ]
    return _draw(h, path, panels, "Forces in the link at mid-span")


def _compared(label: str, h: Histories, ideal: Histories, ours: np.ndarray, theirs: np.ndarray) -> Panel:
    if h is ideal:
        return Panel(label, {"case 1": ours})
    return Panel(label, {"case 2": ours, "case 1": (ideal.angle, theirs)})


def _step_sizes(h: Histories, path: Path) -> Path:
    series, others = {}, np.ones(len(h.rule), dtype=bool)
    for rule in ("stribeck", "penetration"):
        chosen = np.isin(h.rule, (rule, f"{rule} (printed)"))
        others &= ~chosen
        series[f"chosen by the {rule} rule"] = (h.angle, np.where(chosen, h.dt, np.nan))
    series["growth limit and others"] = (h.angle, np.where(others, h.dt, np.nan))
    with styled():
        figure, axes = new_figure(1, height=3.6)
        ax = axes[0, 0]
        for number, (name, (x, y)) in enumerate(series.items()):
            ax.plot(x, y, ".", markersize=2, color=COLOURS[number], label=name)
        ax.set_yscale("log")
        ax.set(
            xlabel="crank angle [deg]", ylabel="step size [s]", xlim=(0, 360), title=_title(h, "Step size")
        )
        ax.set_xticks(range(0, 361, 30))
        ax.legend(markerscale=4)
        return save(figure, path)


def _mechanism(h: Histories, path: Path) -> Path:
    """Side view (i1, i2) and end view (i2, i3) at several crank angles."""
    parts = {name: h.beam_positions(name) for name in ("crank", "link", "beam")}
    slider = h.result.of("slider").position[h.rows]
    steps = [int(np.argmin(np.abs(h.angle - angle))) for angle in ANGLES if angle <= h.angle[-1] + 1.0]
    points = np.concatenate([*(positions.reshape(-1, 3) for positions in parts.values()), slider])
    wide = np.ptp(points, axis=0)
    with styled():
        # axes as wide and high as the two views, on a page of 7 inches with 1.5 of them for labels
        height = 1.2 + 5.5 * max(wide[1], wide[2]) / (wide[0] + wide[1])
        figure, axes = new_figure(1, 2, height=height, share_x=False)
        axes[0, 0].get_gridspec().set_width_ratios(wide[:2])
        for view, ax in enumerate(axes[0]):
            first, second = (0, 1) if view == 0 else (1, 2)
            for shade, index in enumerate(steps):
                alpha = 1.0 if shade == 0 else 0.35
                for colour, (name, positions) in zip(COLOURS, parts.items(), strict=False):
                    label = name if shade == 0 else None
                    ax.plot(
                        positions[index, :, first],
                        positions[index, :, second],
                        color=colour,
                        alpha=alpha,
                        lw=2,
                        label=label,
                    )
                ax.plot(
                    slider[index, first],
                    slider[index, second],
                    "s",
                    color="0.2",
                    ms=6,
                    alpha=alpha,
                    label=None if shade else "slider",
                )
            ax.set_aspect("equal", adjustable="box")
            ax.set(xlabel=f"i{first + 1} [m]", ylabel=f"i{second + 1} [m]")
        figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
        figure.suptitle(
            f"The mechanism at crank angles {', '.join(str(a) for a in ANGLES[: len(steps)])} deg",
            fontsize=11,
        )
        return save(figure, path)


CASE = Case(
    name="crank_mechanism",
    summary="spatial crank mechanism, spherical joint ideal or with clearance and friction (Bauchau & Ju, 6.1)",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
)
