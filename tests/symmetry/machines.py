"""Mechanisms built in a frame: each returns the model, the bodies whose motion is compared, and the duration."""

from collections.abc import Callable
from typing import Any

import numpy as np

import fem_mbd as fm
from fem_mbd.core.scheme.system import System
from fem_mbd.elements import Beam, Force, Material, RigidBody, RotationalSpringDamper, Section, SpringDamper
from fem_mbd.friction import Linear, LuGre
from fem_mbd.joints import (
    Clamp,
    Cylindrical,
    DrivenRevolute,
    Revolute,
    Spherical,
    SphericalClearance,
    Universal,
)
from tests.symmetry.frames import Frame
from tests.symmetry.parts import PARTS

Machine = Callable[[Frame], tuple[fm.Model, tuple[str, ...], float]]


def _bodies(model: fm.Model, frame: Frame, data: dict[str, tuple[float, Any, Any]]) -> dict[str, Any]:
    """Bodies of mass, principal moments and place, in the frame's order."""
    order = reversed(list(data)) if frame.reverse else list(data)
    return {
        name: model.add(
            RigidBody(
                frame.of(data[name][0], kg=1), frame.inertia(*data[name][1]), position=frame.place(*data[name][2]),
                name=name,
            )
        )
        for name in order
    }  # fmt: skip


def _add(model: fm.Model, frame: Frame, *parts: Callable[[], Any]) -> None:
    for part in reversed(parts) if frame.reverse else parts:
        model.add(part())


def free_bodies(frame: Frame) -> tuple[fm.Model, tuple[str, ...], float]:
    """Three bodies in flight: a ball joint, a universal joint, a spring and a thruster."""
    model = fm.Model()
    bodies = _bodies(model, frame, {
        "a": (1.0, (2e-2, 3e-2, 4e-2), (0, 0, 0)), "b": (0.5, (5e-3, 1e-2, 9e-3), (0.3, 0.1, 0)),
        "c": (0.3, (4e-3, 5e-3, 3e-3), (0.6, 0.1, 0.2)),
    })  # fmt: skip
    a, b, c = (bodies[name] for name in "abc")
    _add(
        model, frame,
        lambda: Spherical(a, b, at=frame.place(0.15, 0, 0), name="ball"),
        lambda: Universal(
            b, c, at=frame.place(0.45, 0.1, 0.1), axis_k=frame.axial(0, 1, 0), axis_l=frame.axial(0, 0, 1), name="cross"
        ),
        lambda: SpringDamper(a, c, frame.of(30.0, kg=1, s=-2), frame.of(0.2, kg=1, s=-1), name="spring"),
        lambda: Force(a.node, frame.arrow(0.5, 0, 1.0, kg=1, m=1, s=-2), follower=True, name="thruster"),
    )  # fmt: skip
    spin = frame.axial(1.0, -2.0, 5.0, s=-1)
    drift = frame.arrow(0.3, 0.1, -0.2, m=1, s=-1)
    for body in bodies.values():
        model.set_velocity(body, velocity=drift, omega=spin, about=frame.place(0, 0, 0))
    return model, ("a", "b", "c"), frame.of(0.2, s=1)


def four_bar(frame: Frame) -> tuple[fm.Model, tuple[str, ...], float]:
    """A driven crank, a flexible link and a rocker with a torsion spring, in gravity."""
    model = fm.Model(gravity=frame.arrow(0, 0, -9.81, m=1, s=-2))
    bodies = _bodies(model, frame, {
        "crank": (0.3, (1e-4, 3e-4, 3e-4), (0.05, 0, 0)), "rocker": (0.5, (2e-3, 2e-3, 1e-4), (0.35, 0, 0.05)),
    })  # fmt: skip
    crank, rocker = bodies["crank"], bodies["rocker"]
    steel = Material(frame.of(210e9, kg=1, m=-1, s=-2), 0.3, frame.of(7850.0, kg=1, m=-3))
    strip = Section.rectangle(frame.of(0.02, m=1), frame.of(0.002, m=1), steel)
    link = model.add(
        Beam(
            strip,
            frame.place(0.1, 0, 0),
            frame.place(0.35, 0, 0.15),
            up=frame.arrow(0, 0, 1),
            elements=2,
            name="link",
        )
    )
    across = frame.axial(0, 1, 0)
    speed = fm.time_functions.Ramp(
        t0=frame.start, t1=frame.start + frame.of(0.2, s=1), v0=0, v1=frame.of(60.0, s=-1)
    )
    _add(
        model, frame,
        lambda: DrivenRevolute(
            frame.ground(model), crank, at=frame.place(0, 0, 0), axis=across, speed=speed, name="motor"
        ),
        lambda: Revolute(crank, link.start, at=frame.place(0.1, 0, 0), axis=across, name="first"),
        lambda: Revolute(link.end, rocker, at=frame.place(0.35, 0, 0.15), axis=across, name="second"),
        lambda: Spherical(frame.ground(model), rocker, at=frame.place(0.35, 0, -0.05), name="pivot"),
        lambda: RotationalSpringDamper(
            frame.ground(model), rocker, axis=across, stiffness=frame.of(2.0, kg=1, m=2, s=-2), name="torsion"
        ),
    )  # fmt: skip
    return model, ("crank", "rocker"), frame.of(0.1, s=1)


def slider_crank(frame: Frame) -> tuple[fm.Model, tuple[str, ...], float]:
    """Rigid crank, rod and slider, let go in gravity against a spring; a universal joint keeps the rod from turning
    about its own axis."""
    model = fm.Model(gravity=frame.arrow(0, 0, -9.81, m=1, s=-2))
    bodies = _bodies(model, frame, {
        "crank": (0.4, (1e-4, 4e-4, 4e-4), (0.05, 0, 0.05)), "rod": (0.6, (1e-4, 4e-3, 4e-3), (0.23, 0, 0.05)),
        "slider": (1.0, (1e-3, 1e-3, 1e-3), (0.36, 0, 0)),
    })  # fmt: skip
    crank, rod, slider = (bodies[name] for name in ("crank", "rod", "slider"))
    across = frame.axial(0, 1, 0)
    _add(
        model, frame,
        lambda: Revolute(frame.ground(model), crank, at=frame.place(0, 0, 0), axis=across, name="main"),
        lambda: Universal(
            crank, rod, at=frame.place(0.1, 0, 0.1), axis_k=across, axis_l=frame.axial(0.1, 0, 0.26), name="pin"
        ),
        lambda: Spherical(rod, slider, at=frame.place(0.36, 0, 0), name="gudgeon"),
        lambda: Cylindrical(
            frame.ground(model), slider, at=frame.place(0.36, 0, 0), axis=frame.arrow(1, 0, 0), name="guide"
        ),
        lambda: SpringDamper(
            frame.ground(model).at_global(frame.place(0.5, 0, 0)), slider, frame.of(500.0, kg=1, s=-2), name="spring"
        ),
    )  # fmt: skip
    return model, ("crank", "slider"), frame.of(0.2, s=1)


def clearance_pendulum(frame: Frame) -> tuple[fm.Model, tuple[str, ...], float]:
    """A flexible arm with a bob on a ball in a socket, with friction."""
    model = fm.Model(gravity=frame.arrow(0, 0, -9.81, m=1, s=-2))
    light = Material(frame.of(70e9, kg=1, m=-1, s=-2), 0.33, frame.of(2700.0, kg=1, m=-3))
    tube = Section.tube(mean_radius=frame.of(0.01, m=1), thickness=frame.of(0.001, m=1), material=light)
    arm = model.add(
        Beam(
            tube, frame.place(0, 0, 0), frame.place(1, 0, 0), up=frame.arrow(0, 0, 1), elements=2,
            damping=frame.of(1e-4, s=1), name="arm",
        )
    )  # fmt: skip
    bob = _bodies(model, frame, {"bob": (0.5, (1e-3, 1e-3, 1e-3), (1, 0, 0))})["bob"]
    friction = LuGre(sigma_0=frame.of(1e5, m=-1), mu_s=0.2, mu_k=0.15, v_s=frame.of(1e-3, m=1, s=-1))
    _add(
        model, frame,
        lambda: Clamp(arm.end, bob, name="clamp"),
        lambda: SphericalClearance(
            frame.ground(model).at_global(frame.place(0, 0, 0)), arm.start, frame.of(0.02, m=1), frame.of(0.0195, m=1),
            Linear(frame.of(1e6, kg=1, s=-2)), friction, name="socket",
        ),
    )  # fmt: skip
    return model, ("bob",), frame.of(0.05, s=1)


OWN: dict[str, Machine] = {
    one.__name__: one for one in (free_bodies, four_bar, slider_crank, clearance_pendulum)
}
MACHINES = OWN | PARTS


def motion(machine: Machine, frame: Frame, steps: int | None = 100) -> tuple[np.ndarray, fm.Result]:
    """Places (bodies, steps, 3) in the mechanism's own frame in SI units, with equal steps, or the default ones."""
    model, names, duration = machine(frame)
    control = None if steps is None else fm.StepControl.fixed(duration / steps)
    start = System(model).reference_state()
    start.time = frame.start
    start.v[1:] += frame.boost
    result = fm.simulate(model, frame.start + duration, control, initial=start)
    assert result.status == "complete"
    return np.array([frame.back(result.of(name).position, result.time) for name in names]), result
