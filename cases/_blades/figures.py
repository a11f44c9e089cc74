"""Figures of a blade: the gust (wind, tip, root moments), and its properties (stiffness and mass along the span)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.cases._blades.parameters import BladeParameters
from fem_mbd.cases._blades.results import histories
from fem_mbd.cases._blades.set_up import wind_at
from fem_mbd.elements.blades import Blade
from fem_mbd.output.figures.plots import Panel, draw_panels, legend, new_figure, save, styled
from fem_mbd.runs.results.result import Result


def plot(result: Result, blade: Blade, p: BladeParameters, folder: Path, title: str) -> list[Path]:
    """Draw both into an existing folder."""
    return [
        _gust(result, blade, p, folder / "gust.png", title),
        properties(blade, folder / "blade.png", title),
    ]


def _gust(result: Result, blade: Blade, p: BladeParameters, path: Path, title: str) -> Path:
    h = histories(result, blade, p)
    panels = [
        Panel("wind [m/s]", {"": np.array([wind_at(p, float(t)) for t in h.time])}),
        Panel("tip [m]", {"downwind": h.tip[:, 2], "forward": h.tip[:, 1], "radial": h.tip[:, 0]}),
        Panel("root moment [MN m]", {"out of plane": 1e-6 * h.flap, "in plane": 1e-6 * h.edge}),
        Panel("root torsion [kN m]", {"": 1e-3 * h.twist}),
    ]
    return draw_panels(path, h.time, panels, title=f"{title}, {p.rotor_speed:g} rev/min, gust")


def properties(blade: Blade, path: Path, title: str) -> Path:
    """Principal bending stiffness about the tension centre, torsion, mass and twist over the span."""
    s, sections = blade.sections.s, blade.sections.sections
    span = s * blade.length
    stiffness = np.array([section.stiffness for section in sections])
    coupled = stiffness[:, 4:, :1] @ stiffness[:, :1, 4:] / stiffness[:, :1, :1]
    soft, stiff = np.linalg.eigvalsh(stiffness[:, 4:, 4:] - coupled).T
    mass = np.array([section.mass_per_length for section in sections])
    with styled():
        figure, axes = new_figure(3)
        bending, masses, twist = axes[:, 0]
        for label, values in (
            ("stiff bending", stiff),
            ("soft bending", soft),
            ("torsion", stiffness[:, 3, 3]),
        ):
            bending.plot(span, values, ".-", markersize=3, label=label)
        bending.set_yscale("log")
        bending.set_ylabel("stiffness [N m²]")
        legend(bending)
        masses.plot(span, mass, ".-", markersize=3)
        masses.set_ylabel("mass [kg/m]")
        twist.plot(blade.axis.bounds * blade.length, -np.degrees(blade.axis.angles), ".-", markersize=3)
        twist.set_ylabel("twist [°]")
        twist.set_xlabel("along the axis [m]")
        figure.suptitle(f"{title}: {blade.mass:.0f} kg, {blade.length:.2f} m", fontsize=11)
        return save(figure, path)
