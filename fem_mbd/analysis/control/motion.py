"""Motion of all unknowns as a linear function of states and inputs: in full, or in the lowest modes.

    M x'' + C x' + K x + B^T lambda = F u        x = Z y + p u   (p u' and p u'' likewise)

with y from M_r y'' + C_r y' + K_r y = Z^T (F - K p, …) u. States are (y, y'). `motion_of` eliminates motions without
mass: they follow statically where nothing damps them, and are states of first order where something does.

`modal_motion` keeps the lowest modes and the static response of all others, so that constant inputs have exact outputs.
In first-order form, E z' = A z + (0, F) u with z = (y, y'), a mode l has the right vector v = (x, l x) and the left one
w = (l M z + C^T z, z), z that of the transposed problem. With V, W those of the retained modes, A V = E V T,

    c' = T c + N^-1 W^T (0, F) u,      N = W^T E V,      z = V c + z_s u

where z_s is the response to a constant input minus its part in the retained modes. A mode l = a + ib has states q, s
with q' = s + … u, s' = -|l|^2 q + 2 a s + … u. A rigid motion x has a chain, (x, 0) and (p, x) with K p = -C x, and
states q' = s + … u, s' = … u; where it is damped, or l is real, there is one state.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import block_diag, eigh
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix

from fem_mbd.analysis.modal.eigen import factorise, lowest_frequency
from fem_mbd.analysis.modal.linear_model import LinearModel
from fem_mbd.analysis.modal.modes import Modes, modes_of
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.errors import InputError, SolverFailure

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


SLOW_RATIO = 1e-4  # fraction of the lowest elastic frequency: inputs that slow count as constant
# fraction of the lowest elastic frequency: smaller damping of a rigid motion counts as zero
DAMPING_TOLERANCE = 1e-6
EXTRA_MODES = 4  # modes of the transposed problem beyond the requested ones
# fraction of the largest: smaller singular values of N mean that the left vector of a retained mode was dropped
SEPARATION_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class ModalMotion:
    """Motion in modal coordinates.

    Attributes
    ----------
    motion : of all reduced unknowns
    modes : the retained modes
    of_state : (s,) index of the mode to which each state belongs
    """

    motion: Motion
    modes: Modes
    of_state: list[int]


@dataclass(frozen=True, eq=False)
class Chains:
    """Right or left vectors (displacement, velocity), each (r, s), of the states: real, T as in the module's docstring.

    Attributes
    ----------
    displacement, velocity : the two halves of the vectors
    t : (s, s)
    of_state : (s,) mode of each
    """

    displacement: Array
    velocity: Array
    t: Array
    of_state: list[int]


@dataclass(frozen=True, eq=False)
class Pencil:
    """M, C and K (r, r) of the reduced unknowns, and the slow frequency (rad/s) at which inputs count as constant."""

    mass: csr_matrix
    rates: csr_matrix
    stiffness: csr_matrix
    slow: float

    @classmethod
    def of(cls, linear: LinearModel) -> Pencil:
        """Matrices of a linear model."""
        mass, stiffness = linear.reduced(linear.mass), linear.reduced(linear.stiffness)
        rates = linear.reduced(linear.gyroscopic + linear.damping)
        return cls(mass, rates, stiffness, SLOW_RATIO * lowest_frequency(stiffness, mass))

    def transposed(self) -> Pencil:
        """The pencil whose right vectors are the left vectors of this one."""
        return Pencil(self.mass, csr_matrix(self.rates.T), csr_matrix(self.stiffness.T), self.slow)

    def slow_response(self, force: Array) -> Array:
        """(r, m) response y to slow forces (r, m)."""
        s = self.slow
        return np.asarray(
            factorise(csr_matrix(self.stiffness + s * self.rates + s**2 * self.mass)).solve(force)
        )

    @property
    def symmetric(self) -> bool:
        """Whether right and left vectors are the same."""
        pairs = ((self.stiffness, self.stiffness.T), (self.rates, self.rates.T))
        return all(not a.nnz or abs(a - b).max() <= 1e-12 * abs(a).max() for a, b in pairs)


def modal_motion(linear: LinearModel, forces: Array, number: int) -> ModalMotion:
    """The motion in the lowest modes.

    Parameters
    ----------
    linear : the model
    forces : (r, m) on the reduced unknowns, per unit of each input
    number : of modes

    Raises
    ------
    SolverFailure
        When a retained and a dropped mode cannot be separated.
    """
    pencil, modes = Pencil.of(linear), modes_of(linear, number)
    right = _chains(pencil, modes.eigenvalues, modes.vectors)
    left = right
    if not pencil.symmetric:
        left = _chains(pencil.transposed(), modes.eigenvalues, _left_vectors(linear, modes))
    # left vectors (C^T z + …, z) of E z' = A z, from right vectors of the transposed pencil
    upper = pencil.mass @ left.velocity + pencil.rates.T @ left.displacement
    norm = upper.T @ right.displacement + left.displacement.T @ (pencil.mass @ right.velocity)
    singular = np.linalg.svd(norm, compute_uv=False) if norm.shape[0] == norm.shape[1] else np.zeros(1)
    if singular.min() <= SEPARATION_TOLERANCE * singular.max():
        raise SolverFailure(
            f"state space: mode {number} cannot be separated from the next one: choose one mode more or less"
        )
    b = np.linalg.solve(norm, left.displacement.T @ forces)
    # with free motions the input has to be slow instead of constant; without them constant inputs have a response
    slow_pencil = pencil if np.any(modes.eigenvalues == 0) else replace(pencil, slow=0.0)
    remainder = _static_remainder(slow_pencil, right, (upper, left.displacement, norm), forces, b)
    states = np.stack([right.displacement, right.velocity, right.velocity @ right.t])
    motion = Motion(right.t, b, states, np.stack([remainder, right.displacement @ b, right.velocity @ b]))
    return ModalMotion(motion, modes, right.of_state)


def _left_vectors(linear: LinearModel, modes: Modes) -> Complex:
    """(r, k) vectors of the transposed problem that belong to the modes."""
    transposed = replace(
        linear,
        stiffness=csr_matrix(linear.stiffness.T),
        gyroscopic=csr_matrix(linear.gyroscopic.T),
        damping=csr_matrix(linear.damping.T),
    )
    # of two modes with the same frequency the other may come first in the transposed problem
    candidates = modes_of(transposed, len(modes) + EXTRA_MODES)
    distance = np.abs(modes.eigenvalues[:, None] - candidates.eigenvalues)
    return candidates.vectors[:, linear_sum_assignment(distance)[1]]


def _chains(pencil: Pencil, values: Complex, vectors: Complex) -> Chains:
    """The vectors of the states that belong to each mode."""
    displacements: list[Array] = []
    velocities: list[Array] = []
    blocks: list[Array] = []
    of_state: list[int] = []
    for k, (value, x) in enumerate(zip(values, vectors.T, strict=True)):
        if value == 0:
            displacement, velocity, block = _rigid(pencil, x.real)
        elif value.imag == 0:
            displacement, velocity, block = [x.real], [value.real * x.real], np.array([[value.real]])
        else:
            a, b = value.real, value.imag
            displacement, velocity = ([v.real - a / b * v.imag, v.imag / b] for v in (x, value * x))
            block = np.array([[0.0, 1.0], [-(abs(value) ** 2), 2 * a]])
        displacements += displacement
        velocities += velocity
        blocks.append(block)
        of_state += [k] * len(displacement)
    return Chains(np.column_stack(displacements), np.column_stack(velocities), block_diag(*blocks), of_state)


def _rigid(pencil: Pencil, x: Array) -> tuple[list[Array], list[Array], Array]:
    """(x, 0) and (p, x), or (x, 0) alone where the motion is damped."""
    drag, mass = abs(float(x @ (pencil.rates @ x))), float(x @ (pencil.mass @ x))
    if drag > DAMPING_TOLERANCE / SLOW_RATIO * pencil.slow * mass:
        return [x], [np.zeros_like(x)], np.zeros((1, 1))
    p = pencil.slow_response(-(pencil.rates @ x))
    p -= x * float(x @ (pencil.mass @ p)) / mass
    return [x, p], [np.zeros_like(x), x], np.array([[0.0, 1.0], [0.0, 0.0]])


def _static_remainder(
    pencil: Pencil, right: Chains, left: tuple[Array, Array, Array], forces: Array, b: Array
) -> Array:
    """(r, m) y under constant inputs, minus its part in the retained modes."""
    upper, lower, norm = left
    # part of the input (0, F) outside the retained modes
    first, second = -right.displacement @ b, forces - pencil.mass @ (right.velocity @ b)
    y = pencil.slow_response(second + pencil.slow * (pencil.mass @ first) + pencil.rates @ first)
    velocity = pencil.slow * y - first
    part = np.linalg.solve(norm, upper.T @ y + lower.T @ (pencil.mass @ velocity))
    return np.asarray(y - right.displacement @ part)
