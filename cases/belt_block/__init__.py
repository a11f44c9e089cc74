"""Case: a block on a moving belt, held by a spring, with several friction laws compared in one run.

The thesis on frictional contacts in multibody systems, section 3.4: 1 kg, 2 N/m, belt at 0.1 m/s, 20 s; the block
starts at the origin with the belt's speed. `law` names one friction law, several joined by `+`, or `all`: each has its
own block on the same belt. Figures 3.20 to 3.24.

The block is a point mass resting under its weight on the plane of the belt, contact stiffness **assumed**; the source's
coefficients in N are divided by the weight. Laws with a jump at rest stick by a bond that gives 1 um.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import acos, atan, hypot, pi, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.case import Case
from fem_mbd.cases.belt_block.model import GROUPS, LAWS, Parameters, build, chosen
from fem_mbd.output.figures.plots import COLOURS, new_figure, save, styled
from fem_mbd.runs.results.checks import Check, at_least, at_most, balance, near, within
from fem_mbd.runs.results.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


STICKING_RATIO = 0.02  # fraction of the belt's speed
REST_SPEED = 5e-4  # m/s, half of the speed at which laws regularised at rest reach their full force


class Block:
    """Histories of one block, (k,) each: position and slip along the belt, distance slipped, friction force."""

    def __init__(self, result: Result, p: Parameters, name: str) -> None:
        self.time = result.output_time
        self.position: Array = result.of(name).position[:, 0]
        contact = result.of(f"{name}.contact")
        self.slip: Array = contact["slip_velocity"][:, 0]
        self.friction: Array = contact["friction_force"][:, 0]
        self.normal: Array = contact["normal_force"]
        self.stuck = np.abs(self.slip) < STICKING_RATIO * p.belt_speed
        # friction and slip are means over steps
        moved = p.belt_speed * self.time - self.position
        self.slipped: Array = 0.5 * (moved + np.concatenate([[0.0], moved[:-1]]))

    def slip_phases(self) -> list[tuple[float, float]]:
        """Start and end (s) of every slip phase that lies completely within the run."""
        edges = np.flatnonzero(self.stuck[1:] != self.stuck[:-1]) + 1
        begins = [k for k in edges if not self.stuck[k]]
        ends = [k for k in edges if self.stuck[k]]
        return [(float(self.time[b]), float(self.time[min(e for e in ends if e > b)])) for b in begins
                if any(e > b for e in ends)]  # fmt: skip

    def longest_sticking(self) -> float:
        """Longest sticking phase after a slip, s; a phase that lasts to the end of the run counts up to there."""
        last = len(self.time) - 1
        phases = zip(*self._sticking_phases(), strict=True)
        return max(
            (float(self.time[min(end, last)] - self.time[begin]) for begin, end in phases), default=0.0
        )

    def sticking_rows(self, skipped: float) -> np.ndarray:
        """Rows of the sticking phases after a slip, each from ``skipped`` (s) after the block has stopped on the
        belt.
        """
        settled = np.zeros(len(self.time), bool)
        at_rest = np.abs(self.slip) < REST_SPEED
        for begin, end in zip(*self._sticking_phases(), strict=True):
            stops = begin + int(np.argmax(at_rest[begin:end])) if at_rest[begin:end].any() else end
            settled[begin:end] = self.time[begin:end] > self.time[min(stops, len(settled) - 1)] + skipped
        return np.flatnonzero(settled)

    def _sticking_phases(self) -> tuple[list[int], list[int]]:
        """First rows of the sticking phases after a slip, and the rows after their last ones."""
        edges = np.flatnonzero(self.stuck[1:] != self.stuck[:-1]) + 1
        begins = [int(k) for k in edges if self.stuck[k]]
        return begins, [min((int(e) for e in edges if e > k), default=len(self.time)) for k in begins]

    def first_slip(self, still: float) -> tuple[int, int, int]:
        """Rows of the first slip: the last one slower than ``still`` (m/s), the fastest, the first one slower again (or
        the last).

        Raises
        ------
        ValueError
            When the block never slips.
        """
        if self.stuck.all():
            raise ValueError("the block never slips")
        speed, begin = np.abs(self.slip), int(np.argmin(self.stuck))
        stays = int(np.argmax(self.stuck[begin:])) or len(speed) - begin
        fastest = begin + int(np.argmax(speed[begin : begin + stays]))
        slow = np.flatnonzero(speed < still)
        before, after = slow[slow < fastest], slow[slow > fastest]
        last = len(speed) - 1
        return int(before[-1]) if len(before) else 0, fastest, int(after[0]) if len(after) else last

    def lag(self, speeds: Array) -> Array:
        """Friction at increasing minus friction at decreasing ``speeds`` (m/s), N; first slip."""
        begin, fastest, end = self.first_slip(0.5 * float(speeds.min()))
        speed = np.abs(self.slip)
        rising = np.interp(speeds, speed[begin : fastest + 1], self.friction[begin : fastest + 1])
        falling = np.interp(speeds, speed[end:fastest:-1], self.friction[end:fastest:-1])
        return rising - falling


def pull_time(p: Parameters, mu: float) -> float:
    """Time (s) at which the spring of a block that moves with the belt pulls with mu m g."""
    return mu * p.weight / (p.stiffness * p.belt_speed)


def slip_time(p: Parameters) -> float:
    """Duration of a slip under Coulomb friction with stiction, s: 2 [pi - atan(D omega/v)]/omega."""
    drop = (p.mu_s - p.mu_k) * p.weight / p.stiffness
    return 2.0 * (pi - atan(drop * p.omega / p.belt_speed)) / p.omega


def furthest(p: Parameters, mu: float) -> float:
    """Largest displacement when slip begins at coefficient ``mu`` and mu_k acts from then on, m."""
    middle = p.mu_k * p.weight / p.stiffness
    return middle + hypot((mu - p.mu_k) * p.weight / p.stiffness, p.belt_speed / p.omega)


def holding_time(p: Parameters, speed: float) -> float:
    """Time (s) that static friction needs from a pull of mu_s m g to slip at ``speed`` (m/s).

    The excess of the pull grows by k v_b per second, hence the slip as k v_b t**2/(2 m).
    """
    return sqrt(2.0 * p.mass * speed / (p.stiffness * p.belt_speed))


def sliding(p: Parameters, viscosity: float, time: Array) -> Array:
    """Position (k,) in m under mu_k m g + viscosity |slip| of a block that does not stick again after the start.

    It moves with the belt up to the pull of Coulomb friction, then oscillates freely about the position where spring
    force and friction balance, damped by the viscous part.
    """
    start, damping = pull_time(p, p.mu_k), 0.5 * viscosity / p.mass
    rate = sqrt(p.omega**2 - damping**2)
    middle = (p.mu_k * p.weight + viscosity * p.belt_speed) / p.stiffness
    offset = p.belt_speed * start - middle
    t = np.maximum(time - start, 0.0)
    swing = offset * np.cos(rate * t) + (p.belt_speed + damping * offset) / rate * np.sin(rate * t)
    return np.where(time < start, p.belt_speed * time, middle + np.exp(-damping * t) * swing)


SOURCE = "thesis on frictional contacts, section 3.4"
CLOSED_FORM = "closed form"
POSITION_TOLERANCE = 2e-5  # m: twenty times the deflection of the bond of a multivalued law
# fraction of the weight: bristles of LuGre and Dahl deflect by the ratio friction/break-away already
BRISTLE_TOLERANCE = 0.004
# fraction of the break-away force: LuGre's bristles creep, so that it slips below mu_s m g
BREAK_AWAY_TOLERANCE = 0.01
# s after a block is slower than REST_SPEED: 0.5 ms to its stop, and three periods of the bond that holds it
SETTLING_TIME = 2e-3
PAGE = "docs/studies/belt_block.md"  # explains why Karnopp's friction has the wrong sign in one step
HELD_TOLERANCE = 0.05  # fraction of mu_s m g
WITH_VISCOUS, WITHOUT_VISCOUS = ("lugre", "elasto_plastic", "gonthier"), ("reset_integrator", "liang")
WITH_LAG = ("lugre", "elasto_plastic")


def checks(result: Result, p: Parameters) -> list[Check]:
    """Energy balance always; the source's statements on every law for a run of full length."""
    checks = balance(result.summary)
    if p.end_time < Parameters.end_time:
        return checks
    blocks = {name: Block(result, p, name) for name in chosen(p)}
    for name, block in blocks.items():
        work = float(-(block.friction * block.slip) @ result.step["dt"][result.output_index - 1])
        label = f"{name}: energy dissipated by friction [J]"
        checks.append(at_least(label, work, 0.0, "friction dissipates"))
        if LAWS[name].group == GROUPS[0] or name == "dahl":
            checks += _harmonic(block, p, name)
        else:
            checks += _stick_slip(block, p, name)
        if LAWS[name].group == GROUPS[2]:
            checks.append(_stiffness(block, p, name))
            if name != "dahl":
                checks.append(_viscous_part(block, p, name))
    checks += _lag({name: block for name, block in blocks.items() if name in (*WITH_LAG, "stribeck")}, p)
    return checks + _faster_cycles(blocks) + _groups(blocks, result.step["dt"][result.output_index - 1])


def _harmonic(block: Block, p: Parameters, name: str) -> list[Check]:
    """Check of an oscillation at sqrt(k/m) after break-away that reaches the belt's speed without sticking."""
    viscosity = p.viscosity if name == "viscous" else 0.0
    after = block.time > pull_time(p, p.mu_k) + 0.1
    time, x = (
        block.time[after],
        block.position[after] - (p.mu_k * p.weight + viscosity * p.belt_speed) / p.stiffness,
    )
    k = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0))
    crossing = time[k] - x[k] * (time[k + 1] - time[k]) / (x[k + 1] - x[k])
    period = float(np.diff(crossing).mean())
    checks = [near(f"{name}: period [s]", period, 2 * pi / p.omega, 0.002, SOURCE)]
    deviation = float(np.abs(block.position - sliding(p, viscosity, block.time)).max())
    # regularised laws creep until the pull reaches Coulomb friction, those of the source at v_0 at most
    creep = p.v_0 * pull_time(p, p.mu_k) * (2.0 if name == "exponential" else 1.0)
    bound = POSITION_TOLERANCE if name in ("coulomb", "viscous") else creep
    checks.append(at_most(f"{name}: distance from Coulomb's motion [m]", deviation, bound, CLOSED_FORM))
    grazing = 2.0 * acos(1.0 - STICKING_RATIO) / p.omega
    checks.append(at_most(f"{name}: longest sticking phase after a slip [s]", block.longest_sticking(), 1.5 * grazing,
                         "an oscillation only just reaches the belt's speed"))  # fmt: skip
    return checks


def _stick_slip(block: Block, p: Parameters, name: str) -> list[Check]:
    """Check that slip begins when the spring pulls with mu_s W, and that sticking follows slip."""
    slip_phases = block.slip_phases()
    checks = [
        at_least(f"{name}: slips followed by sticking", len(slip_phases), 1, SOURCE),
        at_least(f"{name}: longest sticking phase after a slip [s]", block.longest_sticking(), 1.0, SOURCE),
    ]
    if not slip_phases:
        return checks
    if LAWS[name].group == GROUPS[1]:
        checks += _held(block, p, name)
    begin, end = slip_phases[0]
    pull, delay = pull_time(p, p.mu_s), holding_time(p, STICKING_RATIO * p.belt_speed)
    # friction of at most mu_s W lets the slip reach the sticking limit by then; a creeping block pulls later
    creep = p.v_0 * pull / p.belt_speed / 3.0
    low, high = (
        (1.0 - BREAK_AWAY_TOLERANCE) * pull,
        pull + delay + (creep if name == "bengisu_akay" else 0.0),
    )
    checks.append(within(f"{name}: slip begins [s]", begin, low, high, SOURCE))
    if name in ("karnopp", "liang"):
        window = p.v_0 if name == "karnopp" else p.v_d
        late = pull + holding_time(p, window)
        checks.append(near(f"{name}: slip leaves the sticking range [s]", begin, late, 0.002, CLOSED_FORM))
    if name == "stiction":
        checks.append(near(f"{name}: slip begins [s]", begin, pull, 0.002, CLOSED_FORM))
    if name in ("stiction", "reset_integrator"):
        checks.append(near(f"{name}: slip lasts [s]", end - begin, slip_time(p), 0.005, CLOSED_FORM))
        top = furthest(p, p.mu_s)
        checks.append(near(f"{name}: furthest [m]", float(block.position.max()), top, 0.001, CLOSED_FORM))
    return checks


def _held(block: Block, p: Parameters, name: str) -> list[Check]:
    """Check that a sticking block is not accelerated: friction equals the spring's pull until it approaches mu_s m
    g.
    """
    limit = p.mu_s * p.weight
    pull = p.stiffness * block.position
    at_rest, settled = (
        rows[pull[rows] < (1.0 - HELD_TOLERANCE) * limit]
        for rows in map(block.sticking_rows, (0.0, SETTLING_TIME))
    )
    deviation = float(np.abs(block.friction - pull)[settled].max() / limit)
    label = f"{name}: friction minus the spring's pull from 2 ms after the block stops / mu_s m g"
    no_acceleration = at_most(label, deviation, HELD_TOLERANCE, "no acceleration at rest")
    label = f"{name}: smallest friction after the block stops [N]"
    least = at_least(label, float(block.friction[at_rest].min()), 0.0, "friction at rest opposes the spring")
    known = name == "karnopp" and p == replace(Parameters(), law=p.law, dt=p.dt)
    return [no_acceleration, replace(least, known=PAGE) if known else least]


def _stiffness(block: Block, p: Parameters, name: str) -> Check:
    """Check of the slope of friction over the slipped distance while the bristles are hardly stretched: their
    stiffness.
    """
    stiffness = {"reset_integrator": (1.0 + p.stiction) * p.sigma_0, "liang": p.bristle_stiffness}.get(
        name, p.sigma_0
    )
    k = np.flatnonzero(block.friction > BRISTLE_TOLERANCE * p.weight)[0]
    slope = float(block.friction[k] / block.slipped[k])
    return near(f"{name}: presliding stiffness [N/m]", slope, stiffness, BRISTLE_TOLERANCE / p.mu_k, SOURCE)


def _viscous_part(block: Block, p: Parameters, name: str) -> Check:
    """Check of friction at the fastest slip minus mu_k W, as a multiple of sigma_2 |slip|: 1 or 0."""
    _, fastest, _ = block.first_slip(STICKING_RATIO * p.belt_speed)
    excess = block.friction[fastest] - p.mu_k * p.weight
    share = float(excess / (p.viscosity * abs(block.slip[fastest])))
    expected = 1.0 if name in WITH_VISCOUS else 0.0
    return within(
        f"{name}: viscous part of friction / sigma_2 |slip|", share, expected - 0.01, expected + 0.01, SOURCE
    )


def _lag(blocks: dict[str, Block], p: Parameters) -> list[Check]:
    """Check that friction is higher while slip increases than while it decreases; a static law has one force per
    speed.
    """
    checks = []
    drop = (p.mu_s - p.mu_k) * p.weight
    for name, block in blocks.items():
        lag = float(block.lag(np.array([p.v_s, 2.0 * p.v_s])).min()) / drop
        label = f"{name}: friction at increasing minus decreasing slip, at v_s and 2 v_s / (mu_s - mu_k) W"
        if name in WITH_LAG:
            checks.append(at_least(label, lag, 0.1, SOURCE))
        else:
            checks.append(within(label, lag, -0.01, 0.01, "a function of speed alone"))
    return checks


def _faster_cycles(blocks: dict[str, Block]) -> list[Check]:
    """Check that Stribeck's law, the only one of its group with a viscous part, has the shortest cycle."""
    group = {name: b.slip_phases() for name, b in blocks.items() if LAWS[name].group == GROUPS[1]}
    cycle = {
        name: slip_phases[1][0] - slip_phases[0][0]
        for name, slip_phases in group.items()
        if len(slip_phases) > 1
    }
    if "stribeck" not in cycle or len(cycle) < 2:
        return []
    others = min(value for name, value in cycle.items() if name != "stribeck")
    return [at_most("stribeck: cycle minus the shortest of other laws with stiction [s]",
                    cycle["stribeck"] - others, 0.0, SOURCE)]  # fmt: skip


def _groups(blocks: dict[str, Block], dt: np.ndarray) -> list[Check]:
    """Check that every law is nearer to all laws of its group than to any of the other: root mean square over the
    run.
    """
    if not set(WITH_VISCOUS + WITHOUT_VISCOUS) <= set(blocks):
        return []

    def rms(a: str, b: str) -> float:
        return float(np.sqrt((blocks[a].position - blocks[b].position) ** 2 @ dt / dt.sum()))

    checks = []
    for group, others in ((WITH_VISCOUS, WITHOUT_VISCOUS), (WITHOUT_VISCOUS, WITH_VISCOUS)):
        for name in group:
            ratio = max(rms(name, a) for a in group if a != name) / min(rms(name, b) for b in others)
            checks.append(
                at_most(f"{name}: farthest of its group / nearest of the other", ratio, 1.0, SOURCE)
            )
    return checks


# curves of a group often coincide: dashes keep the lower one visible
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (3, 1.5)), (0, (5, 1, 1, 1)), (0, (1, 1)), (0, (8, 2, 2, 2)))
FORCE = "friction force [N]"
DOTS = (0, (1, 1))
PRESLIDING = 30.0  # µm
SLOW_SPEED = 6.0  # mm/s
SLIPPING_SPEED = 1e-5  # m/s


def plot(result: Result, parameters: Parameters, folder: Path) -> list[Path]:
    """The source's figures 3.20 to 3.24.

    For each group of laws a figure over time and one of the force over displacement and velocity; for the dynamic
    laws also the rise of force before slip, and its dependence on increasing and decreasing slip speed.
    """
    paths = []
    for number, group in enumerate(GROUPS, 20):
        names = [n for n in chosen(parameters) if LAWS[n].group == group]
        if not names:
            continue
        blocks = {LAWS[n].title: Block(result, parameters, n) for n in names}
        name = group.replace(" ", "_")
        paths.append(_over_time(blocks, folder / f"fig3_{number}_{name}.png", group))
        paths.append(_force(blocks, folder / f"fig3_24_force_{name}.png", group))
        if group == GROUPS[2]:
            paths.append(_slow_slip(blocks, folder / "fig3_23_presliding_and_lag.png"))
    return paths


def _styles(blocks: dict[str, Block]) -> Iterator[tuple[str, Block, dict[str, Any]]]:
    for number, (title, block) in enumerate(blocks.items()):
        style = {"color": COLOURS[number % len(COLOURS)], "linestyle": DASHES[number % len(DASHES)]}
        yield title, block, style | {"linewidth": 1.2}


def _over_time(blocks: dict[str, Block], path: Path, group: str) -> Path:
    with styled():
        figure, axes = new_figure(3)
        position, slip, force = axes[:, 0]
        for title, block, style in _styles(blocks):
            position.plot(block.time, block.position, label=title, **style)
            slip.plot(block.time, block.slip, **style)
            force.plot(block.time, block.friction, **style)
        position.set(ylabel="position [m]")
        slip.set(ylabel="relative velocity [m/s]")
        force.set(ylabel=FORCE, xlabel="time [s]")
        _head(figure, position, f"Laws: {group}")
        return save(figure, path)


def _force(blocks: dict[str, Block], path: Path, group: str) -> Path:
    with styled():
        figure, axes = new_figure(1, 2, height=3.8, share_x=False)
        for title, block, style in _styles(blocks):
            axes[0, 0].plot(block.position, block.friction, label=title, **style)
            axes[0, 1].plot(block.slip, block.friction, **style)
        axes[0, 0].set(xlabel="displacement [m]", ylabel=FORCE)
        axes[0, 1].set(xlabel="relative velocity [m/s]", ylabel=FORCE)
        _head(figure, axes[0, 0], f"Laws: {group}")
        return save(figure, path)


def _slow_slip(blocks: dict[str, Block], path: Path) -> Path:
    """Force over the slipped distance up to break-away, and over the increasing and decreasing speed of the first
    slip.
    """
    with styled():
        figure, axes = new_figure(1, 2, height=3.8, share_x=False)
        presliding, lag = axes[0]
        for title, block, style in _styles(blocks):
            begin, fastest, end = block.first_slip(SLIPPING_SPEED)
            early = slice(0, fastest)
            presliding.plot(1e6 * block.slipped[early], block.friction[early], label=title, **style)
            speed = 1e3 * np.abs(block.slip)
            lag.plot(
                speed[begin : fastest + 1], block.friction[begin : fastest + 1], **style | {"linestyle": "-"}
            )
            lag.plot(
                speed[fastest : end + 1], block.friction[fastest : end + 1], **style | {"linestyle": DOTS}
            )
        presliding.set(xlabel="slipped distance [µm]", ylabel=FORCE, xlim=(0.0, PRESLIDING))
        lag.set(xlabel="speed of slip [mm/s]; dotted: slowing down", ylabel=FORCE, xlim=(0.0, SLOW_SPEED))
        _head(figure, presliding, "Dynamic laws: before slip, and slow slip")
        return save(figure, path)


def _head(figure: Figure, axes: Axes, title: str) -> None:
    """Title above all axes, and below it the legend of the curves of ``axes``."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, ncols=3, loc="outside upper center", title=title, title_fontsize=11)


CASE = Case(
    name="belt_block",
    summary="a block on a belt, held by a spring: friction laws compared, stick-slip",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
)
