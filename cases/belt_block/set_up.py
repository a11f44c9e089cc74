"""A block for each law, all on one belt, each on a spring of its own."""

from __future__ import annotations

from fem_mbd.base.suggestions import nearest
from fem_mbd.cases.belt_block.laws import LAWS
from fem_mbd.cases.belt_block.parameters import GRAVITY, Parameters
from fem_mbd.cases.belt_block.step_rule import SlipChange
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.prescribed import PrescribedMotion
from fem_mbd.core.model.time_functions import Polynomial
from fem_mbd.core.newton.newton_options import NewtonOptions
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements import PointMass, RigidBody, SpringDamper
from fem_mbd.errors import InputError
from fem_mbd.friction import Linear
from fem_mbd.joints import PointOnPlane

SPACING = 0.1  # m across the belt; the blocks do not touch
SHARE = 0.1  # of the slip velocity, its change in a step
SHORTEST = 1e-3  # of the largest step, for the change of slip
LEAST = 1e-6  # of the largest step, where Newton's method fails
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
    way = Polynomial(((0.0, 0.0, 0.0), (p.belt_speed, 0.0, 0.0)))
    model.add(PrescribedMotion(belt.node, way, name="drive"))
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
    rule = SlipChange(len(chosen(p)), SHARE, p.v_0, SHORTEST * p.dt)
    control = StepControl(rule, dt_initial=p.dt, dt_max=p.dt, dt_min=LEAST * p.dt, growth=2.0)
    return Simulation(model, p.end_time, control, newton=NewtonOptions())
