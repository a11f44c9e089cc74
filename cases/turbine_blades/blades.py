"""One blade and the row of three: beams, tie-bosses, tips."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.analysis.modes import modes
from fem_mbd.cases.turbine_blades.parameters import Parameters
from fem_mbd.elements import Beam, BodyHandle, Material, RigidBody, Section, SpringDamper
from fem_mbd.joints import Clamp, RigidOffset
from fem_mbd.model import Model

Array = NDArray[np.float64]
STEEL = Material(young=2.1e11, poisson=0.3, density=7800.0)
WIDTH, THICKNESS = 0.03, 0.005
TIE, TIE_MASS, TIE_INERTIA = (0.02, 0.034, 0.0245), 0.1, (1.5e-5, 8.8e-6, 1.38e-5)
TIP, TIP_MASS, TIP_INERTIA = (0.022, 0.03, 0.035), 0.16, (2.96e-5, 2.38e-5, 1.92e-5)
FAR = 10.0  # m: a damper to a point so far away acts along a fixed direction
PLACES = (("centre", 0.0), ("left", -1.0), ("right", 1.0))


@dataclass(frozen=True)
class Blade:
    """A blade in a model; the rows of three are in the order of `PLACES`."""

    tie: BodyHandle
    tip: BodyHandle


def add_blade(model: Model, p: Parameters, name: str, y: float, turn: float) -> Blade:
    """A blade that stands at (0, y, 0) along i3; its thin side is along i1 turned by ``turn`` (rad) about i3."""
    c, s = cos(turn), sin(turn)
    axes = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    # section axis 3 is the thin direction
    section = Section.rectangle(WIDTH, THICKNESS, STEEL)
    heights = np.cumsum((p.lower_length, TIE[2], p.upper_length, TIP[2]))
    low, tie_top, high = ((0.0, y, z) for z in heights[:3])
    common: Any = {"up": axes[:, 0], "elements": p.elements, "damping": p.damping_stiffness}
    lower = model.add(Beam(section, (0.0, y, 0.0), low, name=f"{name}.lower", **common))
    upper = model.add(Beam(section, tie_top, high, name=f"{name}.upper", **common))
    middle = (0.0, y, heights[0] + 0.5 * TIE[2]), (0.0, y, heights[2] + 0.5 * TIP[2])
    tie = model.add(
        RigidBody(TIE_MASS, TIE_INERTIA, position=middle[0], rotation=axes, name=f"{name}.tie-boss")
    )
    tip = model.add(RigidBody(TIP_MASS, TIP_INERTIA, position=middle[1], rotation=axes, name=f"{name}.tip"))
    model.add(Clamp(model.ground, lower.start))
    for body, end in ((tie, lower.end), (tie, upper.start), (tip, upper.end)):
        model.add(RigidOffset(body.node, end, name=f"{name}.offset"))
    _mass_damping(model, p, tie, tip)
    return Blade(tie, tip)


def _mass_damping(model: Model, p: Parameters, tie: BodyHandle, tip: BodyHandle) -> None:
    """The mass-proportional part of Rayleigh's damping, lumped: dampers to the ground, half of each beam included."""
    if p.damping_mass == 0:
        return
    line = STEEL.density * WIDTH * THICKNESS
    lumps = (
        (tie, TIE_MASS + 0.5 * line * (p.lower_length + p.upper_length)),
        (tip, TIP_MASS + 0.5 * line * p.upper_length),
    )
    for body, mass in lumps:
        for direction in np.eye(3):
            far = model.ground.at_global(body.node.position - FAR * direction)
            model.add(SpringDamper(far, body.node, 0.0, p.damping_mass * mass, name="air"))


def add_row(model: Model, p: Parameters) -> list[Blade]:
    """Three blades side by side along i2, faces touching; the outer ones turned by -turn and +turn."""
    return [add_blade(model, p, name, side * TIE[1], side * radians(p.turn)) for name, side in PLACES]


def blade_frequencies(p: Parameters, number: int = 3) -> Array:
    """Lowest natural frequencies of one blade, Hz, without damping."""
    model = Model(name="blade")
    add_blade(model, p, "blade", 0.0, 0.0)
    return modes(model, number, undamped=True).frequencies_hz


def coupled_frequencies(p: Parameters, number: int = 3) -> Array:
    """Lowest natural frequencies of the row with its tie-bosses rigidly linked, Hz, without damping."""
    model = Model(name="linked blades")
    centre, *outer = add_row(model, p)
    for blade in outer:
        model.add(RigidOffset(centre.tie.node, blade.tie.node, name="link"))
    return modes(model, number, undamped=True).frequencies_hz
