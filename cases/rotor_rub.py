"""Case: a Jeffcott rotor rubs in a stator ring, against the closed form of its synchronous whirl.

A disc on a massless elastic shaft, its mass centre off the axis by `eccentricity`, is driven at constant speed inside a
stiff ring with a radial `gap`. Where the unbalanced response is larger than the gap, the disc presses against the ring
all the way round and slides in it. The closed form (Black 1968) is `SynchronousRub`: amplitudes, the speed at
which the rub ends in a fold, and the friction above which it loses its stability.

The run: from rest in the middle of the ring, at full speed. Checks: energy balance, amplitude, normal force and the
driver's torque. `fem-mbd continue rotor_rub` follows the rub over speed or friction. Global axes: z along the shaft.

Closed form of the synchronous rub of a Jeffcott rotor in a stiff stator ring.

With z = x + i y, the rotor's centre, the rotating speed Omega, contact stiffness k_c, gap d and sliding friction mu:

    m z'' + c z' + k z + k_c (1 + i mu) (1 - d/|z|) z = m e Omega^2 exp(i Omega t)   where |z| > d

The disc's surface slides in the direction of its rotation, so that friction is at a right angle to the normal force. In
axes that rotate with Omega the equations have constant coefficients: z = r exp(i (Omega t - phi)) is a solution where

    (k - m Omega^2 + k_c (1 - d/r))^2 r^2 + (c Omega + mu k_c (1 - d/r))^2 r^2 = (m e Omega^2)^2

Source: H. F. Black, Interaction of a whirling rotor with a vibrating stator across a clearance annulus, Journal of
Mechanical Engineering Science 10 (1968), 1-12. Small changes of it grow or decay with the eigenvalues of the linearised
equations in the rotating axes; Floquet's multipliers over a turn are their exponentials.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Complex
from fem_mbd.case import Case
from fem_mbd.case_parameters import check_not_negative, check_positive, parameter
from fem_mbd.core.model.model import Model
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements import Cylinder, RigidBody, SpringDamper
from fem_mbd.errors import InputError
from fem_mbd.friction import Coulomb, Frictionless, Linear
from fem_mbd.joints import DrivenRevolute, SphericalClearance
from fem_mbd.output.figures.plots import COLOURS, Panel, draw_panels, new_figure, save, styled
from fem_mbd.runs.results.checks import Check, balance, near
from fem_mbd.runs.results.result import Result

REAL_ROOT_TOLERANCE = 1e-9  # relative: roots with smaller imaginary parts are real


@dataclass(frozen=True)
class SynchronousRub:
    """The quantities of the module's docstring, SI units."""

    mass: float
    stiffness: float
    damping: float
    eccentricity: float
    gap: float
    contact_stiffness: float
    friction: float

    def free(self, speed: float) -> float:
        """Amplitude without contact at a speed (rad/s), m."""
        m, w = self.mass, speed
        return float(m * self.eccentricity * w**2 / np.hypot(self.stiffness - m * w**2, self.damping * w))

    def amplitudes(self, speed: float) -> list[float]:
        """Amplitudes of the rub at a speed (rad/s), m, ascending; empty where there is none."""
        k_c, m, w = self.contact_stiffness, self.mass, speed
        radial = np.array([self.stiffness - m * w**2 + k_c, -k_c * self.gap])
        tangential = np.array([self.damping * w + self.friction * k_c, -self.friction * k_c * self.gap])
        squares = np.polymul(radial, radial) + np.polymul(tangential, tangential)
        squares[-1] -= (m * self.eccentricity * w**2) ** 2
        roots = np.roots(squares)
        return sorted(
            float(r.real) for r in roots if abs(r.imag) < REAL_ROOT_TOLERANCE * abs(r) and r.real > self.gap
        )

    def position(self, speed: float, amplitude: float) -> complex:
        """x + i y of the centre in a rub when the mass centre is off along x, m."""
        contact = self.contact_stiffness * (1.0 + 1j * self.friction) * (1.0 - self.gap / amplitude)
        angle = np.angle(self.stiffness - self.mass * speed**2 + 1j * self.damping * speed + contact)
        return complex(amplitude * np.exp(-1j * angle))

    def eigenvalues(self, speed: float, amplitude: float) -> Complex:
        """(4,) 1/s, of small changes of a rub in axes that rotate with it."""
        columns = [self._rates(speed, amplitude, x) for x in np.eye(4)]
        return np.linalg.eigvals(np.transpose(columns)).astype(complex)

    def multipliers(self, speed: float, amplitude: float) -> Complex:
        """(4,) Floquet multipliers over a turn."""
        return np.asarray(np.exp(self.eigenvalues(speed, amplitude) * 2.0 * np.pi / speed))

    def stable(self, speed: float, amplitude: float) -> bool:
        """Whether small changes of a rub decay."""
        return bool(self.eigenvalues(speed, amplitude).real.max() < 0.0)

    def normal_force(self, amplitude: float) -> float:
        """N, of the contact."""
        return self.contact_stiffness * (amplitude - self.gap)

    def _rates(self, speed: float, r: float, x: Array) -> Array:
        """Rates of x (4,), change of z and of its velocity, along and across the deflection."""
        z, v = complex(*x[:2]), complex(*x[2:])
        touching = 1.0 - self.gap / r
        contact = self.contact_stiffness * (1.0 + 1j * self.friction)
        force = contact * (touching * z + (1.0 - touching) * z.real)
        force += self.damping * (v + 1j * speed * z) + self.stiffness * z
        rate = -force / self.mass - 2j * speed * v + speed**2 * z
        return np.array([v.real, v.imag, rate.real, rate.imag])


NAME = "rotor_rub"
SOURCE = "Black 1968"
CARRIER = 1e-3  # fraction of the mass on the part that moves with the disc's centre without rotating
DAMPER_LENGTH = 1.0  # m, of the dampers' feet, much more than the amplitude
COMPARED_SHARE = 0.1  # fraction of the run over which it is compared with the closed form
# errors of 100 steps per revolution and of the remaining transient; force: small difference of amplitude and gap
MOTION_TOLERANCE, FORCE_TOLERANCE = 1e-3, 0.02


@dataclass(frozen=True)
class Parameters:
    """SI units; the defaults rub between 174.5 and 438.7 rad/s; from rest they touch nothing above 243 rad/s."""

    speed: float = parameter(220.0, "rad/s", "of the rotor")
    mass: float = parameter(5.0, "kg", "of the disc")
    radius: float = parameter(0.05, "m", "of the disc")
    stiffness: float = parameter(2e5, "N/m", "of the shaft")
    damping: float = parameter(100.0, "N s/m", "of the disc's centre")
    eccentricity: float = parameter(1e-4, "m", "of the mass centre")
    gap: float = parameter(3e-4, "m", "between disc and ring, all round")
    contact_stiffness: float = parameter(1e6, "N/m", "of the contact")
    friction: float = parameter(0.05, "", "coefficient of sliding friction")
    creep: float = parameter(1e-3, "m/s", "speed of friction's regularisation, far below that of the surface")
    end_time: float = parameter(3.0, "s", "run: simulated time")
    steps: int = parameter(100, "", "run: per revolution")

    def __post_init__(self) -> None:
        names = "speed mass radius stiffness eccentricity gap contact_stiffness creep end_time"
        check_positive(self, "rotor rub", names)
        check_not_negative(self, "rotor rub", "damping friction")
        if self.steps < 20:
            raise InputError(f"rotor rub: steps is {self.steps}: give at least 20 per revolution")

    @property
    def closed_form(self) -> SynchronousRub:
        """The same rotor."""
        return SynchronousRub(
            self.mass, self.stiffness, self.damping, self.eccentricity, self.gap, self.contact_stiffness, self.friction
        )  # fmt: skip


def build_model(p: Parameters) -> Model:
    """Disc, shaft, dampers, driver and ring."""
    model = Model(name="rotor rub")
    carrier_mass, disc_mass = CARRIER * p.mass, (1.0 - CARRIER) * p.mass
    carrier = model.add(
        RigidBody(carrier_mass, np.full(3, carrier_mass * p.radius**2), (0.0, 0.0, 0.0), name="carrier")
    )
    model.fix(carrier, translation=(False, False, True), rotation=True)
    inertia = 0.25 * disc_mass * p.radius**2
    offset = (p.eccentricity * p.mass / disc_mass, 0.0, 0.0)
    disc = model.add(
        RigidBody(
            disc_mass, (inertia, inertia, 2.0 * inertia), (0.0, 0.0, 0.0), centre=offset, name="disc",
            shape=Cylinder(p.radius, 0.2 * p.radius, axis=(0.0, 0.0, 1.0)),
        )
    )  # fmt: skip
    model.set_velocity([disc], (0.0, 0.0, 0.0), (0.0, 0.0, p.speed))
    model.add(DrivenRevolute(carrier, disc, axis=(0.0, 0.0, 1.0), speed=p.speed, name="drive"))
    # a spring without length, along the shaft: its force in the plane is linear in the deflection
    model.add(
        SpringDamper(
            model.ground.at((0.0, 0.0, DAMPER_LENGTH)), carrier, p.stiffness, length=0.0, name="shaft"
        )
    )
    for foot in (
        (DAMPER_LENGTH, 0.0, 0.0),
        (-DAMPER_LENGTH, 0.0, 0.0),
        (0.0, DAMPER_LENGTH, 0.0),
        (0.0, -DAMPER_LENGTH, 0.0),
    ):
        model.add(SpringDamper(model.ground.at(foot), carrier, 0.0, 0.5 * p.damping))
    law: Any = Coulomb(p.friction, p.creep) if p.friction else Frictionless()
    ring = p.radius + p.gap
    model.add(
        SphericalClearance(model.ground, disc, ring, p.radius, Linear(p.contact_stiffness), law, name="ring")
    )
    return model


def build(p: Parameters) -> Simulation:
    """Equal steps."""
    return Simulation(build_model(p), p.end_time, StepControl.fixed(2.0 * np.pi / p.speed / p.steps))


def deflection(result: Result) -> Array:
    """(m,) distance of the disc's centre from the ring's, m."""
    moved: Array = np.linalg.norm(result.of("disc").position[:, :2], axis=1)
    return moved


def whirl(p: Parameters) -> tuple[float, bool] | None:
    """Amplitude (m) of the only stable whirl and whether it rubs; None where there are two or none."""
    exact = p.closed_form
    free, rubs = exact.free(p.speed), exact.amplitudes(p.speed)
    if free < p.gap:
        return None if rubs else (free, False)
    return (rubs[-1], True) if exact.stable(p.speed, rubs[-1]) else None


def checks(result: Result, p: Parameters) -> list[Check]:
    """Energy balance; at the end amplitude and normal force, where the closed form has one stable whirl.

    With two of them the start decides which is reached.
    """
    checks = balance(result.summary)
    if (expected := whirl(p)) is None:
        return checks
    (amplitude, rubs), late = expected, result.output_time > (1.0 - COMPARED_SHARE) * p.end_time
    checks.append(
        near("amplitude [m]", float(deflection(result)[late].mean()), amplitude, MOTION_TOLERANCE, SOURCE)
    )
    if rubs:
        force = result.of("ring").normal_force[late].mean()
        checks.append(
            near(
                "normal force [N]",
                float(force),
                p.closed_form.normal_force(amplitude),
                FORCE_TOLERANCE,
                SOURCE,
            )
        )
    return checks


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """The deflection over time, and the closed form's amplitudes over speed with the run's."""
    history = draw_panels(
        folder / "rotor_rub.png", result.output_time,
        [
            Panel("deflection [mm]", {"disc": 1e3 * deflection(result)}),
            Panel("normal force [N]", {"ring": result.of("ring").normal_force}),
        ],
        title="rotor rub",
    )  # fmt: skip
    late = result.output_time > (1.0 - COMPARED_SHARE) * p.end_time
    reached = {"run": (np.array([p.speed]), np.array([deflection(result)[late].mean()]))}
    return [history, draw_response(p, reached, folder / "rotor_rub_speeds.png")]


def draw_response(p: Parameters, reached: Mapping[str, tuple[Array, Array]], path: Path) -> Path:
    """Amplitudes of the closed form over speed, and those ``reached``: label -> speeds (rad/s), amplitudes (m)."""
    exact, speeds = p.closed_form, np.linspace(0.5, 2.5, 801) * np.sqrt(p.stiffness / p.mass)
    rows: dict[str, list[tuple[float, float]]] = {"no contact": [], "rub, stable": [], "rub, unstable": []}
    for speed in map(float, speeds):
        if (free := exact.free(speed)) <= p.gap:
            rows["no contact"].append((speed, free))
        for size in exact.amplitudes(speed):
            rows["rub, stable" if exact.stable(speed, size) else "rub, unstable"].append((speed, size))
    with styled():
        figure, axes = new_figure(1, 1)
        ax = axes[0, 0]
        for colour, (label, points) in zip(COLOURS, rows.items(), strict=False):
            if points:
                x, y = np.transpose(points)
                ax.plot(x, 1e3 * y, ".", color=colour, markersize=3.0, label=label)
        for label, (x, y) in reached.items():
            ax.plot(
                x,
                1e3 * np.asarray(y),
                "o",
                color="black",
                markerfacecolor="none",
                markersize=5.0,
                label=label,
            )
        ax.set_xlabel("speed [rad/s]")
        ax.set_ylabel("amplitude [mm]")
        ax.legend()
        return save(figure, path)


CASE = Case(
    NAME, "a rotor rubs in a stator ring: amplitude and stability against the closed form",
    Parameters, build, checks, plot,
)  # fmt: skip
