"""Demonstration data for fitting: friction of a generalised Maxwell slip model, sampled with noise.

With four elements it has nonlocal memory before sliding, which LuGre and Dahl lack: their fits show the residual of a
law that differs from the true one. The path has small reversals below break-away that grow into sliding through the
Stribeck range, on a slow drift.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.applications.fitting.data import Measurement, measured
from fem_mbd.friction import GeneralisedMaxwellSlip
from fem_mbd.friction.probes.slip_path import drive_path

MODEL = GeneralisedMaxwellSlip(
    mu_s=0.15, mu_k=0.1, v_s=1e-3, k=(4e4, 3e4, 2e4, 1e4), alpha=(0.1, 0.2, 0.3, 0.4), C=50.0, sigma_2=1.0
)
NORMAL_FORCE, NOISE, SEED = 10.0, 0.01, 7
ROWS, END_TIME, STEPS_PER_ROW = 1000, 4.0, 40


def demonstration(law: object = MODEL, noise: float = NOISE, seed: int = SEED) -> Measurement:
    """Measurement of ``law`` (the model above) with normal noise of ``noise`` N; steps are 40 times finer than rows."""
    fine = np.linspace(0.0, END_TIME, ROWS * STEPS_PER_ROW + 1)
    path = _displacement(fine)
    middle = 0.5 * (fine[1:] + fine[:-1])
    mus = drive_path(law, np.diff(path), np.diff(fine)).mus
    time = fine[::STEPS_PER_ROW]
    force = NORMAL_FORCE * np.interp(time, middle, mus)
    force += noise * np.random.default_rng(seed).normal(size=time.size)
    return measured(
        {"time": time, "displacement": _displacement(time), "force": force},
        NORMAL_FORCE,
        source="demonstration",
    )


def _displacement(t: np.ndarray) -> np.ndarray:
    """Path in m."""
    amplitude = 1.5e-6 + 5e-4 * (t / END_TIME) ** 4
    return np.asarray(amplitude * np.sin(2.0 * np.pi * 2.0 * t) + 2e-6 * np.sin(2.0 * np.pi * 0.25 * t))


def write_demonstration(file: Path) -> None:
    """Write the demonstration as a CSV file whose comments describe its origin."""
    data = demonstration()
    assert data.time is not None and data.displacement is not None
    lines = [
        "# Not measured: friction of a generalised Maxwell slip model with four elements, and normal noise of",
        f"# {NOISE} N. {MODEL}",
        "time [s],displacement [m],force [N],normal_force [N]",
    ]
    lines += [
        f"{t:.6g},{x:.9e},{f:.5f},{n:g}"
        for t, x, f, n in zip(data.time, data.displacement, data.force, data.normal_force, strict=True)
    ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
