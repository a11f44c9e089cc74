"""What the paper states about the blades, as checks of a run."""

from __future__ import annotations

import numpy as np

from fem_mbd.cases.turbine_blades.blades import STEEL, THICKNESS, TIE, WIDTH, blade_frequencies
from fem_mbd.cases.turbine_blades.histories import Histories
from fem_mbd.cases.turbine_blades.parameters import TABLE_3, TABLE_4, Parameters
from fem_mbd.cases.turbine_blades.set_up import (
    CONTACT_EXPONENT,
    FREQUENCY,
    GROWN,
    GROWS,
    PRELOADED,
    SWEEP_FROM,
    amplitude,
    frequency,
)
from fem_mbd.cases.turbine_blades.stuck import bond, stuck
from fem_mbd.results.checks import Check, at_least, at_most, near, within
from fem_mbd.results.result import Result

PAPER = "Colantonio et al., section 5"
# what is left are forces out of balance times the motion of the step. Smooth friction is solved with kept
# factorisations and a hundred times more closely than Newton's tolerance of 1e-10, GKF at its kink is not
BALANCE = {"lugre": 1e-11, "gkf": 1e-10}
BALANCED = "energy balance of the scheme, Newton's tolerance"
ROUNDED = 0.5  # Hz, of the paper's frequencies
PERIOD = 0.05  # s, of envelopes
SETTLED = 1.3  # s, in simulation 1: full sliding


def checks(result: Result, parameters: Parameters) -> list[Check]:
    """Books, frequencies and preload always; the paper's statements for a run of full length."""
    p = parameters
    h = Histories(result, p)
    residual = result.summary["energy"]["relative"]
    found = [at_most("largest energy residual of a step / scale", residual, BALANCE[p.friction], BALANCED)]
    found += [
        within(
            f"frequency {n} of one blade [Hz]",
            float(f),
            min(pair) - ROUNDED,
            max(pair) + ROUNDED,
            PAPER + ", tables 3 and 4",
        )
        for n, (f, pair) in enumerate(
            zip(blade_frequencies(p), zip(TABLE_3, TABLE_4, strict=True), strict=True), 1
        )
    ]
    after = h.time > PRELOADED
    if p.turn == 90 and after.any():
        force = h.normal_force[after]
        taken = f"bending of the outer blades takes at most {bending_share(p):.3f} of the crushing force"
        least = (1.0 - bending_share(p)) * p.preload
        found.append(at_least("smallest normal force of a face [N]", float(force.min()), least, taken))
        found.append(near("largest normal force of a face [N]", float(force.max()), p.preload, 0.03, PAPER))
    work = float(h.power @ h.dt)
    found.append(at_least("energy taken by friction [J]", work, 0.0, "friction dissipates"))
    apart = float(np.abs(h.tips[:, 1] - h.tips[:, 2]).max() / np.abs(h.tips[:, 0]).max())
    found.append(at_most("outer tips apart / centre's displacement", apart, 1e-3, PAPER + ", figs. 18, 19"))
    if p.turn == 90 and p.simulation == 1 and p.duration > SETTLED:
        found += _stick_to_slip(h)
    if p.turn == 90 and p.simulation == 2 and p.end_time == 0 and p.friction == "lugre":
        found += _sweep(h)
    return found


def bending_share(p: Parameters) -> float:
    """Share of the crushing force that bends an outer blade whose tie-boss cannot turn, while the face gives way."""
    bending = STEEL.young * WIDTH * THICKNESS**3 / 12.0
    give = p.sigma * (p.preload / (TIE[0] * TIE[2])) ** (1.0 / CONTACT_EXPONENT)
    return 12.0 * bending / p.lower_length**3 * give / p.preload


def _stick_to_slip(h: Histories) -> list[Check]:
    """Slip beyond v_st, beside the paper's words and the forces of stuck faces.

    GKF sticks until the friction that it needs is above its top, mu_s. LuGre, which gives way before, lies between
    that and the instant at which bristles carry mu_k.
    """
    p = h.parameters
    speed = np.linalg.norm(h.slip[:, 0], axis=1)
    middle, peaks = h.envelope(speed, PERIOD)
    onset = float(middle[int(np.argmax(peaks > p.stribeck_velocity))])
    bound = slip_time(p, p.mu_s, complex(np.inf))
    rigid = "stuck faces as rigid links"
    if p.friction == "gkf":
        left = h.time[(h.time > GROWS) & (speed > p.threshold)]
        first = float(left[0]) if len(left) else np.inf
        found = [
            near("speed leaves the stick zone [s]", first, bound, 0.04, rigid + ": mu_s reached"),
            within("slip beyond v_st begins [s]", onset, 0.9, 1.1, PAPER + ".1: around 1 s"),
        ]
    else:
        early = slip_time(p, p.mu_k, bond(p, FREQUENCY))
        found = [
            within(
                "slip beyond v_st begins [s]", onset, early, bound, rigid + " at mu_s, as bristles at mu_k"
            )
        ]
    if p.duration > GROWN - PERIOD:
        established = float(peaks[middle > SETTLED].min()) / p.stribeck_velocity
        found.append(
            at_least("largest slip of each swing after 1.3 s / v_st", established, 2.0, PAPER + ".1")
        )
    return found


def slip_time(p: Parameters, mu: float, contact: complex) -> float:
    """When, in simulation 1, stuck faces of dynamic stiffness ``contact`` (N/m) would carry mu times the preload, s."""
    share = float(stuck(p, FREQUENCY, contact=contact).tangential.max())
    times = np.linspace(GROWS, GROWN, 16001)
    needed = share * np.array([amplitude(p, t) for t in times])
    reached = needed > mu * p.preload * np.minimum(times / PRELOADED, 1.0)
    return float(times[int(np.argmax(reached))]) if reached.any() else np.inf


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
