"""The blades' sweep by a second program: modes and two friction forces, integrated explicitly.

    python docs/studies/turbine_blades_reduced.py

Both outer blades move alike, so the slip of a face is one number s along i1. With the modes of one blade, shapes t_k at
the tie-boss and p_k at the tip, damping matrix D_kl,

    centre   q_k'' + D_kl q_l' + w_k^2 q_k = p_k P(t) + 2 t_k F      outer   r_k'' + D_kl r_l' + w_k^2 r_k = -t_k F

s = outer less centre tie-boss; F is the friction of one face on the centre blade, eqs. 10 and 11 of the paper (LuGre)
or 38 (general kinetic friction), under the normal force at rest. Classical Runge-Kutta steps of 4e-6 s; the paper
steps at most 1e-5 s. Only the modes come from the package, so that this checks scheme, contact and steps, and it is
fast enough (some seconds a sweep) to vary what the paper leaves open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import pi, radians
from typing import Any

import numpy as np
from numba import njit
from scipy.linalg import eigh, null_space
from scipy.optimize import brentq

from fem_mbd import Model, linearise
from fem_mbd.cases.turbine_blades.model import (
    CONTACT_EXPONENT,
    FREQUENCY,
    GROWN,
    GROWS,
    PRELOADED,
    SWEEP_FROM,
    SWEEP_TO,
    TIE,
    Parameters,
    add_blade,
    frequency,
)

HIGHEST = 6000.0  # Hz, of the modes that are kept
STEP = 4e-6  # s
WINDOW = 0.05  # s, of envelopes


@dataclass(frozen=True)
class Modes:
    """Of one blade: squared angular frequencies (m,), damping (m, m), shapes along i1 at tie-boss and tip (m,)."""

    squares: np.ndarray
    damping: np.ndarray
    tie: np.ndarray
    tip: np.ndarray


@dataclass(frozen=True)
class Sweep:
    """Envelopes over windows of 0.05 s, middles ``time`` (k,) s: tip m, slip m/s; ``lost`` (k,) J in both faces."""

    time: np.ndarray
    tip: np.ndarray
    slip: np.ndarray
    lost: np.ndarray

    @property
    def resonance(self) -> int:
        """Row of the largest swing of the centre tip after the preload."""
        return int(np.argmax(np.where(self.time > PRELOADED, self.tip, 0.0)))


def blade_modes(p: Parameters, turn: float) -> Modes:
    """Modes that move along i1, mass-normalised, of a blade turned by ``turn`` (rad)."""
    model = Model(name="blade")
    blade = add_blade(model, p, "blade", np.zeros(3), turn)
    linear = linearise(model)
    mass, damping, stiffness = (
        linear.reduced(matrix).toarray() for matrix in (linear.mass, linear.damping, linear.stiffness)
    )
    squares, shapes = eigh(stiffness, mass)
    moves = np.array([linear.displacements(shape).real for shape in shapes.T])
    tie, tip = moves[:, blade.tie.node.index, 0], moves[:, blade.tip.node.index, 0]
    kept = (squares < (2 * pi * HIGHEST) ** 2) & (np.abs(tie) + np.abs(tip) > 1e-6)
    reduced = (shapes.T @ damping @ shapes)[np.ix_(kept, kept)]
    return Modes(squares[kept], reduced, tie[kept], tip[kept])


def normal_force(p: Parameters) -> float:
    """N of a face at rest: the crushing force less what bends the outer blade while the contact gives way."""
    across = blade_modes(p, radians(90.0 - p.geometry.turn))
    stiffness = 1.0 / float(across.tie**2 @ (1.0 / across.squares))

    def excess(n: float) -> float:
        give = p.sigma * (n / (TIE[0] * TIE[2])) ** (1.0 / CONTACT_EXPONENT)
        return n + stiffness * give - p.preload

    return float(brentq(excess, 0.0, p.preload))


@njit
def _friction(v, z, n, law):
    """(F on the centre blade, z') for a slip v; law: 0 or 1 (gkf), mu_s, mu_k, v_st, threshold, sigma_0, sigma_1."""
    gkf, mu_s, mu_k, v_st, threshold, sigma_0, sigma_1 = law
    size = abs(v)
    if gkf > 0.0:
        mu = mu_k + (mu_s - mu_k) * np.exp(-((max(size, threshold) / v_st) ** 2))
        return n * mu * v / max(size, threshold), 0.0
    g = mu_k + (mu_s - mu_k) * np.exp(-((size / v_st) ** 2))
    rate = v - z * sigma_0 * size / g
    return n * (sigma_0 * z + sigma_1 * rate), rate


@njit
def _load(t, drive):
    """Force on the centre tip; drive: simulation, amplitude, sweep_start, sweep_time, then the constants of set_up."""
    simulation, size, start, contact_lasts, from_hz, to_hz, grows, grown, hz, preloaded = drive
    if simulation == 1.0:
        share = min(max((t - grows) / (grown - grows), 0.0), 1.0)
        return size * share * np.sin(2 * np.pi * hz * t)
    if t <= preloaded:
        return 0.0
    if t <= start:
        return size * np.sin(2 * np.pi * from_hz * (t - start))
    rate = np.log(to_hz / from_hz) / contact_lasts
    return size * np.sin(2 * np.pi * from_hz * (np.exp(rate * (t - start)) - 1.0) / rate)


@njit
def _rates(t, y, a, b, full, preloaded, law, drive, out):
    """y: q, r, q', r', z. a, b: (squares, damping, tie, tip) of the centre and the outer blade. Returns F and slip."""
    m, n = len(a[0]), len(b[0])
    q, r, dq, dr, z = y[:m], y[m : m + n], y[m + n : 2 * m + n], y[2 * m + n : 2 * m + 2 * n], y[-1]
    v = 0.0
    for k in range(n):
        v += b[2][k] * dr[k]
    for k in range(m):
        v -= a[2][k] * dq[k]
    force, out[-1] = _friction(v, z, full * min(t / preloaded, 1.0), law)
    load = _load(t, drive)
    for k in range(m):
        out[k] = dq[k]
        total = a[3][k] * load + 2.0 * a[2][k] * force - a[0][k] * q[k]
        for i in range(m):
            total -= a[1][k, i] * dq[i]
        out[m + n + k] = total
    for k in range(n):
        out[m + k] = dr[k]
        total = -b[2][k] * force - b[0][k] * r[k]
        for i in range(n):
            total -= b[1][k, i] * dr[i]
        out[2 * m + n + k] = total
    return force, v


@njit
def _time_loop(count, step, a, b, full, preloaded, law, drive, window):
    """(windows, 3): largest tip, largest slip, energy lost in both faces at the end of each window."""
    size = 2 * (len(a[0]) + len(b[0])) + 1
    y, stage = np.zeros(size), np.zeros(size)
    k1, k2, k3, k4 = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size)
    rows = np.zeros((int(np.ceil(count * step / window - 1e-9)), 3))
    lost = 0.0
    for number in range(count):
        t = number * step
        force, v = _rates(t, y, a, b, full, preloaded, law, drive, k1)
        lost += 2.0 * force * v * step
        tip = 0.0
        for k in range(len(a[0])):
            tip += a[3][k] * y[k]
        row = rows[int(t / window + 1e-9)]
        row[0], row[1], row[2] = max(row[0], abs(tip)), max(row[1], abs(v)), lost
        stage[:] = y + 0.5 * step * k1
        _rates(t + 0.5 * step, stage, a, b, full, preloaded, law, drive, k2)
        stage[:] = y + 0.5 * step * k2
        _rates(t + 0.5 * step, stage, a, b, full, preloaded, law, drive, k3)
        stage[:] = y + step * k3
        _rates(t + step, stage, a, b, full, preloaded, law, drive, k4)
        y += step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return rows


def sweep(p: Parameters, step: float = STEP, stiffer: float | None = None) -> Sweep:
    """Simulation 1 or 2 of the parameters, one contact point a face.

    Parameters
    ----------
    step : s
    stiffer : outer blades as the centre one, but so many times as stiff, instead of those of the parameters
    """
    law = tuple(
        map(
            float,
            (p.friction == "gkf", p.mu_s, p.mu_k, p.stribeck_velocity, p.threshold, p.sigma_0, p.sigma_1),
        )
    )
    drive = (float(p.simulation), p.amplitude, p.sweep_start, p.sweep_time, SWEEP_FROM, SWEEP_TO, GROWS, GROWN,
             FREQUENCY, PRELOADED)  # fmt: skip
    centre = blade_modes(p, 0.0)
    if stiffer is None:
        outer = blade_modes(p, radians(p.geometry.turn))
    else:
        outer = replace(centre, squares=stiffer * centre.squares)
    a, b = ((m.squares, np.ascontiguousarray(m.damping), m.tie, m.tip) for m in (centre, outer))
    rows = _time_loop(round(p.duration / step), step, a, b, normal_force(p), PRELOADED, law, drive, WINDOW)
    return Sweep(WINDOW * (np.arange(len(rows)) + 0.5), *rows.T)


def variants() -> Iterator[dict[str, Any]]:
    """Both laws, the paper's section 5.3, and the force, on which general kinetic friction hangs."""
    yield {}
    for changed in ({"sigma_1": 30.0}, {"sigma_1": 120.0}, {"stribeck_velocity": 0.01}):
        yield changed
    yield {"friction": "gkf"}
    for changed in ({"threshold": 1e-3}, {"stribeck_velocity": 0.01}):
        yield {"friction": "gkf"} | changed
    for force in (1.9, 1.95, 1.98, 2.02, 2.05, 2.1):
        yield {"friction": "gkf", "force": force}
    for force in (1.7, 1.98, 2.02):
        yield {"force": force}
    for friction in ("lugre", "gkf"):
        yield {"friction": friction, "sweep_start": 2.0, "sweep_time": 6.5}


def searched() -> Iterator[tuple[Parameters, float | None]]:
    """Lengths (m) between those of tables 3 and 4, and stiffness of the outer blades."""
    for lower, upper in ((0.0975, 0.0674), (0.104, 0.0601), (0.1093, 0.054)):
        for stiffer in (None, 10.0, 4.0):
            for friction in ("lugre", "gkf"):
                yield (
                    Parameters(simulation=2, friction=friction, lower_length=lower, upper_length=upper),
                    stiffer,
                )


def held_together(p: Parameters, softer: float) -> tuple[float, float]:
    """Lowest frequency (Hz) with faces that do not slip, and force at the tip (N) from which they must at 30 Hz.

    softer : how many times softer than they are along i1 the outer blades are taken to be
    """
    centre = blade_modes(p, 0.0)
    outer = blade_modes(p, radians(p.geometry.turn))
    squares = outer.squares / softer
    own, both = np.ones(len(centre.squares)), np.full(len(squares), 2.0)
    free = null_space(np.concatenate([centre.tie, -outer.tie])[None, :])
    stiffness = np.diag(np.concatenate([centre.squares, both * squares]))
    mass = np.diag(np.concatenate([own, both]))
    lowest = eigh(free.T @ stiffness @ free, free.T @ mass @ free, eigvals_only=True)[0]
    at = (2 * pi * FREQUENCY) ** 2
    here, across = centre.tie / (centre.squares - at), outer.tie / (squares - at)
    carried = (here @ centre.tip) / (2.0 * here @ centre.tie + across @ outer.tie)
    return float(np.sqrt(lowest)) / (2 * pi), p.mu_s * p.preload / abs(float(carried))


def cells(p: Parameters, stiffer: float | None = None) -> str:
    """Largest tip, time and frequency of it, energy lost."""
    found = sweep(p, stiffer=stiffer)
    k = found.resonance
    at = float(found.time[k])
    return f"{1e6 * found.tip[k]:.0f} | {at:.2f} | {frequency(p, at):.1f} | {found.lost[-1]:.3f}"


def main() -> None:
    """Print the sweeps, and the search for the paper's energies."""
    base = Parameters(simulation=2)
    columns = "largest tip [um] | at [s] | [Hz] | both faces lose [J] |"
    print(f"| changed | {columns}\n| --- | --- | --- | --- | --- |")
    for changed in variants():
        name = ", ".join(f"{key} = {value}" for key, value in changed.items()) or "nothing"
        print(f"| {name} | {cells(replace(base, **changed))} |", flush=True)
    print(f"\n| lengths [mm], outer blades, law | {columns}\n| --- | --- | --- | --- | --- |")
    for p, stiffer in searched():
        g = p.geometry
        outer = f"turned by {g.turn:g} deg" if stiffer is None else f"{stiffer:g} times as stiff"
        name = f"{1e3 * g.lower_length:.1f}, {1e3 * g.upper_length:.1f}, {outer}, {p.friction}"
        print(f"| {name} | {cells(p, stiffer)} |", flush=True)
    print("\n| outer blades softer by | held together [Hz] | slip from [N] |\n| --- | --- | --- |")
    for softer in (1.0, 2.0, 4.0, 8.0):
        hertz, force = held_together(base, softer)
        print(f"| {softer:g} | {hertz:.0f} | {force:.2f} |")


if __name__ == "__main__":
    main()
