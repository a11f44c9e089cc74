"""Case: spatial crank mechanism, its spherical joint ideal (case 1) or with clearance and friction (case 2).

O. A. Bauchau and C. Ju, "Modeling friction phenomena in flexible multibody dynamics", section 6.1, figures 5 to 10. A
crank SP turns about i1 at S with 20 rad/s and drives a flexible link PQ through a universal joint; a spherical joint at
Q connects the link to a 5 kg slider, which moves along i1 on the tip of a beam cantilevered at O.

The text does not give axial and shear stiffness, rotary inertia, the length of the beam, the relative position of S and
O, nor any damping. **Assumed**, all of them parameters: the beam's axis is i1 through the origin, its tip at (1, 0, 0)
and O at (1.6, 0, 0); S at 0.4 m from i1, in the direction of 200 degrees from +i2 towards +i3 (the direction fixes the
origin of the crank angle; at 200 the ball nearly sticks around 196 degrees, the middle of the paper's range); the crank
along +i2 at the start; aluminium tubes (E 73 GPa, G 27.4 GPa, 2700 kg/m^3) for properties not determined by bending
stiffness and mass; a crank-fixed universal axis i3; slider inertia 5e-3 kg m^2; Kelvin-Voigt damping of 1e-3 s on all
beams. One element for the crank, two for link and beam, three nodes each. docs/studies/crank_mechanism_scan.md shows
the effect of each assumption.

Structural damping decides the outcome of case 2. Without it, friction drives a backward whirl of the ball in its
clearance: the universal joint transmits the crank's rotation, so the link spins about its own axis relative to the
slider, and the contact at its pole is unstable for mu = 0.3. That is a property of the model, the same at small steps.

The paper's statements, as checks, are about a run over the crank angle and one of the same mechanism with the ideal
joint: in memory, once per set of parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Flags
from fem_mbd.case import Case
from fem_mbd.cases.crank_mechanism.model import Mechanism, Parameters, build, build_mechanism
from fem_mbd.output.figures.plots import COLOURS, Panel, draw_panels, new_figure, save, styled
from fem_mbd.runs.results.checks import Check, at_least, at_most, balance, friction_gain
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.runs import run

PAPER = "Bauchau & Ju 2006, section 6.1"
NEARLY_ZERO = 0.02  # m/s
PAGE = "docs/studies/crank_mechanism_scan.md"
SEVERAL = 3  # smallest number for "several occurrences"
STUDIED_REVOLUTION = 5
WINDOWS = 12  # number of windows per revolution, for running means
OPENING_ANGLE, ANGLE_TOLERANCE = 275.0, 5.0  # deg


@dataclass(frozen=True)
class Histories:
    """Histories over the last complete revolution of a run, or over the fifth where there is one.

    Arrays have one row per step of that revolution; ``angle`` (k,) is in degrees from its start.
    """

    result: Result
    parameters: Parameters

    @cached_property
    def revolution(self) -> int:
        """Number of this revolution, counted from 1; 1 also for a run shorter than one."""
        return max(1, min(STUDIED_REVOLUTION, int(self.turns[-1] + 1e-9)))

    @cached_property
    def turns(self) -> Array:
        return self.result.time * self.parameters.crank_speed / (2 * np.pi)

    @cached_property
    def rows(self) -> slice:
        inside = np.flatnonzero((self.turns > self.revolution - 1) & (self.turns <= self.revolution + 1e-9))
        return slice(int(inside[0]), int(inside[-1]) + 1)

    @cached_property
    def mechanism(self) -> Mechanism:
        return build_mechanism(self.parameters)

    @property
    def angle(self) -> Array:
        return 360.0 * (self.turns[self.rows] - (self.revolution - 1))

    @property
    def dt(self) -> Array:
        return self.result.step["dt"][self.rows]

    @property
    def rule(self) -> Array:
        return self.result.step["rule"][self.rows]

    @cached_property
    def contact(self) -> Any:
        """Quantities of the contact at Q by name, one row per step; case 2 only."""
        contact = self.result.of("Q")
        return {
            name: contact[name][self.rows] for name in ("normal_force", "friction_force", "slip_velocity")
        }

    @property
    def slip_speed(self) -> Array:
        return np.linalg.norm(self.contact["slip_velocity"], axis=1)

    @property
    def friction_force(self) -> Array:
        return np.linalg.norm(self.contact["friction_force"], axis=1)

    @cached_property
    def root_force(self) -> Array:
        """Force (k, 3) that the beam exerts on its support at O, global axes, mean of each step."""
        return -self.result.of(self.mechanism.beam.end).support.force[self.rows]

    @cached_property
    def midspan_force(self) -> Array:
        """Axial and shear forces (k, 3) at the middle of the link, section axes."""
        return np.asarray(self.result.of("link").section_force(at=0.5)[self.rows, :3])

    def beam_positions(self, name: str) -> Array:
        """Positions (n, nodes, 3) of a beam's nodes in the revolution."""
        return np.asarray(self.result.of(name).position()[self.rows])


def open_intervals(angle: Array, force: Array) -> list[tuple[float, float]]:
    """Angles (first, last) of the separate intervals in which the contact of normal ``force`` (k,) is open."""
    return _intervals(angle, np.flatnonzero(force == 0.0), 2.0)


def near_zero_intervals(angle: Array, speed: Array, closed: Flags, limit: float) -> list[tuple[float, float]]:
    """Angles (first, last) of the separate intervals in which the closed contact slips slower than ``limit``."""
    return _intervals(angle, np.flatnonzero((speed < limit) & closed), 1.0)


def _intervals(angle: Array, rows: np.ndarray, gap: float) -> list[tuple[float, float]]:
    """First and last angle of the groups of ``rows`` that are more than ``gap`` degrees apart."""
    if not len(rows):
        return []
    parts = np.split(rows, np.flatnonzero(np.diff(angle[rows]) > gap) + 1)
    return [(float(angle[p[0]]), float(angle[p[-1]])) for p in parts]


@lru_cache(maxsize=2)
def ideal_histories(parameters: Parameters) -> Histories:
    """Case 1 with the other parameters unchanged; takes about two seconds."""
    ideal = replace(parameters, case=1)
    return Histories(run(build(ideal), progress=False), ideal)


def checks(result: Result, parameters: Parameters) -> list[Check]:
    """Energy always; the paper's statements on case 2 when the fifth revolution has been reached."""
    summary = result.summary
    checks = [*balance(summary), friction_gain(result.energy, summary["energy"]["scale"])]
    if parameters.case == 2:
        histories = Histories(result, parameters)
        checks += [_work(histories)]
        if histories.revolution == STUDIED_REVOLUTION:
            checks += (
                _sizes(histories, parameters) + _slip(histories, parameters) + _opening(histories, parameters)
            )
            checks += _forces(histories, ideal_histories(parameters))
    return checks


def known(parameters: Parameters, steps: str) -> str:
    """The page that explains known differences with the case's own data and these ``steps``; "" for other data."""
    defaults = replace(
        Parameters(steps=parameters.steps, friction_point=parameters.friction_point),
        revolutions=parameters.revolutions,
        dt=parameters.dt,
    )
    return PAGE if parameters == defaults and parameters.steps == steps else ""


def _work(h: Histories) -> Check:
    power = np.einsum("ki,ki->k", h.contact["friction_force"], h.contact["slip_velocity"])
    work = float((power * h.dt).sum())
    return at_most("work of friction in the revolution [J]", work, 0.0, "friction dissipates")


def _sizes(h: Histories, p: Parameters) -> list[Check]:
    """Check of "The time step size is driven by the friction model": by the number of steps, and by their total
    time.
    """
    by_friction = np.char.startswith(h.rule.astype(str), "stribeck")
    source, time = PAPER + ", fig. 10", float(h.dt[by_friction].sum() / h.dt.sum())
    return [
        at_least("fraction of steps sized by the friction rule", float(by_friction.mean()), 0.5, source),
        replace(
            at_least("fraction of the time in such steps", time, 0.5, source), known=known(p, "resolved")
        ),
    ]


def _slip(h: Histories, p: Parameters) -> list[Check]:
    closed = h.contact["normal_force"] > 0
    intervals = near_zero_intervals(h.angle, h.slip_speed, closed, NEARLY_ZERO)
    inside = [i for i in intervals if 150.0 <= i[0] and i[1] <= 250.0]
    source = PAPER + ", fig. 6"
    # where the ball hardly slips steps are fractions of the bristles' time constant, elsewhere they are longer
    smallest = h.dt <= np.quantile(h.dt[closed], 0.01)
    return [
        at_least("near-zero slip: times between 150 and 250 deg", len(inside), SEVERAL, source),
        replace(
            at_most("near-zero slip: times elsewhere", len(intervals) - len(inside), 0, source),
            known=known(p, "printed"),
        ),
        at_most("slip at 99 in 100 of the smallest 1 % of steps [m/s]",
                float(np.quantile(h.slip_speed[smallest & closed], 0.99)), NEARLY_ZERO, PAPER + ", fig. 10"),
    ]  # fmt: skip


def _opening(h: Histories, p: Parameters) -> list[Check]:
    """Check of a loss of contact at about 275 degrees, and nowhere else."""
    source = PAPER + ", fig. 7"
    middles = [0.5 * (a + b) for a, b in open_intervals(h.angle, h.contact["normal_force"])]
    distances = [abs(middle - OPENING_ANGLE) for middle in middles]
    nearest = at_most(
        f"loss of contact: distance of the nearest from {OPENING_ANGLE:g} deg [deg]",
        min(distances, default=np.inf),
        ANGLE_TOLERANCE,
        source,
    )
    elsewhere = at_most(
        "loss of contact: times elsewhere", sum(a > ANGLE_TOLERANCE for a in distances), 0, source
    )
    return [
        replace(nearest, known=known(p, "resolved") or known(p, "printed")),
        replace(elsewhere, known=known(p, "printed")),
    ]


def _forces(h: Histories, ideal: Histories) -> list[Check]:
    """Checks of root forces and mid-span forces of the link: overall as in case 1, with superimposed elastic
    oscillations.

    The paper prints no numbers. Overall similar: the running means differ by no more than the amplitude of the
    superimposed oscillation. An oscillation visible in a figure has a double amplitude of at least a tenth of the range
    of case 1, a few line widths.
    """
    checks = []
    for name, ours, theirs in force_pairs(h, ideal):
        mean, ideal_mean = window_means(h.angle, h.dt, ours), window_means(ideal.angle, ideal.dt, theirs)
        fast, extent = roughness(h.angle, h.dt, ours), float(np.ptp(theirs))
        source = PAPER + (", fig. 8" if name.startswith("root") else ", fig. 9")
        deviation = float(np.abs(mean - ideal_mean).max())
        amplitude = np.sqrt(2.0) * fast
        checks.append(
            at_most(f"{name}: mean differs from case 1 / oscillation", deviation / amplitude, 1.0, source)
        )
        double = 2.0 * amplitude / extent
        checks.append(
            at_least(f"{name}: double amplitude of oscillation / range", float(double), 0.1, source)
        )
    return checks


def force_pairs(h: Histories, ideal: Histories) -> list[tuple[str, Array, Array]]:
    """Name, history with clearance and history without it, for the forces in the paper's figures 8 and 9."""
    root = [(f"root force F{k + 1}", h.root_force[:, k], ideal.root_force[:, k]) for k in (1, 2)]
    names = ("axial force", "shear force 2", "shear force 3")
    link = [(f"link {n}", h.midspan_force[:, k], ideal.midspan_force[:, k]) for k, n in enumerate(names)]
    return root + link


def window_means(angle: Array, dt: Array, values: Array) -> Array:
    """Time means over equal windows of the revolution, (WINDOWS,)."""
    window = np.minimum((angle * WINDOWS / 360.0).astype(int), WINDOWS - 1)
    return np.bincount(window, values * dt, WINDOWS) / np.bincount(window, dt, WINDOWS)


def roughness(angle: Array, dt: Array, values: Array) -> float:
    """Root mean square deviation from a parabola in each window: the fast part of a history."""
    window = np.minimum((angle * WINDOWS / 360.0).astype(int), WINDOWS - 1)
    total = 0.0
    for w in range(WINDOWS):
        inside = window == w
        x, y, weight = angle[inside], values[inside], np.sqrt(dt[inside])
        fit = np.polynomial.Polynomial.fit(x, y, 2, w=weight)
        total += float((dt[inside] * (y - fit(x)) ** 2).sum())
    return float(np.sqrt(total / dt.sum()))


ANGLES = (0, 45, 90, 135, 180, 225, 270, 315)


def plot(result: Result, parameters: Parameters, folder: Path) -> list[Path]:
    """Draw all figures of a run into ``folder``: the paper's figures 6 to 10 over crank angle, and a picture of the
    mechanism.
    """
    h = Histories(result, parameters)
    paths = [_mechanism(h, folder / "mechanism.png")]
    if parameters.case == 2:
        ideal = ideal_histories(parameters)
        paths += _contact_figures(h, folder)
        paths.append(_root_forces(h, ideal, folder / "fig08_root_forces.png"))
        paths.append(_midspan_forces(h, ideal, folder / "fig09_midspan_forces.png"))
        paths.append(_step_sizes(h, folder / "fig10_step_size.png"))
    else:
        paths.append(_root_forces(h, h, folder / "fig08_root_forces.png"))
        paths.append(_midspan_forces(h, h, folder / "fig09_midspan_forces.png"))
    return paths


def _title(h: Histories, text: str) -> str:
    return f"{text}, revolution {h.revolution}"


def _draw(h: Histories, path: Path, panels: list[Panel], title: str) -> Path:
    return draw_panels(
        path,
        h.angle,
        panels,
        xlabel="crank angle [deg]",
        title=_title(h, title),
        angle=True,
        limits=(0.0, 360.0),
    )


def _contact_figures(h: Histories, folder: Path) -> list[Path]:
    slip = [Panel("tangential velocity [m/s]", {"": h.slip_speed})]
    forces = [
        Panel("friction force [N]", {"": h.friction_force}),
        Panel("normal force [N]", {"": h.contact["normal_force"]}),
    ]
    return [
        _draw(h, folder / "fig06_tangential_velocity.png", slip, "Tangential velocity at Q"),
        _draw(h, folder / "fig07_friction_force.png", forces, "Contact forces at Q"),
    ]


def _root_forces(h: Histories, ideal: Histories, path: Path) -> Path:
    names = ("F2", "F3")
    panels = [
        _compared(f"{n} [N]", h, ideal, h.root_force[:, 1 + k], ideal.root_force[:, 1 + k])
        for k, n in enumerate(names)
    ]
    return _draw(h, path, panels, "Forces of the beam on its root O")


def _midspan_forces(h: Histories, ideal: Histories, path: Path) -> Path:
    names = ("axial", "shear 2", "shear 3")
    panels = [
        _compared(f"{n} [N]", h, ideal, h.midspan_force[:, k], ideal.midspan_force[:, k])
        for k, n in enumerate(names)
    ]
    return _draw(h, path, panels, "Forces in the link at mid-span")


def _compared(label: str, h: Histories, ideal: Histories, ours: np.ndarray, theirs: np.ndarray) -> Panel:
    if h is ideal:
        return Panel(label, {"case 1": ours})
    return Panel(label, {"case 2": ours, "case 1": (ideal.angle, theirs)})


def _step_sizes(h: Histories, path: Path) -> Path:
    series, others = {}, np.ones(len(h.rule), dtype=bool)
    for rule in ("stribeck", "penetration"):
        chosen = np.isin(h.rule, (rule, f"{rule} (printed)"))
        others &= ~chosen
        series[f"chosen by the {rule} rule"] = (h.angle, np.where(chosen, h.dt, np.nan))
    series["growth limit and others"] = (h.angle, np.where(others, h.dt, np.nan))
    with styled():
        figure, axes = new_figure(1, height=3.6)
        ax = axes[0, 0]
        for number, (name, (x, y)) in enumerate(series.items()):
            ax.plot(x, y, ".", markersize=2, color=COLOURS[number], label=name)
        ax.set_yscale("log")
        ax.set(
            xlabel="crank angle [deg]", ylabel="step size [s]", xlim=(0, 360), title=_title(h, "Step size")
        )
        ax.set_xticks(range(0, 361, 30))
        ax.legend(markerscale=4)
        return save(figure, path)


def _mechanism(h: Histories, path: Path) -> Path:
    """Side view (i1, i2) and end view (i2, i3) at several crank angles."""
    parts = {name: h.beam_positions(name) for name in ("crank", "link", "beam")}
    slider = h.result.of("slider").position[h.rows]
    steps = [int(np.argmin(np.abs(h.angle - angle))) for angle in ANGLES if angle <= h.angle[-1] + 1.0]
    points = np.concatenate([*(positions.reshape(-1, 3) for positions in parts.values()), slider])
    wide = np.ptp(points, axis=0)
    with styled():
        # axes as wide and high as the two views, on a page of 7 inches with 1.5 of them for labels
        height = 1.2 + 5.5 * max(wide[1], wide[2]) / (wide[0] + wide[1])
        figure, axes = new_figure(1, 2, height=height, share_x=False)
        axes[0, 0].get_gridspec().set_width_ratios(wide[:2])
        for view, ax in enumerate(axes[0]):
            first, second = (0, 1) if view == 0 else (1, 2)
            for shade, index in enumerate(steps):
                alpha = 1.0 if shade == 0 else 0.35
                for colour, (name, positions) in zip(COLOURS, parts.items(), strict=False):
                    label = name if shade == 0 else None
                    ax.plot(
                        positions[index, :, first],
                        positions[index, :, second],
                        color=colour,
                        alpha=alpha,
                        lw=2,
                        label=label,
                    )
                ax.plot(
                    slider[index, first],
                    slider[index, second],
                    "s",
                    color="0.2",
                    ms=6,
                    alpha=alpha,
                    label=None if shade else "slider",
                )
            ax.set_aspect("equal", adjustable="box")
            ax.set(xlabel=f"i{first + 1} [m]", ylabel=f"i{second + 1} [m]")
        figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
        figure.suptitle(
            f"The mechanism at crank angles {', '.join(str(a) for a in ANGLES[: len(steps)])} deg",
            fontsize=11,
        )
        return save(figure, path)


CASE = Case(
    name="crank_mechanism",
    summary="spatial crank mechanism, spherical joint ideal or with clearance and friction (Bauchau & Ju, 6.1)",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
)
