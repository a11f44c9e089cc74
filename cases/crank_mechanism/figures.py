"""Figures of a run: the paper's figures 6 to 10 over crank angle, and a picture of the mechanism."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.cases.crank_mechanism.model import Parameters
from fem_mbd.cases.crank_mechanism.results import Histories, ideal_histories
from fem_mbd.output.figures.plots import COLOURS, Panel, draw_panels, new_figure, save, styled
from fem_mbd.runs.results.result import Result

ANGLES = (0, 45, 90, 135, 180, 225, 270, 315)


def plot(result: Result, parameters: Parameters, folder: Path) -> list[Path]:
    """Draw all figures of a run into ``folder``."""
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
    parts = {name: h.beam_places(name) for name in ("crank", "link", "beam")}
    slider = h.result.of("slider").position[h.rows]
    steps = [int(np.argmin(np.abs(h.angle - angle))) for angle in ANGLES if angle <= h.angle[-1] + 1.0]
    with styled():
        figure, axes = new_figure(1, 2, height=4.2, share_x=False)
        for view, ax in enumerate(axes[0]):
            first, second = (0, 1) if view == 0 else (1, 2)
            for shade, index in enumerate(steps):
                alpha = 1.0 if shade == 0 else 0.35
                for colour, (name, place) in zip(COLOURS, parts.items(), strict=False):
                    label = name if shade == 0 else None
                    ax.plot(
                        place[index, :, first],
                        place[index, :, second],
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
            ax.set_aspect("equal", adjustable="datalim")
            ax.set(xlabel=f"i{first + 1} [m]", ylabel=f"i{second + 1} [m]")
        axes[0, 0].legend(loc="upper right")
        figure.suptitle(
            f"The mechanism at crank angles {', '.join(str(a) for a in ANGLES[: len(steps)])} deg",
            fontsize=11,
        )
        return save(figure, path)
