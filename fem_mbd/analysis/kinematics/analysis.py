"""Kinematic analysis: positions, velocities and accelerations of a driven mechanism, without any force.

Source: F. Marques, "Frictional contacts in multibody dynamics" (2015), section 2.2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.analysis.kinematics.continuation import PositionContinuation
from fem_mbd.analysis.kinematics.motion import BodyMotion, Kinematics
from fem_mbd.core.model.model import Model
from fem_mbd.errors import InputError


def kinematic_analysis(model: Model, times: ArrayLike) -> Kinematics:
    """Positions, velocities and accelerations of the bodies of a driven mechanism.

    Forces, masses and initial velocities have no influence. The model is in its reference configuration at t = 0.

    Parameters
    ----------
    model : rigid bodies and ideal joints, as many of them driven (`DrivenRevolute`, `DrivenPrismatic`) as it has
        degrees of freedom
    times : (k,) s, ascending, from zero on

    Returns
    -------
    Kinematics
        Motions by body, and the singular positions that were reached or passed.

    Raises
    ------
    InputError
        For times that do not ascend, degrees of freedom without a driver, prescribed motions of nodes.
    SolverFailure
        Where the drivers prescribe a position that the mechanism cannot reach; the message names the blocking body.
    """
    instants = np.asarray(times, dtype=float)
    ascending = instants.ndim == 1 and len(instants) > 0 and np.isfinite(instants).all()
    if not ascending or instants[0] < 0.0 or np.any(np.diff(instants) <= 0.0):
        raise InputError("kinematic_analysis: times must be ascending numbers (s), none of them negative")
    continuation = PositionContinuation(model)
    seen = [continuation.to(float(t)) for t in instants]
    states, accelerations = [state for state, _ in seen], [rates for _, rates in seen]
    centre = continuation.system.work.centre
    bodies = {
        name: BodyMotion.of(states, accelerations, node.index, centre[node.index])
        for name, node in model.bodies.items()
    }
    return Kinematics(instants, bodies, tuple(continuation.singular))
