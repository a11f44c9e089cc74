"""Statements of the source about the block on the belt, as checks of a run."""

from __future__ import annotations

from dataclasses import replace
from math import acos, pi

import numpy as np

from fem_mbd.cases.belt_block.model import GROUPS, LAWS, Parameters, chosen
from fem_mbd.cases.belt_block.results import (
    STICKING_RATIO,
    Block,
    furthest,
    holding_time,
    pull_time,
    sliding,
    slip_time,
)
from fem_mbd.runs.results.checks import Check, at_least, at_most, balance, near, within
from fem_mbd.runs.results.result import Result

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
    held = at_most(label, deviation, HELD_TOLERANCE, "no acceleration at rest")
    label = f"{name}: smallest friction after the block stops [N]"
    least = at_least(label, float(block.friction[at_rest].min()), 0.0, "friction at rest opposes the spring")
    known = name == "karnopp" and p == replace(Parameters(), law=p.law, dt=p.dt)
    return [held, replace(least, known=PAGE) if known else least]


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
