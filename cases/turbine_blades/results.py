"""What the paper states about the blades, as checks of a run."""

from __future__ import annotations

import numpy as np

from fem_mbd.cases.turbine_blades.blades import blade_frequencies
from fem_mbd.cases.turbine_blades.histories import Histories
from fem_mbd.cases.turbine_blades.lengths import ONE_BLADE
from fem_mbd.cases.turbine_blades.parameters import Parameters
from fem_mbd.cases.turbine_blades.set_up import PRELOADED, SWEEP_FROM, frequency
from fem_mbd.checks import Check, at_least, at_most, near, within
from fem_mbd.results import Result

PAPER = "Colantonio et al., section 5"
PERIOD = 0.05  # s, of envelopes


def checks(result: Result, parameters: Parameters) -> list[Check]:
    """Books, frequencies and preload always; the paper's statements for a run of full length."""
    p = parameters
    h = Histories(result, p)
    residual = result.summary["energy"]["relative"]
    found = [
        at_most("largest energy residual of a step / scale", residual, 1e-11, "energy balance of the scheme")
    ]
    found += [
        near(f"frequency {n} of one blade [Hz]", float(f), float(target), 0.015, PAPER + ", table 3")
        for n, (f, target) in enumerate(zip(blade_frequencies(p), ONE_BLADE, strict=True), 1)
    ]
    after = h.time > PRELOADED
    if p.turn == 90 and after.any():
        # bending of the outer blades takes 1 % of the crushing force, 2 % where four points keep them from turning
        force = h.normal_force[after]
        found.append(near("smallest normal force of a face [N]", float(force.min()), p.preload, 0.03, PAPER))
        found.append(near("largest normal force of a face [N]", float(force.max()), p.preload, 0.03, PAPER))
    work = float(h.power @ h.dt)
    found.append(at_least("energy taken by friction [J]", work, 0.0, "friction dissipates"))
    apart = float(np.abs(h.tips[:, 1] - h.tips[:, 2]).max() / np.abs(h.tips[:, 0]).max())
    found.append(at_most("outer tips apart / centre's displacement", apart, 1e-3, PAPER + ", figs. 18, 19"))
    if p.end_time == 0 and p.friction == "lugre" and p.turn == 90:
        found += _stick_to_slip(h) if p.simulation == 1 else _sweep(h)
    return found


def _stick_to_slip(h: Histories) -> list[Check]:
    p = h.parameters
    speed = np.linalg.norm(h.slip[:, 0], axis=1)
    middle, peaks = h.envelope(speed, PERIOD)
    onset = float(middle[int(np.argmax(peaks > p.stribeck_velocity))])
    established = float(peaks[middle > 1.3].min()) / p.stribeck_velocity
    return [
        within("slip begins [s]", onset, 0.8, 1.2, PAPER + ".1"),
        at_least("largest slip of each swing after 1.3 s / v_st", established, 2.0, PAPER + ".1"),
    ]


def _sweep(h: Histories) -> list[Check]:
    p = h.parameters
    middle, peaks = h.envelope(h.tips[:, 0], PERIOD)
    swept = middle > PRELOADED
    at = float(middle[swept][int(np.argmax(peaks[swept]))])
    coefficient = np.linalg.norm(h.friction[:, 0], axis=1) / np.maximum(h.normal_force[:, 0], 1e-12)
    around = np.abs(h.time - at) < 0.1
    early = (h.time > PRELOADED + 0.5) & (h.time < PRELOADED + 1.5)
    return [
        within("resonance of the centre tip [s]", at, 5.5, 6.5, PAPER + ".2"),
        near("frequency there [Hz]", frequency(p, at), 55.0, 0.05, PAPER + ".2"),
        at_least("largest coefficient at resonance / mu_s", float(coefficient[around].max()) / p.mu_s, 1.0,
                 PAPER + ".2, fig. 32"),
        at_most(f"largest coefficient near {SWEEP_FROM:g} Hz / mu_s", float(coefficient[early].max()) / p.mu_s, 1.0,
                PAPER + ".2: stick at low frequency"),
    ]  # fmt: skip
