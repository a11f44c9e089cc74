"""Case: run-down of an overhung rotor in a journal bearing with clearance.

The bearing is that of O. A. Bauchau and C. Ju, "Modeling friction phenomena in flexible multibody dynamics", figure 4:
two spatial clearance joints on one rigid body. The paper gives no example; the data are this case's own. A disk on the
end of a horizontal journal spins under gravity. The journal is tilted in its sleeve, one edge pressed down and the
other one up; friction moves both contacts round by the friction angle and brakes the spin to rest, after which the
journal sticks and rocks, rolling on its two edges.

Statics and rigid-body dynamics give the forces (lever rule), the position of the contact and the deceleration (friction
circle) and the frequency of the rocking in closed form; the run is checked against them. It starts in the steady
sliding position; the journal is massless.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import eigh

from fem_mbd.base.arrays import Array, Flags
from fem_mbd.case import Case, RunHistories
from fem_mbd.case_parameters import check_positive, parameter
from fem_mbd.core.model.model import Model
from fem_mbd.core.rotations import triad_with_first
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import Penetration, Stribeck
from fem_mbd.elements import BodyHandle, RigidBody
from fem_mbd.friction import HuntCrossley, Linear, LuGre
from fem_mbd.friction.records import NormalLaw
from fem_mbd.joints import JournalBearing, JournalBearingHandle
from fem_mbd.output.figures.plots import COLOURS, Panel, draw_panels, legend, new_figure, save, styled
from fem_mbd.runs.results.checks import Check, at_most, balance, near
from fem_mbd.runs.results.result import Result

AXIS = np.array([1.0, 0.0, 0.0])
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Parameters:
    """The rotor and its bearing; SI units. The case's data are its own."""

    end_time: float = parameter(2.6, "s", "slightly beyond the standstill")
    speed: float = parameter(30.0, "rad/s", "spin at the start")
    mass: float = parameter(3.0, "kg", "of the overhung disk; the journal has none")
    disk_radius: float = parameter(0.1, "m", "of the disk, thin and uniform")
    overhang: float = parameter(0.06, "m", "from the journal's end to the disk")
    length: float = parameter(0.1, "m", "of the journal, between its edges")
    radius_sleeve: float = parameter(20.2e-3, "m", "of the sleeve")
    radius_journal: float = parameter(20e-3, "m", "of the journal")
    gravity: float = parameter(9.81, "m/s^2", "across the axis")
    contact_stiffness: float = parameter(15e6, "N/m", "linear contact spring of each edge")
    hunt_crossley: float = parameter(0.5, "s/m", "contact damping")
    friction: float = parameter(0.2, "", "mu_s = mu_k of the LuGre model")
    sigma_0: float = parameter(1e5, "1/m", "bristle stiffness of the LuGre model")
    sigma_1: float = parameter(1e-2, "s/m", "damping of the bristles")
    stribeck_velocity: float = parameter(1e-3, "m/s", "v_s of the LuGre model")
    penetration: float = parameter(3e-6, "m", "eps_p of the contact rule of step control")
    tau_min: float = parameter(0.1, "", "smallest step of the friction rule in time constants")
    dt_max: float = parameter(2e-4, "s", "largest step")

    def __post_init__(self) -> None:
        check_positive(
            self, "journal_bearing", "end_time speed mass disk_radius gravity friction dt_max overhang"
        )

    @property
    def reactions(self) -> tuple[float, float]:
        """Forces (N) that carry the weight: on the edge far from the disk (pressed up) and on the one near it."""
        weight = self.mass * self.gravity
        return weight * self.overhang / self.length, weight * (self.length + self.overhang) / self.length

    @property
    def friction_angle(self) -> float:
        """atan(mu), rad."""
        return float(np.arctan(self.friction))

    @property
    def inertia(self) -> float:
        """Polar moment of the disk, kg m^2."""
        return self.mass * self.disk_radius**2 / 2

    @property
    def deceleration(self) -> float:
        """rad/s^2: both edges' forces carry the weight and touch the friction circle of radius r sin(atan mu)."""
        arm = self.radius_journal * np.sin(self.friction_angle)
        return float(arm * sum(self.reactions) / self.inertia)

    @property
    def standstill(self) -> float:
        """Time (s) at which the spin reaches zero."""
        return self.speed / self.deceleration

    @property
    def rocking(self) -> float:
        """rad/s, small oscillations of the journal at rest, rolling back and forth on both edges.

        Two unknowns: the angle of the edges round the sleeve, and the spin. An edge e is c_e (clearance and
        penetration) off the axis; bristles of stiffness sigma_0 f_e hold its rolling, c_e angle + r spin.
        """
        far, near = self.reactions
        c_far, c_near = (
            self.radius_sleeve - self.radius_journal + force / self.contact_stiffness for force in (far, near)
        )
        share = self.overhang / self.length
        shift = c_near * (1 + share) + c_far * share  # displacement of the disk's centre per unit angle
        tilt = (c_near + c_far) / self.length
        mass = np.diag([self.mass * shift**2 + self.inertia / 2 * tilt**2, self.inertia])
        stiffness = np.diag([self.mass * self.gravity * shift, 0.0])
        for force, c in ((far, c_far), (near, c_near)):
            rolled = np.array([c, self.radius_journal])
            stiffness += self.sigma_0 * force * np.outer(rolled, rolled)
        return float(np.sqrt(eigh(stiffness, mass, eigvals_only=True)[0]))


@dataclass(frozen=True)
class Rotor:
    """The model and its parts; the body's node is the middle of the journal."""

    model: Model
    body: BodyHandle
    bearing: JournalBearingHandle


def start_positions(p: Parameters) -> np.ndarray:
    """Centres (2, 3) of the edges at the start, far from the disk and near it: each pressed in by its own force."""
    angle = p.friction_angle
    # spin about +i1 moves the journal's lower side along -i2: it climbs there by the friction angle
    down = np.array([0.0, -np.sin(angle), -np.cos(angle)])
    pressed = np.cos(angle) * np.array(p.reactions) / p.contact_stiffness
    clearance = p.radius_sleeve - p.radius_journal
    # an edge tilted in the direction of the contact extends less far there
    tilt = 2 * clearance / p.length
    depth = clearance + pressed + p.radius_journal * tilt**2 / 2
    positions = np.outer([-depth[0], depth[1]], down)
    positions[:, 0] = -0.5 * p.length, 0.5 * p.length
    return positions


def build_rotor(p: Parameters) -> Rotor:
    """Disk on the journal's end, journal tilted in the sleeve, spinning."""
    model = Model(gravity=-p.gravity * UP, name="journal bearing")
    positions = start_positions(p)
    along = (positions[1] - positions[0]) / np.linalg.norm(positions[1] - positions[0])
    middle = positions.mean(axis=0)
    moments = np.array([p.inertia, p.inertia / 2, p.inertia / 2])
    body = model.add(
        RigidBody(
            p.mass, moments, middle, rotation=triad_with_first(along, UP), centre=(0.5 * p.length + p.overhang, 0, 0),
            name="rotor",
        )
    )  # fmt: skip
    normal: NormalLaw = Linear(p.contact_stiffness)
    if p.hunt_crossley > 0:
        normal = HuntCrossley(Linear(p.contact_stiffness), p.hunt_crossley)
    friction = LuGre(
        sigma_0=p.sigma_0, sigma_1=p.sigma_1, mu_s=p.friction, mu_k=p.friction, v_s=p.stribeck_velocity
    )
    bearing = model.add(
        JournalBearing(
            model.ground, body.node, p.radius_sleeve, p.radius_journal, p.length, normal, friction,
            axis=AXIS, journal_axis=along, name="bearing",
        )
    )  # fmt: skip
    model.set_velocity(body.node, omega=p.speed * along)
    return Rotor(model, body, bearing)


def build(parameters: Parameters) -> Simulation:
    """Contact and friction rules of step control, below `dt_max`."""
    p = parameters
    rules = Penetration(p.penetration), Stribeck(p.tau_min, v_min=50.0)
    control = StepControl(*rules, dt_initial=min(1e-5, p.dt_max), dt_max=p.dt_max)
    return Simulation(build_rotor(p).model, p.end_time, control)


SETTLED = 0.05  # s: means are taken from this time on
FAR, NEAR = 0, 1  # indices of the journal's edges
LEVER, CIRCLE, ROLLING = "lever rule", "friction circle", "small oscillations of a rolling body"


@dataclass(frozen=True)
class Histories(RunHistories[Parameters]):
    """One run."""

    @cached_property
    def rotor(self) -> Rotor:
        return build_rotor(self.parameters)

    @cached_property
    def speed(self) -> Array:
        """Spin (k,) about the rotor's own axis, rad/s."""
        return np.asarray(self.result.of(self.rotor.body).angular_velocity_in_body[:, 0])

    @cached_property
    def contact(self) -> Any:
        """Quantities of the contacts, (k, 2) or (k, 2, 3), of the edges far from the disk and near it."""
        return self.result.of(self.rotor.bearing)

    @property
    def force(self) -> Array:
        """Force (k, 2, 3) of the sleeve on each edge, global axes, N."""
        normal = self.contact["normal_force"][..., None] * self.contact["normal"]
        return np.asarray(self.contact["friction_force"] + normal)

    @property
    def slip_speed(self) -> Array:
        """(k, 2), m/s."""
        return np.asarray(np.linalg.norm(self.contact["slip_velocity"], axis=2))

    @property
    def angle(self) -> Array:
        """Angle (k,) from vertically down to the contact of the edge near the disk; positive in the direction of
        friction.
        """
        normal = self.contact["normal"][:, NEAR]
        return np.asarray(np.arctan2(normal[:, 1], normal[:, 2]))

    @cached_property
    def edges(self) -> Array:
        """Centres (k, 2, 3) of the edges, m."""
        body = self.result.of(self.rotor.body)
        position, (w, x, y, z) = body.position, body.quaternion.T
        along = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], axis=1)
        half = 0.5 * self.parameters.length * along
        return np.stack([position - half, position + half], axis=1)

    @property
    def sliding(self) -> Flags:
        """Rows of sliding, without the start and the end shortly before the standstill."""
        return (self.time > SETTLED) & (self.time < 0.95 * self.parameters.standstill)

    @property
    def resting(self) -> Flags:
        """Rows after the standstill, without its beginning."""
        return self.time > self.parameters.standstill + 0.1

    @property
    def stopped(self) -> float:
        """Time (s) at which the spin first is zero; nan when it never is."""
        below = np.flatnonzero(self.speed <= 0.0)
        return float(self.time[below[0]]) if len(below) else float("nan")

    @property
    def rocking(self) -> float:
        """rad/s, frequency of the spin's oscillation at rest, from its changes of sign; nan when there are none."""
        time, speed = self.time[self.resting], self.speed[self.resting]
        rising = np.flatnonzero((speed[:-1] < 0) & (speed[1:] >= 0))
        if len(rising) < 2:
            return float("nan")
        share = speed[rising] / (speed[rising] - speed[rising + 1])
        crossings = time[rising] + share * (time[rising + 1] - time[rising])
        return float(2 * np.pi * (len(crossings) - 1) / (crossings[-1] - crossings[0]))


def checks(result: Result, parameters: Parameters) -> list[Check]:
    """Energy balance always; sliding and rest as far as the run reaches them."""
    h, p = Histories(result, parameters), parameters
    checks = balance(result.summary)
    if h.time[-1] > min(2 * SETTLED + 0.1, p.standstill):
        checks += _sliding(h, p)
    if h.time[-1] > p.standstill + 0.3:
        checks += _resting(h, p)
    return checks


def _sliding(h: Histories, p: Parameters) -> list[Check]:
    rows = h.sliding
    up = h.force[..., 2]
    time, speed = h.time[rows], h.speed[rows]
    slowing = float(-(speed[-1] - speed[0]) / (time[-1] - time[0]))
    normal = h.contact["normal"][rows]
    opposite = float(np.einsum("ki,ki->k", normal[:, FAR], normal[:, NEAR]).max())
    return [
        near(
            "mean force on the edge far from the disk [N]",
            -h.mean(up[:, FAR], rows),
            p.reactions[0],
            0.01,
            LEVER,
        ),
        near(
            "mean force on the edge near the disk [N]", h.mean(up[:, NEAR], rows), p.reactions[1], 0.01, LEVER
        ),
        at_most("cosine between the normals of the two edges", opposite, -0.999, LEVER),
        near("mean angle of the contact [rad]", h.mean(h.angle, rows), p.friction_angle, 0.01, CIRCLE),
        near("deceleration [rad/s^2]", slowing, p.deceleration, 5e-3, CIRCLE),
    ]


def _resting(h: Histories, p: Parameters) -> list[Check]:
    slip = float(h.slip_speed[h.resting].max())
    return [
        near("standstill [s]", h.stopped, p.standstill, 0.01, CIRCLE),
        at_most("slip at rest [m/s]", slip, p.stribeck_velocity, "the journal sticks and rolls"),
        near("frequency of rocking at rest [rad/s]", h.rocking, p.rocking, 0.01, ROLLING),
    ]


def plot(result: Result, parameters: Parameters, folder: Path) -> list[Path]:
    """Draw all figures of a run into ``folder``: spin, forces of the two edges, and their orbits in the clearance."""
    h = Histories(result, parameters)
    return [
        _run_down(h, folder / "run_down.png"),
        _forces(h, folder / "forces.png"),
        _orbits(h, folder / "orbits.png"),
    ]


def _run_down(h: Histories, path: Path) -> Path:
    p = h.parameters
    closed = np.maximum(p.speed - p.deceleration * h.time, 0.0)
    with styled():
        figure, axes = new_figure(2)
        speed, slip = axes[:, 0]
        speed.plot(h.time, h.speed, label="run")
        speed.plot(h.time, closed, "--", color="0.2", linewidth=0.8, label="friction circle")
        speed.set_ylabel("spin [rad/s]")
        legend(speed)
        for edge, name in ((FAR, "edge far from the disk"), (NEAR, "edge near it")):
            slip.plot(h.time, h.slip_speed[:, edge], label=name, linewidth=0.7)
        slip.axhline(p.stribeck_velocity, color="0.3", linestyle="--", linewidth=0.7)
        slip.set_yscale("log")
        slip.set(ylabel="slip speed [m/s]", xlabel="time [s]", xlim=(0, h.time[-1]))
        legend(slip)
        figure.suptitle("Run-down of the overhung rotor; dashed below: Stribeck velocity", fontsize=11)
        return save(figure, path)


def _forces(h: Histories, path: Path) -> Path:
    p, force = h.parameters, h.force
    panels = [
        Panel("vertical force [N]", {"edge far from the disk": force[:, FAR, 2], "edge near it": force[:, NEAR, 2]}),
        Panel("horizontal force [N]", {"edge far from the disk": force[:, FAR, 1], "edge near it": force[:, NEAR, 1]}),
        Panel("angle of the contact [deg]", {"run": np.degrees(h.angle), "friction angle": (
            np.array([0.0, p.standstill]), np.full(2, np.degrees(p.friction_angle)))}),
    ]  # fmt: skip
    return draw_panels(
        path, h.time, panels, title="Forces of the sleeve on the journal", limits=(0, h.time[-1])
    )


def _orbits(h: Histories, path: Path) -> Path:
    """Centres of the edges seen along the axis, within the circle of the clearance."""
    p = h.parameters
    clearance = 1e6 * (p.radius_sleeve - p.radius_journal)
    angles = np.linspace(0, 2 * np.pi, 400)
    with styled():
        figure, axes = new_figure(1, 2, height=3.8)
        for ax, edge, title in zip(
            axes[0], (FAR, NEAR), ("edge far from the disk", "edge near it"), strict=True
        ):
            ax.plot(clearance * np.cos(angles), clearance * np.sin(angles), color="0.3", linewidth=0.7)
            for rows, name, colour in (
                (h.sliding, "sliding", COLOURS[0]),
                (h.resting, "rocking", COLOURS[1]),
            ):
                positions = 1e6 * h.edges[rows, edge]
                ax.plot(
                    positions[:, 1],
                    positions[:, 2],
                    color=colour,
                    label=name,
                    linewidth=2.0 if rows is h.sliding else 1.0,
                )
            ax.set(xlabel="i2 [µm]", title=title)
            ax.set_aspect("equal")
        axes[0, 0].set_ylabel("i3 [µm]")
        axes[0, 0].legend(loc="center")
        figure.suptitle("Centres of the journal's edges in the clearance", fontsize=11)
        return save(figure, path)


CASE = Case(
    name="journal_bearing",
    summary="an overhung rotor runs down in a journal bearing with clearance and friction (Bauchau & Ju, figure 4)",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
)
