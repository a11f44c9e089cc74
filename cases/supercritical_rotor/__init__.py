"""Case: supercritical rotor supported by a joint with clearance, contact and friction.

O. A. Bauchau and C. Ju, "Modeling friction phenomena in flexible multibody dynamics", section 6.2, figures 11 to
15. A 6 m shaft with a 5 kg disk at mid-span and its mass centre 1 mm off its axis is hinged to the ground at R, about
its own axis, and runs in a spatial clearance joint at T. A torque at R accelerates it through its first critical
speeds, 44.069 and 44.453 rad/s, to about 50 rad/s, where it is self-centring.

The text omits several numbers. **Assumed**, all of them parameters: shear stiffness 2.0 MN in both directions, a fit
(with it the natural frequencies are the paper's critical speeds to all digits), and axial stiffness 50 MN; the paper's
own tube has E = 14.4 GPa and G = 5.6 GPa by its bending and torsional stiffness, hence 4.4 MN and 22.6 MN and critical
speeds 0.33 % higher: `section=tube`; rotary inertia of the tube m (R^2 + t^2/4), polar, half of it about a diameter
(with 8 % more the shaft does not pass the critical speeds); the mass centre's offset along section axis 3: of the two
axes the one that gives the times and impacts stated in the paper; the end of the run at 3 s (a third opening would
follow at 3.1 s, which the paper does not mention); the mid-span disk centred and thin; the joint's disk without mass
and centred in the cylinder at the start; mu = 0.3 and the other contact and friction data as in the paper's section
6.1; no gravity; Kelvin-Voigt damping of 8e-4 s, 1.8 % of critical at 44 rad/s; steps up to 2 ms; six elements with
three nodes each.

Structural damping decides the outcome. Without it friction drives the end T into a backward whirl round the clearance
after 0.9 s, the forces grow to a thousand newtons and the speed collapses: a property of the model (exact energy
balance, the same with smaller steps), shown by the figure undamped_whirl. supercritical_rotor.md shows the effect of
each assumption.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.case import Case, RunHistories
from fem_mbd.cases.supercritical_rotor.model import (
    Parameters,
    Rotor,
    build,
    build_rotor,
    critical_speeds,
    held_shaft,
)
from fem_mbd.output.figures.plots import COLOURS, Panel, draw_panels, legend, new_figure, save, styled
from fem_mbd.runs.results.checks import Check, at_least, at_most, balance, friction_gain, near, within
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.runs import run

if TYPE_CHECKING:
    from matplotlib.axes import Axes


SAME_EPISODE = 0.02  # s: openings closer together belong to one episode of bouncing
RESTORED = 0.05  # s: an impact belongs to an opening that ended at most this long before
QUANTITIES = ("position", "omega", "contact", "reaction")
PAPER = "Bauchau & Ju 2006, section 6.2"
ZONE = (44.069, 44.453)  # rad/s
SPIRAL = 0.875  # s: end of the first part of the orbit in fig. 13, an outward spiral
CONTINUOUS = (0.45, 2.0)  # s: from the first bounces to before the first opening
PRINTED = 0.05  # s: half of the last printed digit
SETTLED_RUN_END = 3.0  # s: end time required for the statements on the settled rotor
SETTLED, OPENINGS = 2.0, (2.1, 2.6)  # s


@dataclass(frozen=True)
class Histories(RunHistories[Parameters]):
    """One run."""

    @cached_property
    def rotor(self) -> Rotor:
        return build_rotor(self.parameters)

    @cached_property
    def speed(self) -> Array:
        """Angular velocity (k,) of the shaft about its axis at R, where the torque acts; rad/s."""
        return np.asarray(self.result.of(self.rotor.shaft.start).angular_velocity_in_body[:, 0])

    @cached_property
    def middle(self) -> Array:
        """Position (k, 2) of the mid-span point M across the axis, m."""
        return np.asarray(self.result.of("disk").position[:, :2])

    @cached_property
    def end(self) -> Array:
        """Position (k, 2) of the end T across the axis, m."""
        return np.asarray(self.result.of(self.rotor.shaft.end).position[:, :2])

    @cached_property
    def contact(self) -> Any:
        return self.result.of("T")

    @property
    def slip_speed(self) -> Array:
        return np.asarray(np.linalg.norm(self.contact["slip_velocity"], axis=1))

    @cached_property
    def root_moment(self) -> Array:
        """Moment (k, 4) of the support on the shaft at R: about fixed axes i1, i2 and section axes 2, 3."""
        joint = self.result.of("R")
        return np.concatenate([joint.reaction.moment[:, :2], joint.reaction_in_l.moment[:, 1:]], axis=1)

    def open_episodes(self, after: float) -> list[tuple[float, float]]:
        """(start, end) in s of the episodes with an open contact that begin after the time ``after``."""
        open_steps = np.flatnonzero((self.contact["normal_force"] == 0.0) & (self.time > after))
        if not len(open_steps):
            return []
        breaks = np.flatnonzero(np.diff(self.time[open_steps]) > SAME_EPISODE) + 1
        return [
            (float(self.time[part[0]] - self.dt[part[0]]), float(self.time[part[-1]]))
            for part in np.split(open_steps, breaks)
        ]

    def impacts(self, episodes: list[tuple[float, float]]) -> list[float]:
        """N: largest normal force of each episode and of the 0.05 s after it, when contact is restored."""
        force = self.contact["normal_force"]
        return [float(force[self.between(start, end + RESTORED)].max()) for start, end in episodes]


@lru_cache(maxsize=2)
def undamped_histories(parameters: Parameters) -> Histories:
    """The same rotor without structural damping up to `whirl_time`; takes some ten seconds."""
    p = replace(parameters, damping=0.0, end_time=parameters.whirl_time)
    return Histories(run(build(p), progress=False, quantities=QUANTITIES), p)


def near_stated(name: str, value: float, stated: float, source: str) -> Check:
    """Check of a value given by one digit ("about 100"): within half a unit of that digit."""
    half = 0.5 * 10 ** np.floor(np.log10(stated))
    return within(name, value, stated - half, stated + half, source)


def checks(result: Result, parameters: Parameters) -> list[Check]:
    """Energy and critical speeds always; the paper's statements on the motion for runs that are long enough."""
    h = Histories(result, parameters)
    summary = result.summary
    checks = [*balance(summary), friction_gain(result.energy, summary["energy"]["scale"])]
    checks += _critical(parameters)
    if h.time[-1] >= CONTINUOUS[1]:
        checks += _passage(h)
    if h.time[-1] >= SETTLED_RUN_END:
        checks += _settled(h)
    return checks


def _critical(parameters: Parameters) -> list[Check]:
    computed = critical_speeds(parameters)
    return [
        near(f"{name} {quantity} [rad/s]", value, target, allowed, PAPER)
        for quantity, pair, allowed in (
            ("critical speed", computed.zone, 5e-4),
            # printed values, reproduced to all digits with a fine mesh
            ("frequency at rest", computed.at_rest, 1e-4),
        )
        for name, value, target in zip(("lower", "upper"), pair, ZONE, strict=True)
    ]


def _passage(h: Histories) -> list[Check]:
    """Checks of the passage through the unstable zone, in continuous contact with fast sliding."""
    radius = np.hypot(*h.middle.T)
    sliding = h.between(*CONTINUOUS)
    force = h.contact["normal_force"]
    slowest = float(h.slip_speed[sliding].min() / h.parameters.stribeck_velocity)
    growth = float(radius.max() / h.parameters.eccentricity)
    largest = float(h.time[sliding][np.argmax(force[sliding])])
    crossing = h.time[h.speed >= ZONE[0]][0] if h.speed.max() >= ZONE[0] else np.nan
    return [
        at_least("largest speed [rad/s]", float(h.speed.max()), ZONE[1], PAPER + ", fig. 12"),
        at_least(
            "largest orbit of mid-span / eccentricity",
            growth,
            1.5,
            PAPER + ", fig. 13: spirals away from 1 mm",
        ),
        at_most(
            "open contact between 0.45 and 2 s [s]", _open_time(h, *CONTINUOUS), 0.0, PAPER + ", fig. 14"
        ),
        near_stated(
            "largest force of continuous contact [N]",
            float(force[sliding].max()),
            10.0,
            PAPER + ": an order of magnitude below 100 N",
        ),
        within(
            "time of the largest force of continuous contact [s]",
            largest,
            float(crossing),
            SPIRAL,
            PAPER + ": as the shaft crosses the unstable zone",
        ),
        at_least("slip speed of closed contact / Stribeck velocity", slowest, 100.0, PAPER),
    ]


def _settled(h: Histories) -> list[Check]:
    """Checks after 2 s: speed, orbit of mid-span, and the two episodes of intermittent contact."""
    last = float(h.time[-1])
    radius = np.hypot(*h.middle.T)
    speed = h.mean(h.speed, h.between(SETTLED, last))
    shrunk = float(radius[h.time > SETTLED].max() / radius[h.time <= SETTLED].max())
    orbit = np.sqrt(h.mean(radius**2, h.between(SETTLED, last)))
    return [
        near_stated("mean speed after 2 s [rad/s]", speed, 50.0, PAPER),
        at_least("smallest speed after 2 s [rad/s]", float(h.speed[h.time > SETTLED].min()), ZONE[1], PAPER),
        near_stated("orbit of mid-span after 2 s, r.m.s. [m]", float(orbit), 1e-3, PAPER),
        at_most("largest orbit after 2 s / largest before", shrunk, 1.0, PAPER + ": the amplitude decreases"),
        *_intermittent(h),
        *_smaller(h),
    ]


def _intermittent(h: Histories) -> list[Check]:
    """Checks of the two openings named in the text, and of the impacts after each of them."""
    force = h.contact["normal_force"]
    continuous = float(force[h.between(*CONTINUOUS)].max())
    episodes = h.open_episodes(SETTLED)
    middles = [0.5 * (start + end) for start, end in episodes]
    impacts = h.impacts(episodes)
    checks = [within("episodes of intermittent contact", len(episodes), 2, 2, PAPER + ": at 2.1 and 2.6 s")]
    for k, stated in enumerate(OPENINGS):
        middle, impact = (middles[k], impacts[k]) if k < len(episodes) else (np.nan, np.nan)
        name = f"intermittent contact, episode {k + 1}"
        checks += [
            within(f"{name}, middle [s]", middle, stated - PRINTED, stated + PRINTED, PAPER),
            at_least(
                f"{name}, impact / largest force of continuous contact",
                impact / continuous,
                1.0,
                PAPER + ": when contact is restored, large impact forces",
            ),
        ]
    largest = max(impacts, default=np.nan)
    return [
        *checks,
        near_stated("largest impact force [N]", largest, 100.0, PAPER),
        near_stated(
            "largest impact / largest force of continuous contact",
            largest / continuous,
            10.0,
            PAPER + ": an order of magnitude",
        ),
    ]


def _smaller(h: Histories) -> list[Check]:
    """Check that contact force and root moment decrease in supercritical operation: means over seconds, relative to the
    previous one.
    """
    quantities = (
        ("contact force", h.contact["normal_force"], ", fig. 14: decreases to smaller levels"),
        ("root moment", np.hypot(*h.root_moment[:, :2].T), ", fig. 15: similar behavior"),
    )
    ends = np.arange(CONTINUOUS[1], h.time[-1] + 1e-9, 1.0)
    return [
        at_most(f"mean {name} {end - 1:g} to {end:g} s / that of the previous second", now / before, 1.0, PAPER + words)
        for name, values, words in quantities
        for means in [[h.mean(values, h.between(end - 1.0, end)) for end in ends]]
        for end, before, now in zip(ends[1:], means, means[1:], strict=False)
    ]  # fmt: skip


def _open_time(h: Histories, start: float, end: float) -> float:
    open_steps = h.between(start, end) & (h.contact["normal_force"] == 0.0)
    return float(h.dt[open_steps].sum())


WINDOWS = (0.0, 0.875, 1.065)  # s, starts of the parts of the orbit


def plot(result: Result, parameters: Parameters, folder: Path) -> list[Path]:
    """Draw all figures of a run into ``folder``: the paper's figures 12 to 15, and the dry whirl of the rotor without
    structural damping.
    """
    h = Histories(result, parameters)
    paths = [
        _speed(h, folder / "fig12_speed.png"),
        _orbit(h, folder / "fig13_orbit.png"),
        _beating(h, folder / "orbit_radius.png"),
        _contact_force(h, folder / "fig14_contact_force.png"),
        _root_moments(h, folder / "fig15_root_moments.png"),
    ]
    if parameters.whirl_time > 0 and parameters.damping > 0:
        paths.append(_whirl(h, undamped_histories(parameters), folder / "undamped_whirl.png"))
    return paths


def _zone(ax: Axes, parameters: Parameters, named: bool = True) -> None:
    low, high = critical_speeds(parameters).zone
    for speed in (low, high):
        ax.axhline(speed, color="0.3", linestyle="--", linewidth=0.7)
    if named:
        ax.text(0.995, high + 0.6, f"unstable zone {low:.3f} to {high:.3f} rad/s", ha="right", va="bottom",
                transform=ax.get_yaxis_transform(), fontsize=8, color="0.3")  # fmt: skip


def _speed(h: Histories, path: Path) -> Path:
    with styled():
        figure, axes = new_figure(1, height=3.6)
        ax = axes[0, 0]
        ax.plot(h.time, h.speed, color=COLOURS[0])
        _zone(ax, h.parameters)
        ax.set(
            xlabel="time [s]", ylabel="angular velocity at R [rad/s]", xlim=(0, h.time[-1]), ylim=(0, None)
        )
        ax.set_title("Speed of the shaft")
        return save(figure, path)


def _orbit(h: Histories, path: Path) -> Path:
    """Mid-span point M seen along the shaft, one picture per time window, and the circle of the eccentricity."""
    x, y = 1e3 * h.middle.T
    size = 1.08 * float(np.abs([x, y]).max())
    last = float(h.time[-1])
    ends = [t for t in WINDOWS if t < last] + [last]
    with styled():
        figure, axes = new_figure(1, len(ends) - 1, width=3.0 * len(ends) - 3.0, height=3.4)
        for ax, start, end, colour in zip(axes[0], ends[:-1], ends[1:], COLOURS, strict=False):
            chosen = h.between(start, end)
            ax.plot(x[chosen], y[chosen], color=colour, linewidth=0.8)
            turn = np.linspace(0, 2 * np.pi, 200)
            radius = 1e3 * h.parameters.eccentricity
            ax.plot(radius * np.cos(turn), radius * np.sin(turn), "--", color="0.3", linewidth=0.7)
            ax.set(xlabel="i1 [mm]", xlim=(-size, size), ylim=(-size, size), title=f"{start:g} to {end:g} s")
            ax.set_aspect("equal")
        axes[0, 0].set_ylabel("i2 [mm]")
        figure.suptitle("Orbit of M (dashed: eccentricity)", fontsize=11)
        return save(figure, path)


def _beating(h: Histories, path: Path) -> Path:
    """Distance of M from the axis over time, and when the contact is open: the orbit beats."""
    radius = 1e3 * np.hypot(*h.middle.T)
    panel = Panel("distance of M [mm]", {"M from the axis": radius}, shaded=h.open_episodes(1.0))
    title = "Mid-span from the axis (shaded: contact open)"
    return draw_panels(path, h.time, [panel], title=title, limits=(0.0, float(h.time[-1])))


def _contact_force(h: Histories, path: Path) -> Path:
    """The whole history, and below it the continuous contact on a larger scale."""
    force = h.contact["normal_force"]
    closed = force[h.between(0.45, 2.0)]
    steady = float(closed.max(initial=1.0))
    with styled():
        figure, axes = new_figure(2)
        for ax, top in zip(axes[:, 0], (None, 2.0 * steady), strict=True):
            ax.plot(h.time, force, linewidth=0.8)
            ax.set(ylabel="normal force [N]", xlim=(0, h.time[-1]), ylim=(0, top))
        axes[0, 0].set_title("Normal contact force at T")
        axes[1, 0].set_title("the same, larger scale", loc="left")
        axes[1, 0].set_xlabel("time [s]")
        return save(figure, path)


def _root_moments(h: Histories, path: Path) -> Path:
    moment = h.root_moment
    panels = [
        Panel("fixed axes [N m]", {"about i1": moment[:, 0], "about i2": moment[:, 1]}),
        Panel("section axes [N m]", {"about axis 2": moment[:, 2], "about axis 3": moment[:, 3]}),
    ]
    return draw_panels(
        path, h.time, panels, title="Bending moments on the root R of the shaft", limits=(0, h.time[-1])
    )


def _whirl(h: Histories, u: Histories, path: Path) -> Path:
    """Speed with and without structural damping; impacts and whirl of the joint without it."""
    last = float(u.time[-1])
    with styled():
        figure, axes = new_figure(3)
        speed, force, whirl = axes[:, 0]
        shown = h.time <= last
        speed.plot(h.time[shown], h.speed[shown], label=f"damping {1e3 * h.parameters.damping:g} ms")
        speed.plot(u.time, u.speed, label="no structural damping", linewidth=0.7)
        _zone(speed, h.parameters, named=False)
        speed.set(ylabel="speed at R [rad/s]", ylim=(0, None))
        legend(speed)
        force.plot(u.time, u.contact["normal_force"], color=COLOURS[1], linewidth=0.5)
        force.set_ylabel("normal force [N]")
        whirl.plot(u.time, end_turns(u), color=COLOURS[1], label="whirl of T")
        whirl.plot(u.time, np.cumsum(u.speed * u.dt) / (2 * np.pi), color=COLOURS[2], label="shaft at R")
        whirl.set(xlabel="time [s]", ylabel="revolutions", xlim=(0, last))
        legend(whirl)
        figure.suptitle("Without structural damping friction drives a backward whirl", fontsize=11)
        return save(figure, path)


def end_turns(h: Histories) -> Array:
    """Revolutions (k,) of T about the cylinder's axis since its first contact; negative against the spin."""
    angle = np.unwrap(np.arctan2(h.end[:, 1], h.end[:, 0])) / (2 * np.pi)
    closed = h.contact["normal_force"] > 0
    first = int(np.argmax(closed))
    return np.where(np.arange(len(angle)) < first, np.nan, angle - angle[first])


CASE = Case(
    name="supercritical_rotor",
    summary="flexible rotor crosses its critical speeds in a spatial clearance joint (Bauchau & Ju, 6.2)",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
    model=held_shaft,
    speeds=(0.0, 60.0),
)
