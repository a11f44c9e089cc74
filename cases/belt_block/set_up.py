"""A block for each law, all on one belt, each on a spring of its own."""

from __future__ import annotations

from fem_mbd.cases.belt_block.laws import LAWS
from fem_mbd.cases.belt_block.parameters import GRAVITY, Parameters
from fem_mbd.elements import PointMass, RigidBody, SpringDamper
from fem_mbd.errors import InputError
from fem_mbd.friction import Linear
from fem_mbd.joints import DrivenPrismatic, PointOnPlane
from fem_mbd.model import Model
from fem_mbd.newton_options import NewtonOptions
from fem_mbd.simulation import Simulation
from fem_mbd.step_control import StepControl
from fem_mbd.suggestions import nearest
from fem_mbd.time_functions import Polynomial

SPACING = 0.1  # m across the belt; the blocks do not touch
ANCHOR = 10.0  # m: springs so long pull along the belt whatever the block's height


def chosen(p: Parameters) -> list[str]:
    """Names of the laws, in the order of `LAWS`. Raises InputError for one that is not there."""
    if p.law == "all":
        return list(LAWS)
    names = p.law.split("+")
    for name in names:
        if name not in LAWS:
            raise InputError(f"belt_block: there is no law {name!r}; {nearest(name, tuple(LAWS))}")
    return [name for name in LAWS if name in names]


def build(p: Parameters) -> Simulation:
    """The blocks rest on the belt at the start, pressed in by their weight, and move with it."""
    model = Model(gravity=(0.0, 0.0, -GRAVITY), name="belt_block")
    belt = model.add(RigidBody(1.0, (1.0, 1.0, 1.0), position=(0.0, 0.0, 0.0), name="belt"))
    model.add(
        DrivenPrismatic(
            model.ground, belt.node, axis=(1, 0, 0), slide=Polynomial((0.0, p.belt_speed)), name="drive"
        )
    )
    model.set_velocity(belt.node, (p.belt_speed, 0.0, 0.0))
    sag = p.weight / p.contact_stiffness
    for number, name in enumerate(chosen(p)):
        place = (0.0, SPACING * number, -sag)
        block = model.add(PointMass(p.mass, position=place, name=name))
        model.set_velocity(block.node, (p.belt_speed, 0.0, 0.0))
        anchor = model.ground.at((-ANCHOR, *place[1:]))
        model.add(SpringDamper(anchor, block.node, p.stiffness, name=f"{name}.spring"))
        law = LAWS[name].make(p)
        model.add(
            PointOnPlane(belt.node, block.node, Linear(p.contact_stiffness), law, name=f"{name}.contact")
        )
    return Simulation(model, StepControl.fixed(p.dt), p.end_time, NewtonOptions())
