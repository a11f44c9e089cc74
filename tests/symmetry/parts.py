"""More mechanisms built in a frame: contacts, rolling, films, cables, blades, and joints with friction."""

from collections.abc import Callable
from typing import Any

import numpy as np

import fem_mbd as fm
from fem_mbd.core.model.time_functions import Ramp
from fem_mbd.elements import (
    Beam,
    Cable,
    LineLoad,
    Material,
    PointMass,
    RigidBody,
    RotationalSpringDamper,
    Section,
    SectionTable,
    SpringDamper,
)
from fem_mbd.friction import Coulomb, Hertz, HuntCrossley, LuGre
from fem_mbd.joints import (
    Clamp,
    DrivenPrismatic,
    DrivenRevolute,
    JointFriction,
    JournalBearing,
    LubricatedJournal,
    PlanarClearance,
    Prismatic,
    Revolute,
    RollingDisk,
    SphereOnPlane,
    SphereOnSphere,
)
from tests.symmetry.frames import Frame

Built = tuple[fm.Model, tuple[str, ...], float]


def body(model: fm.Model, frame: Frame, name: str, mass: float, moments: tuple[float, ...], at: Any) -> Any:
    """A rigid body in a frame: kg, kg m^2 about the mechanism's axes, and m."""
    inertia = frame.inertia(*moments)
    return model.add(RigidBody(frame.of(mass, kg=1), inertia, position=frame.place(*at), name=name))


def in_gravity(frame: Frame) -> fm.Model:
    """A model with weight along the mechanism's -z."""
    return fm.Model(gravity=frame.arrow(0, 0, -9.81, m=1, s=-2))


def balls(frame: Frame) -> Built:
    """A ball thrown onto a plane and another ball, with Coulomb friction and damped Hertzian contacts."""
    model = in_gravity(frame)
    low = body(model, frame, "low", 0.4, (1e-4, 1e-4, 1e-4), (0, 0, 0.0299))
    high = body(model, frame, "high", 0.2, (4e-5, 4e-5, 4e-5), (0.01, 0.002, 0.0795))
    elastic = Hertz(frame.of(1e7, kg=1, m=-0.5, s=-2))
    damped = HuntCrossley(Hertz(frame.of(2e7, kg=1, m=-0.5, s=-2)), frame.of(0.3, s=1, m=-1))
    rubs = Coulomb(0.3, frame.of(1e-3, m=1, s=-1))
    ground = frame.ground(model).at_global(frame.place(0, 0, 0))
    parts: list[Callable[[], Any]] = [
        lambda: SphereOnPlane(
            ground, low, frame.of(0.03, m=1), damped, rubs, direction=frame.arrow(0, 0, 1), name="floor"
        ),
        lambda: SphereOnSphere(
            low, high, frame.of(0.03, m=1), frame.of(0.02, m=1), elastic, rubs, name="balls"
        ),
    ]
    for part in reversed(parts) if frame.reverse else parts:
        model.add(part())
    model.set_velocity(low, velocity=frame.arrow(0.3, 0, 0, m=1, s=-1), omega=frame.axial(0, 20, 3, s=-1))
    model.set_velocity(high, velocity=frame.arrow(0, 0.1, -0.5, m=1, s=-1), omega=frame.axial(5, 0, -8, s=-1))
    return model, ("low", "high"), frame.of(0.006, s=1)


def wheel(frame: Frame) -> Built:
    """A leaning disk rolls in a curve; a spring from its centre to the ground."""
    model = in_gravity(frame)
    tilt, radius = 0.3, 0.2
    up = np.array([0.0, np.sin(tilt), np.cos(tilt)])
    axle = np.array([0.0, np.cos(tilt), -np.sin(tilt)])
    inertia = 0.02 * (np.eye(3) + np.outer(axle, axle))
    turned = frame.of(1.0, kg=1, m=2) * frame.turn @ inertia @ frame.turn.T
    disk = model.add(
        RigidBody(frame.of(2.0, kg=1), turned, position=frame.place(*(radius * up)), name="disk")
    )
    ground = frame.ground(model).at_global(frame.place(0, 0, 0))
    model.add(
        RollingDisk(
            ground,
            disk,
            frame.of(radius, m=1),
            direction=frame.arrow(0, 0, 1),
            axis=frame.arrow(*axle),
            name="wheel",
        )
    )
    post = frame.ground(model).at_global(frame.place(0.2, 0.6, 0.1))
    model.add(SpringDamper(post, disk, frame.of(15.0, kg=1, s=-2), frame.of(1.0, kg=1, s=-1), name="spring"))
    spin = np.array(axle) * 8.0 + np.array([0, 0, 1.5])
    about = frame.place(0, 0, 0)
    model.set_velocity(disk, velocity=np.zeros(3), omega=frame.axial(*spin, s=-1), about=about)
    return model, ("disk",), frame.of(0.2, s=1)


def oil_rotor(frame: Frame) -> Built:
    """An unbalanced rotor in a film of oil, at 200 rad/s."""
    model = in_gravity(frame)
    rotor = body(model, frame, "rotor", 1.5, (2e-3, 3e-3, 2e-3), (2e-5, 0, -3e-5))
    place = frame.place(0, 0, 0)
    model.add(
        LubricatedJournal(
            frame.ground(model).at_global(place), rotor.node.at_global(place), frame.of(0.02, m=1),
            frame.of(0.015, m=1), frame.of(1e-4, m=1), frame.of(0.02, kg=1, m=-1, s=-1),
            axis=frame.arrow(0, 1, 0), name="film",
        )
    )  # fmt: skip
    model.set_velocity(rotor, omega=frame.axial(0, 200, 0, s=-1), about=place)
    return model, ("rotor",), frame.of(0.01, s=1)


def cable(frame: Frame) -> Built:
    """A weight on a slack rope, pushed aside."""
    model = in_gravity(frame)
    rope = model.add(
        Cable(
            frame.of(2e4, kg=1, m=1, s=-2), frame.of(0.1, kg=1, m=-1), frame.place(0, 0, 0), frame.place(1, 0.2, -0.3),
            elements=6, length=frame.of(1.2, m=1), damping=frame.of(1e-3, s=1), name="rope",
        )
    )  # fmt: skip
    frame.hold(model, rope.start)
    model.add(PointMass(frame.of(0.3, kg=1), node=rope.end, name="weight"))
    model.set_velocity(rope.end, velocity=frame.arrow(0.5, 1.0, 0, m=1, s=-1))
    return model, (rope.end.name,), frame.of(0.1, s=1)


def guided_slider(frame: Frame) -> Built:
    """A table that is driven to and fro; a slider with friction on it, and its journal in a bore with clearance."""
    model = in_gravity(frame)
    table = body(model, frame, "table", 1.0, (2e-2, 2e-2, 2e-2), (0, 0, 0))
    slider = body(model, frame, "slider", 0.5, (1e-3, 1e-3, 1e-3), (0.1, 0.02, 0.05))
    rod = body(model, frame, "rod", 0.2, (1e-4, 5e-4, 5e-4), (0.2, 0.02, 0.05))
    speed = Ramp(t0=frame.start, t1=frame.start + frame.of(0.02, s=1), v0=0, v1=frame.of(2.0, m=1, s=-1))
    law = Coulomb(0.2, frame.of(5e-3, m=1, s=-1))
    along = frame.arrow(1, 0, 0)
    rubs = LuGre(sigma_0=frame.of(1e5, m=-1), mu_s=0.2, mu_k=0.15, v_s=frame.of(1e-2, m=1, s=-1))
    pin = frame.place(0.1, 0.02, 0.05)
    parts: list[Callable[[], Any]] = [
        lambda: DrivenPrismatic(
            frame.ground(model), table, at=frame.place(0, 0, 0), axis=along, speed=speed, name="drive"
        ),
        lambda: Prismatic(
            table, slider, at=pin, axis=along, friction=JointFriction(
                law=law, reaction_arm=frame.of(0.02, m=1), initial_overlap=frame.of(0.1, m=1)
            ), name="rail"
        ),
        lambda: SpringDamper(table, slider, frame.of(300.0, kg=1, s=-2), name="spring"),
        lambda: PlanarClearance(
            slider.node.at_global(pin), rod.node.at_global(pin), frame.of(0.01, m=1), frame.of(0.0099, m=1),
            Hertz(frame.of(1e8, kg=1, m=-0.5, s=-2)), rubs, axis=frame.axial(0, 1, 0), name="pin",
        ),
    ]  # fmt: skip
    for part in reversed(parts) if frame.reverse else parts:
        model.add(part())
    return model, ("table", "slider", "rod"), frame.of(0.04, s=1)


def hinged_flap(frame: Frame) -> Built:
    """A flap on a rough hinge, a journal in a bore beside it, and LuGre's bristles in both."""
    model = in_gravity(frame)
    flap = body(model, frame, "flap", 0.8, (4e-3, 6e-3, 3e-3), (0.15, 0, 0.02))
    other = body(model, frame, "other", 0.4, (8e-4, 1e-3, 8e-4), (0.1, 0.2, 0.0))
    law = LuGre(sigma_0=frame.of(1e4, m=-1), mu_s=0.3, mu_k=0.2, v_s=frame.of(1e-2, m=1, s=-1))
    axis, start = frame.axial(0, 1, 0), frame.place(0, 0, 0)
    bore = frame.place(0, 0.2, 0)
    parts: list[Callable[[], Any]] = [
        lambda: Revolute(
            frame.ground(model), flap, at=start, axis=axis, name="hinge",
            friction=JointFriction(
                law=law, pin_radius=frame.of(0.02, m=1), friction_arm=frame.of(0.03, m=1),
                bending_reaction_arm=frame.of(0.05, m=1),
            ),
        ),
        lambda: JournalBearing(
            frame.ground(model).at_global(bore), other.node.at_global(bore), frame.of(0.02, m=1), frame.of(0.0199, m=1),
            frame.of(0.03, m=1), Hertz(frame.of(1e8, kg=1, m=-0.5, s=-2)), law, axis=axis, name="bore",
        ),
    ]  # fmt: skip
    for part in reversed(parts) if frame.reverse else parts:
        model.add(part())
    return model, ("flap", "other"), frame.of(0.03, s=1)


def propeller(frame: Frame) -> Built:
    """A blade on a hub that is run up, under a line load."""
    model = in_gravity(frame)
    hub = body(model, frame, "hub", 2.0, (1e-2, 1e-2, 2e-2), (0, 0, 0))
    carbon = Material(frame.of(60e9, kg=1, m=-1, s=-2), 0.3, frame.of(1600.0, kg=1, m=-3))
    strip = Section.rectangle(frame.of(0.06, m=1), frame.of(0.006, m=1), carbon)
    blade = model.add(
        Beam(
            strip, frame.place(0.1, 0, 0), frame.place(0.9, 0.1, 0.05), up=frame.arrow(0.1, 0.2, 1), elements=3,
            order=3, damping=frame.of(1e-4, s=1), name="blade",
        )
    )  # fmt: skip
    tip = body(model, frame, "tip", 0.05, (1e-5, 1e-5, 1e-5), (0.9, 0.1, 0.05))
    speed = Ramp(t0=frame.start, t1=frame.start + frame.of(0.05, s=1), v0=0, v1=frame.of(20.0, s=-1))
    axis = frame.axial(0, 0, 1)
    model.add(
        DrivenRevolute(
            frame.ground(model), hub, at=frame.place(0, 0, 0), axis=axis, speed=speed, name="motor"
        )
    )
    model.add(Clamp(hub, blade.start, at=frame.place(0.1, 0, 0), name="root"))
    model.add(Clamp(blade.end, tip, name="weight"))
    model.add(LineLoad(blade, frame.arrow(0, 0, 30.0, kg=1, s=-2), name="lift"))
    return model, ("hub", "tip"), frame.of(0.1, s=1)


def turbine(frame: Frame) -> Built:
    """A wind turbine of 80 m: tower, nacelle, a hub that a generator brakes, three tapered blades under thrust."""
    model = in_gravity(frame)
    steel = Material(frame.of(210e9, kg=1, m=-1, s=-2), 0.3, frame.of(8500.0, kg=1, m=-3))
    glass = Material(frame.of(30e9, kg=1, m=-1, s=-2), 0.3, frame.of(1900.0, kg=1, m=-3))
    pipe = Section.tube(frame.of(2.0, m=1), frame.of(0.03, m=1), steel)
    tower = model.add(
        Beam(
            pipe, frame.place(0, 0, 0), frame.place(0, 0, 78), up=frame.arrow(1, 0, 0), elements=3,
            damping=frame.of(2e-3, s=1), name="tower",
        )
    )  # fmt: skip
    frame.hold(model, tower.start)
    nacelle = body(model, frame, "nacelle", 2.4e5, (6e5, 2e6, 2e6), (1.0, 0, 80))
    hub = body(model, frame, "hub", 5e4, (1e5, 8e4, 8e4), (-4.0, 0, 80))
    model.add(Clamp(tower.end, nacelle, at=frame.place(0, 0, 78), name="top"))
    axis = frame.axial(1, 0, 0)
    model.add(Revolute(nacelle, hub, at=frame.place(-4, 0, 80), axis=axis, name="shaft"))
    brake = frame.of(5e5, kg=1, m=2, s=-1)
    model.add(RotationalSpringDamper(nacelle, hub, axis=axis, stiffness=0.0, damping=brake, name="generator"))
    root, tip = (
        Section.rectangle(frame.of(width, m=1), frame.of(0.4 * width, m=1), glass) for width in (1.2, 0.4)
    )
    for k in range(3):
        along = np.array([0.0, -np.sin(2 * np.pi * k / 3), np.cos(2 * np.pi * k / 3)])
        first, last = (np.array([-4.0, 0, 80]) + radius * along for radius in (1.5, 40.0))
        blade = model.add(
            Beam(
                SectionTable(s=[0, 1], sections=[root, tip]), frame.place(*first), frame.place(*last),
                up=frame.arrow(1, 0, 0), elements=4, order=3, damping=frame.of(1e-3, s=1), name=f"blade{k + 1}",
            )
        )  # fmt: skip
        model.add(Clamp(hub, blade.start, at=frame.place(*first), name=f"root{k + 1}"))
        model.add(LineLoad(blade, frame.arrow(3e3, 0, 0, kg=1, s=-2), name=f"thrust{k + 1}"))
        model.set_velocity(blade.nodes, omega=frame.axial(1.8, 0, 0, s=-1), about=frame.place(-4, 0, 80))
    model.set_velocity(hub, omega=frame.axial(1.8, 0, 0, s=-1), about=frame.place(-4, 0, 80))
    return model, ("nacelle", "hub", "blade1.8", "blade2.8"), frame.of(1.0, s=1)


PARTS: dict[str, Callable[[Frame], Built]] = {
    one.__name__: one
    for one in (balls, wheel, oil_rotor, cable, guided_slider, hinged_flap, propeller, turbine)
}
