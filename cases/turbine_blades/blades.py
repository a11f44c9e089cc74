"""One blade and the row of three: beams, tie-bosses, tips."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin
from typing import Any, Literal

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.turbine_blades.parameters import Parameters
from fem_mbd.core.model.model import Model
from fem_mbd.elements import Beam, BodyHandle, Material, RigidBody, Section, SpringDamper
from fem_mbd.joints import Clamp, RigidOffset, Spherical

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


def add_blade(model: Model, p: Parameters, name: str, place: Array, turn: float) -> Blade:
    """A blade that stands at ``place`` (3,) along i3; its thin side is along i1 turned by ``turn`` (rad) about i3."""
    c, s = cos(turn), sin(turn)
    axes = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    # section axis 3 is the thin direction
    section = Section.rectangle(WIDTH, THICKNESS, STEEL)
    # what the rigid bodies add to the beams: half a tie-boss twice, half a tip
    tie_arm, tip_arm = (0.5 * TIE[2], 0.5 * TIP[2]) if p.ends == "faces" else (0.0, 0.0)
    g = p.geometry
    heights = np.cumsum((g.lower_length, tie_arm, tie_arm, g.upper_length, tip_arm))
    low, tie_middle, tie_top, high, tip_middle = place + np.outer(heights, (0.0, 0.0, 1.0))
    common: Any = {"up": axes[:, 0], "elements": p.elements, "damping": p.damping_stiffness}
    lower = model.add(Beam(section, place, low, name=f"{name}.lower", **common))
    upper = model.add(Beam(section, tie_top, high, name=f"{name}.upper", **common))
    tie = model.add(
        RigidBody(TIE_MASS, TIE_INERTIA, position=tie_middle, rotation=axes, name=f"{name}.tie-boss")
    )
    tip = model.add(RigidBody(TIP_MASS, TIP_INERTIA, position=tip_middle, rotation=axes, name=f"{name}.tip"))
    model.add(Clamp(model.ground, lower.start))
    for body, end in ((tie, lower.end), (tie, upper.start), (tip, upper.end)):
        model.add(RigidOffset(body.node, end, name=f"{name}.offset"))
    _mass_damping(model, p, tie, tip)
    return Blade(tie, tip)


def _mass_damping(model: Model, p: Parameters, tie: BodyHandle, tip: BodyHandle) -> None:
    """The mass-proportional part of Rayleigh's damping, lumped: dampers to the ground, half of each beam included."""
    if p.damping_mass == 0:
        return
    line, g = STEEL.density * WIDTH * THICKNESS, p.geometry
    lumps = (
        (tie, TIE_MASS + 0.5 * line * (g.lower_length + g.upper_length)),
        (tip, TIP_MASS + 0.5 * line * g.upper_length),
    )
    for body, mass in lumps:
        for direction in np.eye(3):
            far = model.ground.at_global(body.node.position - FAR * direction)
            model.add(SpringDamper(far, body.node, 0.0, p.damping_mass * mass, name="air"))


@dataclass(frozen=True)
class Row:
    """How three blades stand.

    turns : (2,) rad, of the left and the right blade about their own axes
    pitch : (3,) m, from the centre blade to the right one; the left one stands opposite. Normal of the faces
    set_back : m, by which both outer blades stand further along -i1
    link : what holds together tie-bosses that do not slip: "rigid", all six motions; "points", the middles of the faces
    """

    turns: tuple[float, float]
    pitch: tuple[float, float, float] = (0.0, TIE[1], 0.0)
    set_back: float = 0.0
    link: Literal["rigid", "points"] = "rigid"

    def place(self, side: float) -> Array:
        """(3,) m, of the foot of the blade on that side: 0 centre, -1 left, 1 right."""
        return side * np.array(self.pitch) - abs(side) * np.array((self.set_back, 0.0, 0.0))


def row_of(p: Parameters) -> Row:
    """The row of the parameters: outer blades turned by -turn and +turn."""
    g = p.geometry
    return Row((-radians(g.turn), radians(g.turn)), (0.0, g.spacing, 0.0), g.set_back)


def add_row(model: Model, p: Parameters, row: Row | None = None) -> list[Blade]:
    """Three blades in a row, faces touching; the simulated row when ``row`` is left out."""
    row = row or row_of(p)
    turns = {"centre": 0.0, "left": row.turns[0], "right": row.turns[1]}
    return [add_blade(model, p, name, row.place(side), turns[name]) for name, side in PLACES]


def blade_frequencies(p: Parameters, number: int = 3) -> Array:
    """Lowest natural frequencies of one blade, Hz, without damping."""
    from fem_mbd.analysis.modal.modes import modes  # not at the top: a run begins without

    model = Model(name="blade")
    add_blade(model, p, "blade", np.zeros(3), 0.0)
    return modes(model, number, undamped=True).frequencies_hz


def coupled_frequencies(p: Parameters, row: Row | None = None, number: int = 3) -> Array:
    """Lowest natural frequencies of a row with its tie-bosses linked, Hz, without damping."""
    from fem_mbd.analysis.modal.modes import modes

    row = row or row_of(p)
    model = Model(name="linked blades")
    centre, *outer = add_row(model, p, row)
    for blade in outer:
        if row.link == "rigid":
            model.add(RigidOffset(centre.tie.node, blade.tie.node, name="link"))
        else:
            middle = 0.5 * (centre.tie.node.position + blade.tie.node.position)
            model.add(
                Spherical(centre.tie.node.at_global(middle), blade.tie.node.at_global(middle), name="link")
            )
    return modes(model, number, undamped=True).frequencies_hz
