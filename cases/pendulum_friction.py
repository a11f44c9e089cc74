"""Case: a pendulum with friction in its hinge, from Python or XML: MotionSolve's example of joint friction.

A bob of 1 kg starts from rest at the end of a horizontal arm of 0.1 m; the normal force of LuGre friction in the
revolute joint is the joint's own reaction. `--set source=xml` reads the same model from its XML file, as `fem-mbd run
--from-xml`. The defaults for bristles are in the source's model units: 100/mm and 0.316 s/mm are 1e5 1/m and 316 s/m.
With them the law is not passive at all speeds, of which a run warns once.

The data are those of the example in the documentation of Force_JointFriction. A run is checked against statics of the
hinge, finer steps and a reference solution.

The reference solution is that of the pendulum as an ordinary differential equation, solved by SciPy, independent of the
scheme. phi is the angle from the downward vertical, z the deflection of the hinge's two loaded surfaces, which are
equal here (radial only: the axial force and the bending moment vanish). With the reaction N from Newton's law along and
across the arm, which contains phi'' and so the friction torque T itself:

    (I + m l^2) phi'' = -m g l sin(phi) - T,      T = r_p N (sigma_0 z + sigma_1 z') + c phi'
    N^2 = m^2 [(l phi'' + g sin(phi))^2 + (l phi'^2 + g cos(phi))^2]

solved for phi'' by Newton's method at every evaluation. c is sigma_2 times the sum of the squared radii of the
included surfaces.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import cos, exp, sin, sqrt
from pathlib import Path
from typing import Literal

import numpy as np
from scipy.integrate import solve_ivp

from fem_mbd.base.arrays import Array
from fem_mbd.case import Case
from fem_mbd.case_parameters import check_positive, parameter
from fem_mbd.cases.xml_model.model_file import read_model
from fem_mbd.core.model.model import Model
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements import RigidBody
from fem_mbd.errors import InputError
from fem_mbd.friction import LuGre
from fem_mbd.joints import JointFriction, Revolute
from fem_mbd.output.figures.plots import Panel, draw_panels
from fem_mbd.runs.results.checks import Check, at_least, at_most
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.runs import run

BITS = ("preload", "reaction_force", "bending_moment", "torsional_moment")
FILE = Path(__file__).parent / "_data" / "pendulum_friction.xml"
XML_PARAMETERS = ("source", "dt", "end_time")  # parameters that apply to an XML model
HINGE, BOB = "Joint 0", "bob"


@dataclass(frozen=True)
class Parameters:
    """SI units. The source's defaults are in its model's units, here millimetre, second, newton: 100/mm is 1e5/m."""

    source: Literal["python", "xml"] = parameter("python", "", "model built here, or read from its XML file")
    end_time: float = parameter(5.0, "s", "simulated time")
    dt: float = parameter(2.5e-3, "s", "constant step; the source's output interval is 5e-3 s")
    mass: float = parameter(1.0, "kg", "of the bob")
    length: float = parameter(0.1, "m", "from the hinge to the bob's mass centre, horizontal at the start")
    inertia: float = parameter(1e-3, "kg m^2", "of the bob about its mass centre, all axes")
    gravity: float = parameter(9.81, "m/s^2", "along -z")
    mu_static: float = parameter(0.5, "", "static coefficient")
    mu_dynamic: float = parameter(0.3, "", "kinetic coefficient")
    transition_velocity: float = parameter(10e-3, "m/s", "of the Stribeck curve")
    bristle_stiffness: float = parameter(1e5, "1/m", "sigma_0; the source's default")
    damping_effects: float = parameter(316.0, "s/m", "sigma_1; the source's default")
    viscous_effects: float = parameter(
        0.4, "N s/m", "sigma_2 of each surface, not multiplied by the normal force; the source's default"
    )
    pin_radius: float = parameter(5e-3, "m", "of the hinge's pin")
    friction_arm: float = parameter(7e-3, "m", "radius of the friction of the axial force")
    bending_arm: float = parameter(5e-3, "m", "half the length of the bearing")
    torque_preload: float = parameter(0.0, "N m", "break-away torque of the unloaded hinge")
    inputs: str = parameter("1111", "", "which of preload, force, bending, torsion are included")
    effect: Literal["all", "stiction", "sliding"] = parameter("all", "", "coefficients included")

    def __post_init__(self) -> None:
        check_positive(
            self, "pendulum_friction",
            "end_time dt mass length inertia gravity transition_velocity bristle_stiffness pin_radius "
            "friction_arm bending_arm",
        )  # fmt: skip
        if len(self.inputs) != len(BITS) or set(self.inputs) - {"0", "1"}:
            raise InputError(f"pendulum_friction: inputs is {self.inputs!r}: give four digits of 0 and 1")

    @property
    def loads(self) -> tuple[str, ...]:
        """Names of the loads included by ``inputs``."""
        return tuple(load for load, bit in zip(BITS, self.inputs, strict=True) if bit == "1")


def build(p: Parameters) -> Simulation:
    """The model and constant steps."""
    model = python_model(p) if p.source == "python" else _xml_model(p)
    return Simulation(model, p.end_time, StepControl.fixed(p.dt))


def friction(p: Parameters) -> JointFriction:
    """Friction of the hinge."""
    law = LuGre(
        sigma_0=p.bristle_stiffness,
        sigma_1=p.damping_effects,
        mu_s=p.mu_static,
        mu_k=p.mu_dynamic,
        v_s=p.transition_velocity,
    )
    return JointFriction(
        law=law,
        viscous=p.viscous_effects,
        effect=p.effect,
        loads=p.loads,  # type: ignore[arg-type]
        torque_preload=p.torque_preload,
        pin_radius=p.pin_radius,
        friction_arm=p.friction_arm,
        bending_reaction_arm=p.bending_arm,
    )


def python_model(p: Parameters) -> Model:
    """A bob on an arm that starts at rest along -x; the hinge turns about y."""
    model = Model(gravity=(0.0, 0.0, -p.gravity), name="pendulum_friction")
    bob = model.add(RigidBody(p.mass, (p.inertia,) * 3, (-p.length, 0.0, 0.0), name=BOB))
    model.add(
        Revolute(model.ground, bob.node, at=(0, 0, 0), axis=(0, 1, 0), name=HINGE, friction=friction(p))
    )
    return model


def _xml_model(p: Parameters) -> Model:
    default = Parameters()
    changed = [
        f.name
        for f in fields(p)
        if f.name not in XML_PARAMETERS and getattr(p, f.name) != getattr(default, f.name)
    ]
    if changed:
        raise InputError(
            f"pendulum_friction: {', '.join(changed)} cannot be set with source=xml, since the file "
            "contains the numbers: use source=python"
        )
    return read_model(FILE).model


TOLERANCE = 1e-9
FORMULAS = "Force_JointFriction, comment 9"
# fraction of the largest: means over a step of a reaction that rotates by up to 0.07 rad in it
STEP_MEAN_TOLERANCE = 1e-3
LEDGER = "energy balance of the scheme"


def angle_at(p: Parameters, times: Array) -> Array:
    """(k,) rad at the times (s), for a pendulum without preload and with all loads and effects included."""
    squares = 3 * p.pin_radius**2 + p.friction_arm**2  # radial, bending, preload at the pin; axial at its arm
    drag, total = p.viscous_effects * squares, p.inertia + p.mass * p.length**2

    def rates(_: float, y: Array) -> list[float]:
        phi, omega, z = y
        slip = p.pin_radius * omega
        excess = p.mu_static - p.mu_dynamic
        g = p.mu_dynamic + excess * exp(-min((slip / p.transition_velocity) ** 2, 700.0))
        z_rate = slip - p.bristle_stiffness * abs(slip) * z / g
        arm = p.pin_radius * (p.bristle_stiffness * z + p.damping_effects * z_rate)
        along = p.length * omega**2 + p.gravity * cos(phi)
        torque = -p.mass * p.gravity * p.length * sin(phi) - drag * omega
        acceleration = torque / total
        for _ in range(50):
            across = p.length * acceleration + p.gravity * sin(phi)
            normal = p.mass * sqrt(across**2 + along**2)
            residual = total * acceleration - torque + arm * normal
            slope = total + arm * p.mass**2 * across * p.length / normal
            acceleration -= residual / slope
            if abs(residual) < 1e-13:
                break
        return [omega, acceleration, z_rate]

    start = [0.5 * np.pi, 0.0, 0.0]
    scale = [1e-10, 1e-9, 1e-14]
    solution = solve_ivp(
        rates, (0.0, float(times[-1])), start, method="Radau", t_eval=times, rtol=TOLERANCE, atol=scale
    )
    return np.asarray(solution.y[0])


def angle(result: Result) -> Array:
    """(k,) rad from the downward vertical, positive towards -x."""
    position = result.of(BOB).position
    return np.asarray(np.unwrap(np.arctan2(-position[:, 0], -position[:, 2])))


def amplitude(result: Result) -> float:
    """Largest angle of the last oscillation, rad: a maximum between two steps is that of the parabola through three."""
    phi, time = np.abs(angle(result)), result.output_time
    peaks = [k for k in range(1, len(phi) - 1) if phi[k] >= phi[k - 1] and phi[k] > phi[k + 1]]
    if not peaks:
        return float("nan")
    k = peaks[-1]
    curve = np.polyfit(time[k - 1 : k + 2] - time[k], phi[k - 1 : k + 2], 2)
    return float(curve[2] - curve[1] ** 2 / (4 * curve[0]))


def checks(result: Result, p: Parameters) -> list[Check]:
    """Energy ledger, dissipation, statics of the hinge; with the source's data also finer steps and the reference
    solution.
    """
    energy = result.energy
    lost = energy["dissipation_friction"].cumsum() + energy["bristle"]
    checks = [
        at_most("energy residual / scale", result.summary["energy"]["relative"], 1e-11, LEDGER),
        at_least("energy lost to friction [J]", float(lost[-1]), 0.0, "second law"),
        at_least("smallest cumulative loss [J]", float(lost.min()), -1e-12, "second law"),
    ]
    if "1" in p.inputs[:2]:
        checks += _torques(result, p)
    if p.end_time >= 1.0:
        checks += _finer(result, p)
    return checks


def _torques(result: Result, p: Parameters) -> list[Check]:
    """Checks of the normal force and the friction torque of the hinge against the bob's motion alone.

    In a plane the reaction at the hinge is m (a - g), and the torque about it is the rate of the angular momentum minus
    the moment of the weight. Means over steps use positions from Hermite's cubic.
    """
    motion, friction = Motion(result, p), result.of(HINGE).friction
    checks = []
    if "reaction_force" in p.loads:
        normal_force = friction.normal_force[:, 0]
        error = np.abs(normal_force - motion.reaction) / np.abs(normal_force).max()
        checks.append(
            at_most(
                "normal force of the pin minus m |a - g| / largest",
                float(error.max()),
                STEP_MEAN_TOLERANCE,
                FORMULAS,
            )
        )
    torque = friction.torque[:, 2]
    error = np.abs(torque - motion.torque) / np.abs(torque).max()
    checks.append(
        at_most(
            "torque minus that required by the motion / largest",
            float(error.max()),
            STEP_MEAN_TOLERANCE,
            "moment of momentum",
        )
    )
    return checks


class Motion:
    """Hinge loads required by the bob's motion, means of the steps (k,): reaction in N, torque about y in N m."""

    def __init__(self, result: Result, p: Parameters) -> None:
        bob, dt = result.of(BOB), result.step["dt"]
        position, speed, spin = (
            np.concatenate([[start], values])
            for start, values in (
                ((-p.length, 0.0, 0.0), bob.position),
                (np.zeros(3), bob.velocity),
                (np.zeros(3), bob.angular_velocity),
            )
        )
        weight = np.array([0.0, 0.0, -p.gravity])
        self.reaction: Array = p.mass * np.linalg.norm(np.diff(speed, axis=0) / dt[:, None] - weight, axis=1)
        momentum = p.inertia * spin[:, 1] + p.mass * np.cross(position, speed)[:, 1]
        mean = 0.5 * (position[1:] + position[:-1]) - dt[:, None] / 12.0 * np.diff(speed, axis=0)
        self.torque: Array = np.diff(momentum) / dt - p.mass * np.cross(mean, weight)[:, 1]


def _finer(result: Result, p: Parameters) -> list[Check]:
    """Runs with half and a quarter of the step: amplitude at the end, and convergence towards the differential
    equation.
    """
    runs = [result]
    for part in (2, 4):
        finer = build(replace(p, dt=p.dt / part))
        runs.append(run(finer, progress=False, quantities=("position",)))
    sizes = [amplitude(h) for h in runs]
    checks = [
        at_most(
            "amplitude at the end minus that with a quarter of the step / amplitude",
            abs(sizes[2] - sizes[0]) / sizes[2],
            0.01,
            "convergence",
        )
    ]
    if p.effect == "all" and p.inputs == "1111" and p.torque_preload == 0.0:
        errors = [float(np.abs(angle(h) - angle_at(p, h.output_time)).max()) for h in runs]
        source = "differential equation by SciPy, Radau"
        checks += [
            at_most("angle minus that of the differential equation [rad]", errors[0], 0.01, source),
            at_least(
                "order of the angle's convergence", 0.5 * float(np.log2(errors[0] / errors[2])), 1.0, source
            ),
        ]
    return checks


def plot(result: Result, parameters: Parameters, folder: Path) -> list[Path]:
    """Figure of the source's requests: speed of the joint and its friction, with the angle and normal force."""
    friction, joint = result.of(HINGE).friction, result.of(HINGE)
    panels = [
        Panel("angle [°]", {"bob": np.degrees(angle(result))}),
        Panel("joint speed [rad/s]", {"omega": joint.angular_velocity[:, 2]}),
        Panel("friction torque [N mm]", {"on the bob": 1e3 * friction.torque[:, 2]}),
        Panel("normal force [N]", {"pin": friction.normal_force[:, 0]}),
    ]
    return [
        draw_panels(
            folder / "pendulum_friction.png", result.output_time, panels, title="Friction in the hinge"
        )
    ]


CASE = Case(
    "pendulum_friction",
    "a pendulum with LuGre friction in its hinge, from Python or from XML",
    Parameters,
    build,
    checks,
    plot,
)
