"""Case: ground resonance of a helicopter rotor with lag hinges on an elastic support, against Coleman and Feingold.

The lag motion of the blades and the sway of a fuselage on its landing gear exchange energy where the slow whirl of the
blades' common mass centre coincides with the sway: between two speeds the motion grows, driven only by the rotating
shaft. The closed form (NACA Report 1351) is `ColemanFeingold`; the default numbers are chosen to give an unstable
range at the speeds of such rotors.

Modes and Campbell diagram: multi-blade coordinates, the support swaying along x and y. The run: from a small push of
everything along x, the shaft driven at `speed`, in still air. Checks: energy balance, growth in the run, growth of the
linear model at that speed, and the speeds between which it grows. Global axes: z up, the hub in the origin.

Coleman and Feingold's closed form: N stiff blades, of first moment S and inertia I about lag hinges at the offset e, on
a hub that moves by x and y; the total moving mass is M (including the blades). With the lag in multi-blade coordinates,
c and s, and Omega the speed

    M x'' + c_x x' + k_x x - (N S/2) s''  = 0        c'' + nu_c c' + 2 Omega s' + w c + nu_c Omega s + (S/I) y'' = 0
    M y'' + c_y y' + k_y y + (N S/2) c''  = 0        s'' + nu_c s' - 2 Omega c' + w s - nu_c Omega c - (S/I) x'' = 0

where w = (e S/I - 1) Omega^2 + k_l/I and nu_c = c_l/I of a spring and a damper in each hinge. The rotor turns from c to
s. R. P. Coleman and A. M. Feingold, Theory of self-excited mechanical oscillations of helicopter rotors with hinged
blades, NACA Report 1351 (1958).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.case import Case
from fem_mbd.case_parameters import check_not_negative, check_positive, parameter
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError
from fem_mbd.machines import (
    Assembly,
    Hinge,
    Hub,
    Machine,
    MachineFamily,
    Rotor,
    Support,
    assemble,
    build_rotor,
)
from fem_mbd.output.figures.plots import COLOURS, Panel, draw_panels, new_figure, save, styled
from fem_mbd.runs.results.checks import Check, balance, near
from fem_mbd.runs.results.result import Result

ZERO_REAL_PART = 1e-6  # fraction of an eigenvalue's magnitude: smaller real parts count as zero


@dataclass(frozen=True)
class ColemanFeingold:
    """The quantities of the module's docstring, SI units; ``offset`` e, ``first`` S, ``second`` I, ``mass`` M."""

    number: int
    offset: float
    first: float
    second: float
    mass: float
    stiffness: tuple[float, float]
    damping: tuple[float, float] = (0.0, 0.0)
    lag_damping: float = 0.0

    def eigenvalues(self, speed: float) -> Complex:
        """(8,) 1/s, at a speed, rad/s, in fixed axes."""
        ratio, coupling = self.first / self.second, self.number * self.first / 2
        viscous = self.lag_damping / self.second
        mass = np.eye(4)
        mass[0, 0] = mass[1, 1] = self.mass
        mass[0, 3], mass[1, 2], mass[2, 1], mass[3, 0] = -coupling, coupling, ratio, -ratio
        rates = np.diag([*self.damping, viscous, viscous])
        rates[2, 3], rates[3, 2] = 2 * speed, -2 * speed
        lag = (self.offset * ratio - 1.0) * speed**2
        stiffness = np.diag([*self.stiffness, lag, lag])
        stiffness[2, 3], stiffness[3, 2] = viscous * speed, -viscous * speed
        below = [-np.linalg.solve(mass, stiffness), -np.linalg.solve(mass, rates)]
        return np.asarray(np.linalg.eigvals(np.block([[np.zeros((4, 4)), np.eye(4)], below])))

    def growth(self, speed: float) -> float:
        """1/s, growth rate of the fastest motion; 0 when none grows."""
        values = self.eigenvalues(speed)
        grows = values.real > ZERO_REAL_PART * np.abs(values)
        return float(values.real[grows].max(initial=0.0))

    def unstable(self, speeds: Array) -> tuple[float, float] | None:
        """Limits of the unstable range of speeds, rad/s, found by bisection; None when no motion grows.

        Parameters
        ----------
        speeds : (n,) ascending, among which to search
        """
        grows = np.array([self.growth(float(speed)) > 0.0 for speed in speeds])
        if not grows.any():
            return None
        first, last = np.flatnonzero(grows)[[0, -1]]
        low, high = float(speeds[first]), float(speeds[last])
        low = low if first == 0 else self._edge(low, float(speeds[first - 1]))
        return low, high if last == len(speeds) - 1 else self._edge(high, float(speeds[last + 1]))

    def _edge(self, inside: float, outside: float) -> float:
        for _ in range(40):
            middle = 0.5 * (inside + outside)
            inside, outside = (middle, outside) if self.growth(middle) > 0.0 else (inside, middle)
        return inside


NAME = "ground_resonance"
SOURCE = "Coleman and Feingold, NACA Report 1351"
RADIUS = 0.01  # m, of gyration of the blades' sections
# multiple of the blade's stiffness, for connecting pieces of 0.1 m; stiffer ones would increase round-off
LINK_STIFFNESS_RATIO = 100.0
SPEEDS = np.linspace(1.0, 40.0, 118)  # rad/s, among which the unstable range is searched for
MODES = 12
# effects of slight blade bending, and in a run of the initial transient and the steps
TOLERANCE, RUN_TOLERANCE = 2e-3, 0.02


@dataclass(frozen=True)
class Parameters:
    """SI units; the defaults are a rotor of 13 m diameter on a fuselage of 700 kg."""

    speed: float = parameter(15.0, "rad/s", "of the rotor")
    number: int = parameter(4, "", "number of blades, at least three")
    radius: float = parameter(6.5, "m", "of the rotor")
    lag_offset: float = parameter(0.3, "m", "of the lag hinge from the axis of rotation")
    root: float = parameter(0.4, "m", "start of the blade")
    mass: float = parameter(7.0, "kg/m", "of the blade")
    bending: float = parameter(1e7, "N m^2", "stiffness of the blade")
    hub: float = parameter(300.0, "kg", "mass of the hub")
    fuselage: float = parameter(700.0, "kg", "mass that sways with the hub")
    stiffness_x: float = parameter(1.5e5, "N/m", "of the landing gear")
    stiffness_y: float = parameter(1.5e5, "N/m", "of the landing gear")
    damping: float = parameter(0.0, "N s/m", "of the landing gear, along x and y")
    lag_damping: float = parameter(0.0, "N m s/rad", "of the damper in each lag hinge")
    push: float = parameter(1e-4, "m/s", "run: velocity of everything along x at the start")
    revolutions: float = parameter(8.0, "", "run: simulated time")
    steps: int = parameter(60, "", "run: per revolution")

    def __post_init__(self) -> None:
        if not 0.0 < self.lag_offset < self.root < self.radius:
            raise InputError("ground resonance: lag_offset, root and radius have to be positive and ascend")
        if self.number < 3:
            raise InputError(
                f"ground resonance: number is {self.number}: give at least three blades; the equations of "
                "two are periodic, see fem_mbd.floquet"
            )
        check_positive(self, "ground resonance", "speed mass bending stiffness_x stiffness_y revolutions")
        check_not_negative(self, "ground resonance", "hub fuselage damping lag_damping push")
        if self.steps < 20:
            raise InputError(f"ground resonance: steps is {self.steps}: give at least 20 per revolution")

    @property
    def closed_form(self) -> ColemanFeingold:
        """The same machine with stiff blades."""
        near_end, far_end = self.root - self.lag_offset, self.radius - self.lag_offset
        total = self.hub + self.fuselage + self.number * self.mass * (self.radius - self.root)
        return ColemanFeingold(
            self.number, self.lag_offset, self.mass * (far_end**2 - near_end**2) / 2,
            self.mass * (far_end**3 - near_end**3) / 3, total, (self.stiffness_x, self.stiffness_y),
            (self.damping, self.damping), self.lag_damping,
        )  # fmt: skip


def machine(p: Parameters) -> Machine:
    """The rotor on its support, with driven shaft."""
    shear = 1e5 * p.bending / p.radius**2
    stiffness = np.diag([shear, shear, shear, p.bending, p.bending, p.bending])
    section = Section(stiffness, p.mass, p.mass * RADIUS**2 * np.diag([2.0, 1.0, 1.0]))
    axis = BladeAxis([[0.0, 0.0, 0.0], [0.0, 0.0, p.radius - p.root]], [0.0, 0.0])
    blade = Blade(axis, SectionTable([0.0, 1.0], [section, section]))
    hinges = (Hinge("lag", p.lag_offset, damping=p.lag_damping),)
    # a blade that hardly bends: shorter elements would only be stiffer, which increases round-off
    rotor = Rotor(blade, Hub(p.root, p.hub, inertia=10.0), p.number, hinges=hinges, elements=1)
    support = Support(p.fuselage, (p.stiffness_x, p.stiffness_y, np.inf), (p.damping, p.damping, 0.0))
    return build_rotor(NAME, rotor, speed=p.speed, support=support)


def family(p: Parameters) -> MachineFamily:
    """Its linear models over speed."""
    return MachineFamily(machine(p), stiffest=LINK_STIFFNESS_RATIO)


def pushed_model(p: Parameters) -> Assembly:
    """The model in steady rotation, with an initial push."""
    assembly = assemble(machine(p), stiffest=LINK_STIFFNESS_RATIO)
    rotor, velocity = assembly.rotor, (p.push, 0.0, 0.0)
    assembly.model.set_velocity(assembly.beams["mast"].nodes, velocity)
    assembly.model.set_velocity(list(rotor.nodes), velocity, p.speed * rotor.axis, about=rotor.point)
    return assembly


def build(p: Parameters) -> Simulation:
    """The run."""
    turn = 2 * np.pi / p.speed
    return Simulation(pushed_model(p).model, p.revolutions * turn, StepControl.fixed(turn / p.steps))


def sway(result: Result, p: Parameters) -> Array:
    """(m, 2) m, displacement of the hub along x and y."""
    return np.asarray(result.of(pushed_model(p).rotor.hub).displacement[:, :2])


def growth_of_linear(linear: MachineFamily, speed: float) -> float:
    """1/s, growth rate of the fastest motion; 0 when none grows."""
    computed = modes_of(linear.at(speed), MODES)
    return 0.0 if computed.stable else float(computed.eigenvalues.real.max())


def growth_of_run(result: Result, p: Parameters) -> float:
    """1/s, growth rate from the mean square of the sway in the last revolution and in the one before the last two."""
    t, motion = np.asarray(result.output_time), sway(result, p)
    turn = 2 * np.pi / p.speed
    size = [
        float(np.mean(np.sum(motion[(t > end - turn) & (t <= end)] ** 2, axis=1)))
        for end in (t[-1] - 2 * turn, t[-1])
    ]
    return float(np.log(size[1] / size[0]) / (4 * turn))


def checks(result: Result, p: Parameters) -> list[Check]:
    """Energy balance, and three comparisons of the growth."""
    checks, closed_form = balance(result.summary), p.closed_form
    linear, expected = family(p), closed_form.growth(p.speed)
    if expected > 0.0:
        growth = growth_of_linear(linear, p.speed)
        checks.append(near("growth of the linear model [1/s]", growth, expected, TOLERANCE, SOURCE))
        if expected * p.revolutions * 2 * np.pi / p.speed > 4.0 and p.push > 0.0:
            checks.append(
                near("growth in the run [1/s]", growth_of_run(result, p), expected, RUN_TOLERANCE, SOURCE)
            )
    ends = closed_form.unstable(SPEEDS)
    if ends is not None:
        for name, speed, inside in (("first", ends[0], 1.0), ("last", ends[1], -1.0)):
            checks.append(
                near(f"{name} unstable speed [rad/s]", _edge(linear, speed, inside), speed, TOLERANCE, SOURCE)
            )
    return checks


def _edge(linear: MachineFamily, speed: float, inside: float) -> float:
    """Speed, within 1 %, at which the linear model begins or ceases to grow."""
    within, beyond = speed * (1 + 0.01 * inside), speed * (1 - 0.01 * inside)
    for _ in range(10):
        middle = 0.5 * (within + beyond)
        within, beyond = (middle, beyond) if growth_of_linear(linear, middle) > 0.0 else (within, middle)
    return within


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """The hub's displacement, and frequencies and growth over the speed together with the closed form."""
    displacement = sway(result, p)
    panels = [Panel("sway of the hub [m]", {"x": displacement[:, 0], "y": displacement[:, 1]})]
    run = draw_panels(folder / "sway.png", result.output_time, panels, title="ground resonance")
    return [run, draw_speeds(p, folder / "ground_resonance.png")]


def draw_speeds(p: Parameters, path: Path) -> Path:
    """Frequencies and growth over the speed: lines are the linear model, circles the closed form."""
    linear, closed_form = family(p), p.closed_form
    speeds, coarse = np.linspace(1.0, 40.0, 79), np.linspace(2.0, 40.0, 39)
    computed = [modes_of(linear.at(float(speed)), MODES).eigenvalues for speed in speeds]
    exact = [closed_form.eigenvalues(float(speed)) for speed in coarse]
    highest = 1.1 * max(float(np.abs(values.imag).max()) for values in exact) / (2 * np.pi)
    with styled():
        figure, axes = new_figure(2, 1, height=6.0)
        for ax, pick, name in (
            (axes[0, 0], _frequency, "frequency [Hz]"),
            (axes[1, 0], _growth, "growth [1/s]"),
        ):
            for k, (x, sets, style, size) in enumerate(
                ((speeds, computed, ".", 2.5), (coarse, exact, "o", 5.0))
            ):
                points = [(float(s), y) for s, values in zip(x, sets, strict=True) for y in pick(values)]
                ax.plot(
                    *np.array(points).T, style, color=COLOURS[k], markersize=size, linestyle="none",
                    markerfacecolor="none" if k else None, label=("multi-blade model", "Coleman and Feingold")[k],
                )  # fmt: skip
            ax.set_ylabel(name)
        axes[0, 0].set_ylim(0.0, highest)
        axes[1, 0].set_xlabel("speed [rad/s]")
        axes[0, 0].legend(loc="upper left")
        return save(figure, path)


def _frequency(values: Complex) -> list[float]:
    return [float(abs(v.imag)) / (2 * np.pi) for v in values if v.imag >= 0.0]


def _growth(values: Complex) -> list[float]:
    return [float(v.real) for v in values if v.imag >= 0.0 and abs(v.real) > 1e-6 * abs(v)] or [0.0]


CASE = Case(
    name=NAME,
    summary="ground resonance of a rotor with lag hinges on an elastic support, against the closed form",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
    family=family,
    speeds=(1.0, 40.0),
)
