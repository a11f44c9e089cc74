"""Motion of all unknowns as a linear function of states and inputs, with massless motions eliminated.

    M x'' + C x' + K x + B^T lambda = F u        x = Z y + p u   (p u' and p u'' likewise)

with y from M_r y'' + C_r y' + K_r y = Z^T (F - K p, …) u. States are (y, y'). Motions without mass follow statically
where nothing damps them, and are states of first order where something does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError

# fraction of the largest: smaller eigenvalues of the mass matrix, scaled to a unit diagonal, count as zero
MASSLESS = 1e-13


@dataclass(frozen=True, eq=False)
class Motion:
    """States z (s,) with z' = a z + b u, u (m,), and r unknowns y as functions of states and inputs.

    Attributes
    ----------
    a, b : (s, s) and (s, m)
    states : (3, r, s) y, y' and y'' per unit of the states
    inputs : (3, r, m) per unit of the inputs; time derivatives of the inputs are left out
    """

    a: Array
    b: Array
    states: Array
    inputs: Array


def motion_of(mass: Array, rates: Array, stiffness: Array, forces: Array) -> Motion:
    """State-space form of M y'' + C y' + K y = F u.

    Parameters
    ----------
    mass, rates, stiffness : (r, r) M, symmetric, C and K
    forces : (r, m) F

    Raises
    ------
    InputError
        When a motion without mass has neither stiffness nor damping.
    """
    size = np.sqrt(np.maximum(np.diag(mass), 0.0))
    scale = 1.0 / np.where(size > 0.0, size, 1.0)
    weights, axes = eigh(scale[:, None] * mass * scale)
    heavy = weights > MASSLESS * max(float(weights.max(initial=0.0)), 1e-300)
    moving = scale[:, None] * axes[:, heavy] / np.sqrt(weights[heavy])
    light = scale[:, None] * axes[:, ~heavy]
    if not light.shape[1]:
        # M^-1 by the factors just computed; unknowns are not transformed
        inverse = moving @ moving.T
        return _second_order(inverse, rates, stiffness, forces)
    return _with_massless(moving, light, rates, stiffness, forces)


def _second_order(inverse: Array, rates: Array, stiffness: Array, forces: Array) -> Motion:
    r, m = forces.shape
    eye, none = np.eye(r), np.zeros((r, r))
    a = np.block([[none, eye], [-inverse @ stiffness, -inverse @ rates]])
    b = np.concatenate([np.zeros((r, m)), inverse @ forces])
    states = np.stack([np.hstack([eye, none]), np.hstack([none, eye]), a[r:]])
    return Motion(a, b, states, np.stack([np.zeros((r, m)), np.zeros((r, m)), b[r:]]))


def _with_massless(moving: Array, light: Array, rates: Array, stiffness: Array, forces: Array) -> Motion:
    """y = moving p + light q, p with unit mass matrix, q without mass."""
    basis = np.hstack([moving, light])
    c, k, f = basis.T @ rates @ basis, basis.T @ stiffness @ basis, basis.T @ forces
    n = moving.shape[1]
    damped = np.abs(c[n:]).max(initial=0.0) > 1e-12 * np.abs(c).max(initial=0.0)
    pivot = c[n:, n:] if damped else k[n:, n:]
    if np.linalg.cond(pivot) > 1e14:
        raise InputError(
            "state space: a motion without mass has neither stiffness nor damping: give the nodes mass and "
            "rotary inertia"
        )
    motion = _first_order(n, c, k, f) if damped else _condensed(n, c, k, f)
    return Motion(motion.a, motion.b, basis @ motion.states, basis @ motion.inputs)


def _condensed(n: int, c: Array, k: Array, f: Array) -> Motion:
    """Static elimination q = K_qq^-1 (F_q u - K_qp p)."""
    follow, by_input = -np.linalg.solve(k[n:, n:], k[n:, :n]), np.linalg.solve(k[n:, n:], f[n:])
    stiffness, forces = k[:n, :n] + k[:n, n:] @ follow, f[:n] - k[:n, n:] @ by_input
    motion = _second_order(np.eye(n), c[:n, :n], stiffness, forces)
    expand = np.concatenate([np.eye(n), follow])
    inputs = expand @ motion.inputs
    inputs[0, n:] += by_input
    return Motion(motion.a, motion.b, expand @ motion.states, inputs)


def _first_order(n: int, c: Array, k: Array, f: Array) -> Motion:
    """q' = C_qq^-1 (F_q u - C_qp p' - K_q y); states p, q, p'."""
    total, m = f.shape
    light = total - n
    position = np.hstack([np.eye(total), np.zeros((total, n))])
    fast = np.hstack([np.zeros((n, total)), np.eye(n)])
    slow = np.linalg.solve(c[n:, n:], -c[n:, :n] @ fast - k[n:] @ position)
    slow_by_input = np.linalg.solve(c[n:, n:], f[n:])
    velocity = np.concatenate([fast, slow])
    velocity_by_input = np.concatenate([np.zeros((n, m)), slow_by_input])
    force = -c[:n] @ velocity - k[:n] @ position
    force_by_input = f[:n] - c[:n] @ velocity_by_input
    a, b = np.concatenate([velocity, force]), np.concatenate([velocity_by_input, force_by_input])
    acceleration = np.concatenate([force, np.zeros((light, total + n))])
    acceleration_by_input = np.concatenate([force_by_input, np.zeros((light, m))])
    states = np.stack([position, velocity, acceleration])
    return Motion(a, b, states, np.stack([np.zeros((total, m)), velocity_by_input, acceleration_by_input]))
