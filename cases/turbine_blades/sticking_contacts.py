"""Contact forces while the faces stick, from harmonic linear dynamics of the three blades.

Cut at the faces, the blades have dynamic flexibilities; the contact is a spring and damper along the face and rigid
across it. Neither the contact model nor the time integration is used, so that this is an independent check of the onset
of slip.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING

import numpy as np

from fem_mbd.base.arrays import Array, Complex
from fem_mbd.cases.turbine_blades.model import Blade, Parameters, Row, add_blade, row_of
from fem_mbd.core.model.model import Model

if TYPE_CHECKING:
    from fem_mbd.analysis.modal.linear_model import LinearModel


@dataclass(frozen=True)
class StickingResponse:
    """Amplitudes per N of force at the centre tip along i1.

    tip : m/N, of the centre tip along i1
    slip : (2,) m/N, at the faces, left and right, along them
    tangential, normal : (2,) N/N, forces at the faces
    """

    tip: float
    slip: Array
    tangential: Array
    normal: Array

    def onset(self, mu: float, preload: float) -> float:
        """Force (N) at which a face first carries mu times its normal force at that time."""
        return float((mu * preload / (self.tangential + mu * self.normal)).min())


def flexibility(p: Parameters, turn: float, arms: list[Array], hertz: float) -> Array:
    """(3k + 3, 3k + 3) m/N of one blade at k points of its tie-boss, ``arms`` from its middle, and at its tip."""
    from fem_mbd.analysis.modal.linear_model import linearise  # not at module level: a run does not need it

    model = Model(name="blade")
    blade = add_blade(model, p, "blade", np.zeros(3), turn)
    linear = linearise(model)
    motions = _motions(linear, blade, arms)
    inertia = (2 * pi * hertz) ** 2 * linear.reduced(linear.mass)
    dynamic = (linear.reduced(linear.stiffness) - inertia).toarray()
    return motions.T @ np.linalg.solve(dynamic, motions)


def _motions(linear: LinearModel, blade: Blade, arms: list[Array]) -> Array:
    """(r, 3k + 3) displacements of the points for each reduced unknown."""
    shapes = np.array([linear.displacements(unit).real for unit in np.eye(linear.freedoms)])
    tie, tip = shapes[:, blade.tie.node.index], shapes[:, blade.tip.node.index]
    faces = [tie[:, :3] + np.cross(tie[:, 3:], arm) for arm in arms]
    return np.concatenate([*faces, tip[:, :3]], axis=1)


def sticking_response(
    p: Parameters, hertz: float, row: Row | None = None, contact: complex = np.inf
) -> StickingResponse:
    """Amplitudes at ``hertz`` with one point per face and the dynamic stiffness ``contact`` (N/m) along it."""
    row = row or row_of(p)
    normal = np.array(row.pitch) / np.linalg.norm(row.pitch)
    along = np.eye(3) - np.outer(normal, normal)
    # from the centre blade to the middle of its faces, and from there to the outer blades
    arms = [0.5 * row.foot(side) for side in (-1.0, 1.0)]
    centre = flexibility(p, 0.0, arms, hertz)
    compliance: Complex = centre[:6, :6].astype(complex)
    for rows, turn, arm in zip((slice(0, 3), slice(3, 6)), row.turns, arms, strict=True):
        outer = flexibility(p, turn, [-arm], hertz)[:3, :3]
        compliance[rows, rows] += outer + along / contact
    loads = np.linalg.solve(compliance, centre[:6, 6])  # exerted by the centre blade on the outer ones
    forces = loads.reshape(2, 3)
    across = forces @ normal
    tangential = np.linalg.norm(forces - np.outer(across, normal), axis=1)
    tip = abs(complex(centre[6, 6] - centre[6, :6] @ loads))
    return StickingResponse(tip, tangential / abs(contact), tangential, np.abs(across))


def bond(p: Parameters, hertz: float) -> complex:
    """Dynamic stiffness of a sticking face under the preload, N/m: of bristles, or of the regularised zone."""
    rate = 2j * pi * hertz
    if p.friction == "lugre":
        return p.preload * (p.sigma_0 + rate * p.sigma_1)
    top = p.mu_k + (p.mu_s - p.mu_k) * np.exp(-((p.threshold / p.stribeck_velocity) ** 2))
    return complex(p.preload * top / p.threshold * rate)
