"""Synthetic measurements: a law driven along a short path, with noise of known size."""

from typing import Any

import numpy as np

from fem_mbd.applications.fitting import Measurement, measured
from fem_mbd.applications.fitting.search import path_of
from fem_mbd.friction import LuGre

LUGRE = LuGre(sigma_0=1e5, sigma_1=100.0, sigma_2=2.0, mu_s=0.15, mu_k=0.1, v_s=1e-3)
NORMAL, NOISE = 10.0, 0.02


def blank(rows: int = 160) -> Measurement:
    """Presliding that grows into sliding through the Stribeck range; the force is a placeholder."""
    t = np.linspace(0.0, 1.0, rows)
    v = 2e-4 * np.sin(2 * np.pi * 3 * t) + 8e-3 * t**2 * np.sin(2 * np.pi * 2 * t)
    return measured({"time": t, "velocity": v, "force": v}, NORMAL)


def of_law(law: Any, seed: int, noise: float = NOISE, rows: int = 160, substeps: int = 2) -> Measurement:
    """``law`` along that path, in the same steps as a fit with ``substeps``, so that only noise remains."""
    data = blank(rows)
    assert data.time is not None and data.velocity is not None
    force = path_of(data, substeps).force(law) + noise * np.random.default_rng(seed).normal(size=rows)
    return measured({"time": data.time, "velocity": data.velocity, "force": force}, NORMAL)
