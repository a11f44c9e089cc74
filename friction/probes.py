"""What a friction law does on standard probes: velocity ramp, sinusoids, loading. Features are found, not stated.

Every probe is a path of slips along axis 1 at unit normal force: steady sliding at 20 speeds, a ramp of speed up and
down, two sinusoids, and loading from rest at two speeds of deflection, fast and slow (for break-away).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.friction.tangential import friction_force, state_count

Array = NDArray[np.float64]
FEATURES = (
    "stiction", "stribeck", "presliding", "lag", "break-away", "passive", "states",
)  # fmt: skip


def drive(law: Any, speeds: Array, dt: float, z: Any = None) -> tuple[Array, float, Any]:
    """Coefficients (n,) along ``speeds`` (n,) in m/s, the smallest loss of a step (J per N) and the last state."""
    record = law.record()[()]
    z = np.zeros((max(1, int(state_count(record))), 3)) if z is None else z
    mus, lowest, s, mu = np.empty(len(speeds)), 0.0, np.zeros(3), np.zeros(3)
    for i, v in enumerate(speeds):
        z_f, s[0] = np.zeros_like(z), v * dt
        lowest = min(lowest, friction_force(record, s, z, 1.0, 1.0, dt, mu, z_f))
        mus[i], z = mu[0], z_f
    return mus, lowest, z


def features(law: Any) -> dict[str, bool]:
    """Feature by name, as ``FEATURES``, from the probes."""
    ramp = np.geomspace(1e-6, 0.1, 600)
    steady = np.array([drive(law, np.full(200, v), 5e-4 / v / 200)[0][-1] for v in ramp[::30]])
    up, loss_1, z = drive(law, ramp, 2e-3)
    down, loss_2, _ = drive(law, ramp[::-1], 2e-3, z)
    t = np.linspace(0.0, 4.0 * np.pi, 2000)
    loss_3 = drive(law, 5e-3 * np.sin(t), 1e-4)[1]
    loss_4 = drive(law, 2e-4 * np.sin(t), 1e-5)[1]
    slow, fast = (drive(law, np.full(2000, 2e-8 / dt), dt)[0].max() for dt in (1e-2, 1e-5))
    start = drive(law, np.full(40, 1e-9 / 1e-1), 1e-1)[0]
    kinetic = steady[-6]
    below = drive(law, np.zeros(2), 1.0, drive(law, np.full(5, 1e-6), 1e-2)[2])[0][-1]
    scale = max(float(np.abs(up).max()), 1e-12)
    return {
        "stiction": bool(max(slow, start.max()) > 1.03 * kinetic and abs(below) > 1e-6 * scale),
        "stribeck": bool((np.maximum.accumulate(steady) - steady).max() > 0.03 * scale),
        "presliding": bool(abs(below) > 1e-6 * scale),
        "lag": bool(np.abs(up[200:] - down[::-1][200:]).max() > 0.01 * scale),
        "break-away": bool(abs(below) > 1e-6 * scale and abs(fast - slow) > 0.01 * slow),
        "passive": bool(min(loss_1, loss_2, loss_3, loss_4) > -1e-12 * scale * 1e-4),
        "states": bool(int(state_count(law.record()[()])) > 0),
    }
