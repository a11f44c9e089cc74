"""Check of the penetration depth of contacts at the start of a run.

Contact laws are for indentations that are small compared with the bodies, and a static equilibrium, from which runs
often start, has no others unless the law is very soft. So a start is refused when the indentation is above a tenth of
the body's size and, at the same time, the contact force would be above a hundred times the weight of the model: such a
force is not balanced by the model, it throws the bodies apart. The two numbers are rough estimates. A deeper start of a
contact under such a load can be given to a run as the state of an equilibrium (``initial``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.friction.normal.dispatch import normal_force

LARGEST_SHARE = 0.1  # of the size
LARGEST_LOAD = 100.0  # times the weight
GRAVITY = 9.81  # m/s2, for the comparison of forces, also for models without gravity


def check_depths(specs: Any, gaps: Array, mass: float) -> None:
    """Refuse contacts that start too deep.

    Parameters
    ----------
    specs : the contacts, as `ContactSpec`
    gaps : (n,) m, in the reference configuration
    mass : kg, of the whole model

    Raises
    ------
    InputError
        With the contact's name and the depth.
    """
    positions = np.array([point.position for spec in specs for point in (spec.k, spec.l)])
    extent = float(np.linalg.norm(np.ptp(positions, axis=0)))
    if mass == 0.0:  # all bodies are fixed or have prescribed motion
        return
    for spec, gap in zip(specs, gaps, strict=True):
        radii = [float(r) for r in (spec.geometry.radius_k, spec.geometry.radius_l) if r > 0.0]
        depth, size = -float(gap), min(radii, default=extent)
        if depth <= LARGEST_SHARE * size:
            continue
        force = float(normal_force(spec.normal.record()[()], -depth, -depth, 1.0)[0])
        if force > LARGEST_LOAD * mass * GRAVITY:
            raise InputError(
                f"contact '{spec.name}' starts with an indentation of {depth:.4g} m and a force of {force:.3g} N, "
                f"more than {LARGEST_LOAD:g} times the weight of the model: move the bodies apart "
                "(a direction that points into the material, or a gap taken for a depth, does this too)"
            )
