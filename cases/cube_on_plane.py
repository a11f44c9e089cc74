"""Case: a cube on a plane under a tangential force, with decreasing normal force: stick, then slip.

Colantonio et al., projected LuGre model, section 3: a cube of side 0.1 m stands on six contact points (or four) on a
circle of radius 0.05 m. It is pressed down with 10 N and rests for 1 s; the pull grows from 0 to 0.75 N between 1 s and
2 s and holds to 3 s; then the vertical force falls to 0 at 4 s. With mu_s = 0.15 the cube must slip when 5 N remain, at
3.5 s. Until then the total friction equals the pull, the same in every direction; its distribution over the points
follows the normal forces, which shift with the pull, and repeats every 60 degrees for six points.

The contact law is N = K d**2 + D d**0.5 d' at each point, K = A/sigma**2 with sigma = 3e-9 m**2 N**0.5. Not given, and
**assumed**: the mass of the cube, 1 kg (without weight: 10 N is the whole normal force, as slip at 3.5 s shows); the
pull acts at the centre of the cube; the points have equal shares of the area of their polygon; the first point lies on
the x axis, from which directions are measured.

Every direction has its own cube in the same run. While the cube sticks, statics gives each point's share in closed
form: the normal forces are K (a + b cos(theta_j - phi))**2 with a, b from the balance of forces and moments.

Checked are the total friction, the start of slip, and the shares of the points.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Literal

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.case import Case
from fem_mbd.case_parameters import check_positive, parameter
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.time_functions import Ramp
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements import Force, RigidBody
from fem_mbd.errors import InputError
from fem_mbd.friction import Hertz, LuGre, PowerDamping
from fem_mbd.joints import FaceOnPlane, circle_of_points
from fem_mbd.output.figures.plots import COLOURS, legend, new_figure, save, styled
from fem_mbd.runs.results.checks import Check, at_most, balance, near, within
from fem_mbd.runs.results.result import Result

PULL_STARTS, PULL_HOLDS, PRESS_FALLS, PRESS_ENDS = 1.0, 2.0, 3.0, 4.0  # s
DAMPING_EXPONENT = 0.5
SPACING = 0.3  # m between the cubes; they do not touch


@dataclass(frozen=True)
class Parameters:
    """SI units; the defaults are the source's."""

    directions: tuple[float, ...] = parameter(
        (0.0, 30.0, 60.0, 90.0), "deg", "of the pull, a cube for each, from the x axis"
    )
    points: Literal[6, 4] = parameter(6, "", "contact points on the circle")
    form: Literal["vector", "scalar"] = parameter(
        "vector", "", "bristles of the LuGre model; vector: projected"
    )
    dt: float = parameter(
        1e-3, "s", "constant step (above 2 ms friction oscillates about its mean from step to step)"
    )
    end_time: float = parameter(PRESS_ENDS, "s", "simulated time")
    side: float = parameter(0.1, "m", "of the cube")
    radius: float = parameter(0.05, "m", "of the circle of contact points")
    mass: float = parameter(1.0, "kg", "of the cube (assumed)")
    press: float = parameter(10.0, "N", "vertical force")
    pull: float = parameter(0.75, "N", "horizontal force, at the centre of the cube (assumed)")
    sigma: float = parameter(3e-9, "m^2 N^0.5", "compliance of the contact")
    damping: float = parameter(4.88e5, "N s/m^1.5", "of the contact, at each point")
    exponent: float = parameter(2.0, "", "P_K of the contact")
    sigma_0: float = parameter(1e4, "1/m", "bristle stiffness per normal force")
    sigma_1: float = parameter(sqrt(1e5) / 10, "s/m", "bristle damping per normal force")
    sigma_2: float = parameter(0.04, "s/m", "viscous friction per normal force")
    mu_s: float = parameter(0.15, "", "static friction coefficient")
    mu_k: float = parameter(0.1, "", "kinetic friction coefficient")
    v_s: float = parameter(1e-3, "m/s", "Stribeck velocity")

    def __post_init__(self) -> None:
        if not self.directions:
            raise InputError("cube_on_plane: directions is empty: give at least one angle in degrees")
        check_positive(self, "cube_on_plane", "side radius mass press pull sigma dt end_time")

    @property
    def point_stiffness(self) -> float:
        """K of one point, N/m^P_K."""
        polygon = 0.5 * self.points * self.radius**2 * np.sin(2 * np.pi / self.points)
        return float(polygon / self.sigma**self.exponent / self.points)

    @property
    def slip_time(self) -> float:
        """Time (s) at which the pull exceeds the limit of static friction."""
        share = self.pull / (self.mu_s * self.press)
        return PRESS_ENDS - share * (PRESS_ENDS - PRESS_FALLS)

    @property
    def slip_window(self) -> tuple[float, float]:
        """Time (s) before and after that at which the speed may pass v_s: bristles creep at half of it; friction stays
        static.
        """
        growth = self.mu_s * self.press / (PRESS_ENDS - PRESS_FALLS)  # N/s, of the excess of the pull
        return 2.0 * self.mu_s / (self.sigma_0 * self.v_s), sqrt(2.0 * self.mass * self.v_s / growth)

    @property
    def slides(self) -> bool:
        """Whether the cube slips during the decrease of the normal force, and not before."""
        return PRESS_FALLS < self.slip_time < min(PRESS_ENDS, self.end_time) - 0.05


def build(p: Parameters) -> Simulation:
    """One cube for each direction, all on the same plane."""
    model = Model(name="cube_on_plane")
    normal = PowerDamping(Hertz(p.point_stiffness, p.exponent), p.damping, DAMPING_EXPONENT)
    friction = LuGre(
        sigma_0=p.sigma_0,
        sigma_1=p.sigma_1,
        sigma_2=p.sigma_2,
        mu_s=p.mu_s,
        mu_k=p.mu_k,
        v_s=p.v_s,
        form=p.form,
    )
    press = Ramp(PRESS_FALLS, PRESS_ENDS, (0.0, 0.0, -p.press), (0.0, 0.0, 0.0))
    for number, angle in enumerate(np.radians(p.directions)):
        centre = (SPACING * number, 0.0, 0.5 * p.side)
        cube = model.add(
            RigidBody(p.mass, [p.mass * p.side**2 / 6] * 3, centre, name=f"cube {number + 1}")
        ).node
        face = circle_of_points(cube.at((0, 0, -0.5 * p.side)), p.radius, p.points, first=(1, 0, 0))
        model.add(FaceOnPlane(model.ground, face, normal, friction, name=f"face {number + 1}"))
        pull = p.pull * np.array([np.cos(angle), np.sin(angle), 0.0])
        model.add(Force(cube, press, name=f"press {number + 1}"))
        model.add(Force(cube, Ramp(PULL_STARTS, PULL_HOLDS, 0.0 * pull, pull), name=f"pull {number + 1}"))
    return Simulation(model, p.end_time, StepControl.fixed(p.dt))


COMPARISON_TIME = 2.9  # s, time of the comparison of shares
SOURCE = "Colantonio et al., section 3"
STATICS = "statics of a rigid cube on springs"


class Histories:
    """Histories for figures and checks over the accepted steps, cubes in the order of the directions."""

    def __init__(self, result: Result, p: Parameters):
        self.p, self.time = p, result.output_time
        numbers = range(1, len(p.directions) + 1)
        faces = [result.of(f"face {n}") for n in numbers]
        # on the plane (steps, cubes, points, 3)
        self.friction: Array = -np.stack([face.friction_force for face in faces], axis=1)
        self.normal: Array = np.stack([face.normal_force for face in faces], axis=1)
        cubes = result.of([f"cube {n}" for n in numbers])
        self.speed: Array = np.linalg.norm(cubes.velocity[..., :2], axis=2)
        self.position: Array = cubes.position

    @property
    def total(self) -> Array:
        """Magnitude of the total friction force (steps, cubes) in N."""
        return np.linalg.norm(self.friction.sum(axis=2), axis=2)

    @property
    def shares(self) -> Array:
        """Magnitude of each point's friction force (steps, cubes, points) in N."""
        return np.linalg.norm(self.friction, axis=3)

    @property
    def pull(self) -> Array:
        """Pull of each step (steps,), N, at its middle, as forces are means over steps."""
        middle = self.time - 0.5 * np.diff(self.time, prepend=0.0)
        return self.p.pull * np.clip((middle - PULL_STARTS) / (PULL_HOLDS - PULL_STARTS), 0.0, 1.0)

    def slip_starts(self) -> Array:
        """Time (s) from which each cube's speed stays above the Stribeck velocity; nan when it does not."""
        out = np.full(len(self.p.directions), np.nan)
        for cube in range(len(out)):
            last = np.flatnonzero(self.speed[:, cube] <= self.p.v_s)[-1]
            if last + 1 < len(self.time):
                out[cube] = self.time[last]
        return out


def static_shares(p: Parameters, direction: float) -> Array:
    """Friction (points,) in N of each point under the full pull in ``direction`` (deg), before the normal force
    decreases.

    Indentations a + b cos(theta_j - phi): with q = N/(n K) = a**2 + b**2/2 and m = P h/(n K R) = a b, h being the
    height of the pull, a**2 = [q + sqrt(q**2 - 2 m**2)]/2. For P_K = 2 and four points or more.
    """
    n, k = p.points, p.point_stiffness
    q, m = p.press / (n * k), p.pull * 0.5 * p.side / (n * k * p.radius)
    a = sqrt(0.5 * (q + sqrt(q * q - 2 * m * m)))
    theta = 2 * np.pi * np.arange(n) / n
    normal = k * (a + m / a * np.cos(theta - np.radians(direction))) ** 2
    return p.pull * normal / p.press


def checks(result: Result, p: Parameters) -> list[Check]:
    """Energy balance, total friction before and at slip, and shares of the points, as far as the run goes."""
    h = Histories(result, p)
    checks = balance(result.summary)
    sticks = (h.time > 0.5) & (h.time < min(p.slip_time - 0.1, PRESS_ENDS))
    if sticks.any():
        excess = np.abs(h.total - h.pull[:, None])[sticks].max() / p.pull
        checks.append(at_most("total friction minus pull, while it sticks / pull", excess, 0.01, SOURCE))
        spread = (h.total.max(axis=1) - h.total.min(axis=1))[sticks].max() / p.pull
        checks.append(at_most("spread of the total friction over directions / pull", spread, 1e-3, SOURCE))
    if p.slides:
        early, late = p.slip_window
        for angle, start in zip(p.directions, h.slip_starts(), strict=True):
            low, high = p.slip_time - early, p.slip_time + late
            checks.append(within(f"slip starts, pull at {angle:g} degrees [s]", start, low, high, SOURCE))
    if h.time[-1] > COMPARISON_TIME and p.slip_time > COMPARISON_TIME:
        checks += _shares(h, p)
    return checks


def _shares(h: Histories, p: Parameters) -> list[Check]:
    """Shares at the end of the constant load: against statics, and between directions 60 (90) degrees apart."""
    row = int(np.searchsorted(h.time, COMPARISON_TIME))
    shares, step, checks = h.shares[row], 360.0 / p.points, []
    if p.exponent == 2.0:
        for cube, angle in enumerate(p.directions):
            deviation = np.abs(shares[cube] - static_shares(p, angle)).max() / p.pull
            checks.append(
                at_most(f"shares minus statics, pull at {angle:g} degrees / pull", deviation, 2e-3, STATICS)
            )
    for cube, angle in enumerate(p.directions):
        for other in range(cube):
            turns = (angle - p.directions[other]) / step
            if abs(turns - round(turns)) < 1e-9:
                deviation = np.abs(shares[cube] - np.roll(shares[other], round(turns))).max() / p.pull
                name = f"shares at {angle:g} minus those at {p.directions[other]:g} degrees, rotated / pull"
                checks.append(at_most(name, deviation, 1e-6, SOURCE))
    strongest = near("limit of static friction [N]", float(h.total[row].max()), p.pull, 1e-3, SOURCE)
    return [*checks, strongest]


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """Total friction and speed over time for all directions, and for each direction the points' shares."""
    h = Histories(result, p)
    return [_total(h, folder / "total_friction.png"), _points(h, folder / "shares.png")]


def _total(h: Histories, path: Path) -> Path:
    p = h.p
    styles = ("-", "--", ":", "-.")
    with styled():
        figure, axes = new_figure(2)
        force, speed = axes[:, 0]
        for cube, angle in enumerate(p.directions):
            style = {"linestyle": styles[cube % 4], "linewidth": 1.6 - 0.2 * (cube % 4)}
            force.plot(h.time, h.total[:, cube], label=f"pull at {angle:g}°", **style)
            speed.plot(h.time, h.speed[:, cube], label=f"pull at {angle:g}°", **style)
        limit = p.mu_s * p.press * np.clip(PRESS_ENDS - h.time, 0, 1)
        force.plot(h.time, h.pull, color="0.3", linewidth=0.6, label="pull")
        force.plot(h.time, limit, color="0.3", linewidth=0.6, linestyle=(0, (5, 4)), label="static limit")
        force.set(ylabel="total friction [N]", ylim=(0, 1.5 * p.pull))
        legend(force)
        speed.set(
            ylabel="speed [m/s]", xlabel="time [s]", yscale="log", ylim=(1e-9, None), xlim=(0, h.time[-1])
        )
        speed.axhline(p.v_s, color="0.3", linewidth=0.6)
        figure.suptitle("Cube on a plane; below, horizontal: Stribeck velocity", fontsize=11)
        return save(figure, path)


def _points(h: Histories, path: Path) -> Path:
    p = h.p
    rows = (len(p.directions) + 1) // 2
    with styled():
        figure, axes = new_figure(rows, min(2, len(p.directions)), height=2.6 * rows + 0.6)
        for ax in axes.ravel()[len(p.directions) :]:
            ax.set_visible(False)
        for cube, (ax, angle) in enumerate(zip(axes.ravel(), p.directions, strict=False)):
            statics = static_shares(p, angle)
            for point in range(p.points):
                # curves of points with equal shares coincide
                dashes = "-" if point < p.points / 2 else (0, (4, 4))
                share = h.shares[:, cube, point]
                ax.plot(h.time, share, color=COLOURS[point], linestyle=dashes, label=f"F{point + 1}")
                if p.exponent == 2.0:
                    ax.plot(COMPARISON_TIME, statics[point], "o", color=COLOURS[point], markersize=3)
            ax.set(title=f"pull at {angle:g}°", ylabel="friction [N]", xlim=(0, h.time[-1]))
        for ax in axes[-1]:
            ax.set_xlabel("time [s]")
        figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=p.points)
        figure.suptitle("Friction of each contact point, equal curves coincide; dots: statics", fontsize=11)
        return save(figure, path)


CASE = Case(
    "cube_on_plane",
    "a cube pulled over a plane in four directions, stick to slip as the normal force falls (projected LuGre)",
    Parameters,
    build,
    checks,
    plot,
)
