"""Motion of nodes within a step from the recorded values at its ends, by the scheme's own polynomials.

See docs/explanation/theory.md, sections 0 and 1. Over a step the velocity v of a node's mass centre (global axes) and
its angular velocity Omega (node axes) are linear from their values at t_j, just after the jump, to those at t_f. The
recorded values at both ends determine them:

    dt v_j = 2 (u_f - u_i) - dt v_f        dt Omega_j = b - e,  dt Omega_f = b + e

with b from the rotation of the step, theta = (1 + |b|^2/12) b + b x (dt Omega_f)/6, R_f = R_i cay(theta). The position
at the fraction s of the step is the integral of the velocity, the rotation the scheme's map over this part of the step:

    u = u_i + dt [v_j s + (v_f - v_j) s^2/2]        b_s = s (b - e) + s^2 e,  e_s = s^2 e

Positions and rotations are continuous and third-order accurate, as at the ends of steps. Velocities are second-order
accurate within a step and jump where a step begins; at the ends of steps everything is as recorded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from fem_mbd.base.arrays import Array

NEWTON_STEPS = 8


@dataclass(frozen=True)
class Motion:
    """Positions (k, n, 3) of nodes, rotations (k, n, 3, 3), velocities, angular velocities in node axes."""

    position: Array
    rotation: Array
    velocity: Array
    omega: Array

    def shifted(self, centre: Array, sign: float) -> Motion:
        """The same motion at the point offset by ``sign`` times ``centre`` (n, 3), node axes."""
        arm = sign * np.einsum("knij,nj->kni", self.rotation, centre)
        spin = np.einsum("knij,knj->kni", self.rotation, self.omega)
        return Motion(self.position + arm, self.rotation, self.velocity + np.cross(spin, arm), self.omega)


def within_step(before: Motion, after: Motion, dt: Array, part: Array, centre: Array) -> Motion:
    """Motion of nodes at the fractions ``part`` (k,) of steps of size ``dt`` (k,).

    before, after : recorded motion at the ends of the steps; centre : (n, 3) mass centres, node axes
    """
    dt, s = dt[:, None, None], part[:, None, None]
    i, f = before.shifted(centre, +1.0), after.shifted(centre, +1.0)
    v_j = 2 * (f.position - i.position) / dt - f.velocity
    half = 0.5 * (f.velocity - v_j)
    turn = _cayley_vector(np.swapaxes(i.rotation, -1, -2) @ f.rotation)
    b = _mean_rotation_vector(turn, dt * f.omega)
    e = dt * f.omega - b
    b_s, e_s = s * (b - e) + s * s * e, s * s * e
    theta = (1 + (b_s**2).sum(axis=-1, keepdims=True) / 12) * b_s + np.cross(b_s, e_s) / 6
    inside = Motion(
        i.position + dt * (v_j * s + half * s * s),
        i.rotation @ _cayley(theta),
        v_j + 2 * half * s,
        (b - e + 2 * s * e) / dt,
    )
    return inside.shifted(centre, -1.0)


def _cayley_vector(r: Array) -> Array:
    """theta (…, 3) = 2 tan(phi/2) n of rotations (…, 3, 3)."""
    q = scipy.spatial.transform.Rotation.from_matrix(r.reshape(-1, 3, 3)).as_quat().reshape(*r.shape[:-2], 4)
    return np.asarray(2 * q[..., :3] / q[..., 3:])


def _cayley(theta: Array) -> Array:
    """Rotations (…, 3, 3) of theta (…, 3)."""
    q = np.concatenate([0.5 * theta, np.ones_like(theta[..., :1])], axis=-1)
    return scipy.spatial.transform.Rotation.from_quat(q.reshape(-1, 4)).as_matrix().reshape(*theta.shape, 3)


def _mean_rotation_vector(theta: Array, p: Array) -> Array:
    """b (…, 3) with (1 + |b|^2/12) b + b x p/6 = theta, by Newton's method."""
    b, eye = theta.copy(), np.eye(3)
    for _ in range(NEWTON_STEPS):
        size = 1 + (b**2).sum(axis=-1) / 12
        rest = size[..., None] * b + np.cross(b, p) / 6 - theta
        tangent = size[..., None, None] * eye + b[..., :, None] * b[..., None, :] / 6
        tangent = tangent + np.cross(eye, p[..., None, :]).swapaxes(-1, -2) / 6
        b = b - np.linalg.solve(tangent, rest[..., None])[..., 0]
    return b
