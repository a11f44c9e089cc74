"""What the source states about the mechanism, as checks of a run; where no number is stated, "less" means less."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem_mbd.cases.revolute_clearance_3d.histories import Histories, companion, laws, simulations
from fem_mbd.cases.revolute_clearance_3d.parameters import Parameters
from fem_mbd.results.checks import Check, at_least, at_most, near
from fem_mbd.results.energy_checks import balance
from fem_mbd.results.result import Result

CLEARANCES, LAWS = "Marques 2015, section 4.2.4", "Marques 2015, section 4.3"
SHOWN = 1.0  # s, of the source's figures
EARLY = 0.02  # s, in which runs with other steps still go the same way
ALIKE = 0.1  # by how much two laws may differ that the source calls similar


def checks(result: Result, parameters: Parameters) -> list[Check]:
    """Energy balance and resolution always; the source's statements for runs of its length."""
    p, h = parameters, Histories(result)
    found = [*balance(result.summary), *_lost(h)]
    if not p.compare:
        return found
    found += _resolved(h, p)
    if p.end_time < SHOWN:
        return found
    if p.friction == "none":
        return found + _clearances(simulations(h, p))
    if p.simulation == 1:
        return found + _laws(laws(h, p))
    return found


def _lost(h: Histories) -> list[Check]:
    energy = h.result.energy
    lost = float(energy["dissipation_contact"].min() + energy["dissipation_friction"].sum())
    free = h.scenario == 1
    flight = free & np.concatenate([[True], free[:-1]])
    falls = float(np.abs(np.diff(h.energy, prepend=0.0)[flight]).sum()) / h.result.summary["energy"]["scale"]
    return [
        at_least("energy lost to contact in any step, to friction in all [J]", lost, 0.0, "second law"),
        at_most(
            "energy lost while nothing touches / scale", falls, 1e-6, CLEARANCES + ": lost at impacts only"
        ),
    ]


def _resolved(h: Histories, p: Parameters) -> list[Check]:
    """The largest force of the first impacts; later ones are other impacts when the steps are others."""
    if p.end_time < EARLY:
        return []
    finer = replace(p, penetration=0.5 * p.penetration, dt_max=0.5 * p.dt_max, end_time=EARLY)
    peak, peak_finer = float(h.force[h.time <= EARLY].max()), float(companion(finer).force.max())
    return [near("peak force of the first 20 ms [N]", peak, peak_finer, 0.02, "the same with half the steps")]


def _clearances(runs: dict[int, Histories]) -> list[Check]:
    one, two, three = runs[1], runs[2], runs[3]
    turns = {n: float(np.abs(h.turned).max()) / (2 * np.pi) for n, h in runs.items()}
    source = CLEARANCES + ", fig. "
    return [
        at_most("simulation 1: revolutions of the crank", turns[1], 1.0, source + "4.10"),
        at_least("simulation 2: revolutions of the crank", turns[2], 1.0, source + "4.12"),
        at_least("energy lost, simulation 1 / 2", one.lost / two.lost, 1.0, source + "4.16"),
        at_least("energy lost, simulation 1 / 3", one.lost / three.lost, 1.0, source + "4.16"),
        at_least("energy lost, simulation 3 / 2", three.lost / two.lost, 1.0, source + "4.16"),
        at_most("peak of the acceleration, simulation 2 / 1", two.peak / one.peak, 1.0, source + "4.12"),
        at_most("peak of the acceleration, simulation 3 / 1", three.peak / one.peak, 1.0, source + "4.14"),
    ]


def _laws(runs: dict[str, Histories]) -> list[Check]:
    none, lugre = runs["none"], runs["lugre"]
    coulomb, stribeck, dahl = runs["coulomb"], runs["stribeck"], runs["dahl"]
    others = [coulomb, stribeck, dahl]
    source = LAWS + ", fig. "
    least = min(h.lost for h in (*others, lugre))
    return [
        at_least("energy lost, least of all laws / none", least / none.lost, 1.0, source + "4.25"),
        at_least(
            "energy lost, LuGre / most of the others",
            lugre.lost / max(h.lost for h in others),
            1.0,
            source + "4.25",
        ),
        at_most("peak of the acceleration, Coulomb / none", coulomb.peak / none.peak, 1.0, source + "4.17"),
        at_most("amplitude, Coulomb / none", coulomb.amplitude / none.amplitude, 1.0, source + "4.17"),
        near(
            "energy lost, Stribeck / Coulomb",
            stribeck.lost / coulomb.lost,
            1.0,
            ALIKE,
            source + "4.19: similar",
        ),
        near(
            "amplitude, Stribeck / Coulomb",
            stribeck.amplitude / coulomb.amplitude,
            1.0,
            ALIKE,
            source + "4.19: similar",
        ),
        at_least(
            "acceleration moving forward, Dahl / Coulomb",
            dahl.forward_oscillation / coulomb.forward_oscillation,
            1.0,
            source + "4.21",
        ),
        at_least(
            "peak of the acceleration, LuGre / others",
            lugre.peak / max(h.peak for h in others),
            1.0,
            source + "4.23",
        ),
        at_most(
            "amplitude, LuGre / least of the others",
            lugre.amplitude / min(h.amplitude for h in others),
            1.0,
            source + "4.23",
        ),
    ]
