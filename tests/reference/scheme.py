"""The scheme a second time, in numpy alone: dense, slow, and with nothing of the package in it.

It follows theory.md, sections 1 to 4. Unknowns of a node X = (a, b, c, e), equations times dt, Newton with the
derivative by complex step. In the derivative the stresses are the linearly extrapolated ones of the previous iterate
(section 6), a product rule: real part extrapolated, imaginary part the derivative. Leading axes of X are the columns of
the derivative.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.reference.parts import Beam, Joint

H = 1e-40
SLOW = 0.3  # an update over the one before
EYE = np.eye(3)
Load = Callable[[Any, Any], tuple[Any, Any]]


def skew(a: Any) -> Any:
    """(..., 3, 3) matrices of the cross product."""
    x, y, z = np.moveaxis(a, -1, 0)
    o = 0 * x
    return np.stack([o, -z, y, z, o, -x, -y, x, o], -1).reshape(*x.shape, 3, 3)


def cayley(t: Any) -> Any:
    """(..., 3, 3) rotations of (..., 3)."""
    s = skew(t)
    return EYE + (s + s @ s / 2) / (1 + (t * t).sum(-1) / 4)[..., None, None]


def mu(b: Any) -> Any:
    """(...) of (..., 3): (tan(h)/h - 1)/s with s = |b|^2 and h = |b|/2, by its series where s is small."""
    s = (b * b).sum(-1)
    large = abs(s) > 1e-2
    h = np.sqrt(np.where(large, s, 1.0)) / 2
    series = 1 / 12 + s * (1 / 120 + s * (17 / 20160 + s * (31 / 362880 + s * (691 / 79833600))))
    return np.where(large, (np.tan(h) / h - 1) / np.where(large, s, 1.0), series)


def on_axes(forces: Any) -> Any:
    """Sum over a of e_a x forces[..., a, :]."""
    return np.cross(EYE, forces).sum(-2)


@dataclass
class Program:
    """Bodies with mass, inertia about the mass centre (node axes), place of the mass centre and rotation; their parts.

    load(t_i, t_f) gives w(t_i), w(t_f) and dt w'(t_f) of a force on `loaded`, global axes, and likewise of a moment
    fixed in space: (2, 3, 3).
    """

    mass: Any
    inertia: Any
    u: Any
    r: Any
    beams: Sequence[Beam] = ()
    joints: Sequence[Joint] = ()
    fixed: Sequence[int] = ()
    gravity: Any = field(default_factory=lambda: np.zeros(3))
    load: Callable[[float, float], Any] | None = None
    loaded: int = 0

    def __post_init__(self) -> None:
        n = len(self.mass)
        self.v, self.omega = np.zeros((n, 3)), np.zeros((n, 3))
        self.t, self.lost = 0.0, 0.0
        free = np.ones((n, 12), bool)
        free[list(self.fixed)] = False
        self.rows = sum(len(joint.h) for joint in self.joints)
        self.free = np.concatenate([free.ravel(), np.ones(2 * self.rows, bool)])
        self.multipliers = np.zeros(2 * self.rows)
        q = self.vectors(self.u, self.r)
        for beam in self.beams:
            z = self.picked(beam, q)
            beam.set_axis(z)
            beam.rest = -beam.strains(beam.measures(z))

    # -- configuration --------------------------------------------------------------------------------------

    @staticmethod
    def vectors(u: Any, r: Any) -> Any:
        """q (..., n, 4, 3)."""
        return np.concatenate([u[..., None, :], np.swapaxes(r, -1, -2)], axis=-2)

    @staticmethod
    def picked(part: Beam | Joint, q: Any, fixed: float = 1.0) -> Any:
        """z of the part's points; of a rate (fixed = 0) the fixed vectors of joints are zero."""
        if isinstance(part, Beam):
            flat = q[..., : part.nodes.max() + 1, :, :]
            return part.pick @ flat.reshape(*q.shape[:-3], 1, -1, 3)
        still = np.broadcast_to(fixed * EYE, (*q.shape[:-3], 3, 3))
        return np.concatenate([q[..., part.k, :, :], q[..., part.l, :, :], still], axis=-2)

    @staticmethod
    def spread(part: Beam | Joint, force: Any, out: Any) -> None:
        """Add the forces on z to those on q."""
        if isinstance(part, Beam):
            count = part.nodes.max() + 1
            on_q = (np.swapaxes(part.pick, -1, -2) @ force).sum(-3)
            out[..., :count, :, :] += on_q.reshape(*on_q.shape[:-2], count, 4, 3)
        else:
            out[..., part.k, :, :] += force[..., :4, :]
            out[..., part.l, :, :] += force[..., 4:8, :]

    def end(self, x: Any) -> tuple[Any, Any, Any]:
        """q_f, p and R_f at the unknowns x (..., n, 12)."""
        a, b, c, e = (x[..., k : k + 3] for k in (0, 3, 6, 9))
        r_f = self.r @ cayley(
            (1 + mu(b) * (b * b).sum(-1))[..., None] * b + 2 * mu(b)[..., None] * np.cross(b, e)
        )
        return self.vectors(self.u + a, r_f), self.vectors(a + c, r_f @ skew(b + e)), r_f

    # -- equations ------------------------------------------------------------------------------------------

    def equations(self, y: Any, dt: float, extrapolated: Any = None) -> tuple[Any, list[Any], Any]:
        """Rows (..., size), stresses of the beams and what the beams' jumps take of the energy."""
        n = len(self.mass)
        x = y[..., : 12 * n].reshape(*y.shape[:-1], n, 12)
        q_i = self.vectors(self.u, self.r)
        q_f, p, r_f = self.end(x)
        on_m, on_f = np.zeros_like(q_f), np.zeros_like(q_f)
        conditions, stresses, lost, first = [], [], 0.0, 12 * n
        parts: list[Beam | Joint] = [*self.beams, *self.joints]
        for part in parts:
            z_i, z_f, z_p = (self.picked(part, q, k) for q, k in ((q_i, 1.0), (q_f, 1.0), (p, 0.0)))
            y_p = part.form(z_f, z_p)
            if isinstance(part, Beam):
                y_i, y_f = part.measures(z_i), part.measures(z_f)
                eps_i, eps_f = part.strains(y_i) + part.rest, part.strains(y_f) + part.rest
                eps_p = part.strain_rates(y_f, y_p)
                jump = (eps_f - eps_i - eps_p) / 3
                s_g, s_d = (np.einsum("gij,...gj->...gi", part.c, e) for e in
                            ((eps_i + jump + eps_f) / 2, (eps_f - eps_i - jump) / 2))  # fmt: skip
                stresses.append(np.stack([s_g, s_d], axis=-1))
                lost = lost + 0.5 * np.einsum("...gi,gij,...gj->...", jump, part.c, jump)
                if extrapolated is not None:
                    kept = extrapolated[len(stresses) - 1]
                    s_g, s_d = kept[..., 0] + 1j * s_g.imag, kept[..., 1] + 1j * s_d.imag
                s_g, s_d = part.on_measures(y_i, y_f, y_p, s_g, s_d)
            else:
                m = len(part.h)
                s_g, s_d = y[..., first : first + m], y[..., first + m : first + 2 * m]
                conditions += [part.form(z_f, z_f) / 2, y_p]
                first += 2 * m
            z_mean = (z_i + z_f) / 2
            self.spread(part, part.force(z_mean - z_p / 6, s_g) - part.force(z_mean, s_d) / 3, on_m)
            self.spread(part, part.force(z_f, s_d) / 3 + part.force(z_f - z_i, s_g) / 6, on_f)
        rows = self.inertia_rows(x, dt) + dt * dt * self.pulled_back(x, r_f, on_m, on_f)
        if self.load is not None:
            rows[..., self.loaded, :] -= dt * dt * self.load_rows(x, r_f, dt)
        flat = rows.reshape(*y.shape[:-1], 12 * n)
        return np.concatenate([flat, *conditions], axis=-1), stresses, lost

    def inertia_rows(self, x: Any, dt: float) -> Any:
        """Momentum of the nodes (..., n, 12) and gravity (section 3)."""
        a, b, c, e = (x[..., k : k + 3] for k in (0, 3, 6, 9))
        m = self.mass[:, None]
        jb, je, jw = (np.einsum("nij,...nj->...ni", self.inertia, w) for w in (b, e, dt * self.omega))
        return np.concatenate([
            m * (a + c - dt * self.v) - dt * dt * m * self.gravity,
            jb + je - jw + np.cross(b, jb) + np.cross(e, je) / 3,
            -m * (a - c - dt * self.v),
            -(jb - je - jw) + (np.cross(b, je) + np.cross(e, jb)) / 3,
        ], axis=-1)  # fmt: skip

    def pulled_back(self, x: Any, r_f: Any, on_m: Any, on_f: Any) -> Any:
        """W_m^T Q_m + W_f^T Q_f (..., n, 12)."""
        m = mu(x[..., 3:6])[..., None, None]
        b, e = skew(x[..., 3:6]), skew(x[..., 9:12])
        inside_m = on_m[..., 1:, :] @ (0.5 * (self.r + r_f))  # rows: Rbar^T Q_a
        turn = on_axes(on_f[..., 1:, :] @ r_f)
        with_b = on_axes(inside_m @ np.swapaxes(EYE - m * (b @ b) + 2 * m * e, -1, -2))
        with_e = on_axes(inside_m @ np.swapaxes(-2 * m * b, -1, -2))
        return np.concatenate(
            [on_m[..., 0, :] + on_f[..., 0, :], with_b + turn, on_f[..., 0, :], with_e + turn], axis=-1
        )

    def load_rows(self, x: Any, r_f: Any, dt: float) -> Any:
        """w_g and w_s/3 of the force and of the moment, seen from the node (section 4)."""
        assert self.load is not None
        k = self.loaded
        force, moment = self.load(self.t, self.t + dt)
        turn = x[..., k, 3:6] + x[..., k, 9:12]
        m_f = moment[1] @ r_f[..., k, :, :]
        own = moment[0] @ self.r[k], m_f, moment[2] @ r_f[..., k, :, :] - np.cross(turn, m_f)
        (f_g, f_s), (m_g, m_s) = (
            (w[0] / 3 + 2 * w[1] / 3 - w[2] / 6, (w[1] - w[0]) / 2) for w in (force, own)
        )
        f_g, f_s = (np.broadcast_to(f, m_g.shape) for f in (f_g, f_s))
        return np.concatenate([f_g, m_g, f_s / 3, m_s / 3], axis=-1)

    # -- a step ---------------------------------------------------------------------------------------------

    def step(self, dt: float, tolerance: float = 1e-12) -> None:
        """Advance by dt; RuntimeError when Newton's method does not converge in 60 iterations.

        The derivative is evaluated again where an update is not much smaller than the one before.
        """
        n, free = len(self.mass), np.flatnonzero(self.free)
        start = np.concatenate([dt * self.v, dt * self.omega, np.zeros((n, 6))], axis=1)
        y = np.where(self.free, np.concatenate([start.ravel(), self.multipliers]), 0.0)
        columns = 1j * H * np.eye(len(y))[free]
        _, stresses, _ = self.equations(np.zeros_like(y), dt)  # without motion: those at t_i
        last, slow = np.inf, True
        for _ in range(60):
            rows, found, _ = self.equations(y, dt)
            if slow:
                derived, moved, _ = self.equations(y + columns, dt, stresses)
                inverse = np.linalg.inv(derived[:, free].T.imag / H)
            update = -inverse @ rows[free]
            y[free] += update
            stresses = [
                s + np.einsum("c,c...->...", update, c.imag / H)
                for s, c in zip(found, moved, strict=True)
            ]  # fmt: skip
            size = np.abs(update[: len(free) - 2 * self.rows]).max()
            if size < tolerance:
                break
            last, slow = size, size > SLOW * last
        else:
            raise RuntimeError(f"no convergence at t = {self.t}")
        self._accept(y, dt)

    def _accept(self, y: Any, dt: float) -> None:
        n = len(self.mass)
        x = y[: 12 * n].reshape(n, 12)
        jump_v = (x[:, :3] - x[:, 6:9]) / dt - self.v
        jump_w = (x[:, 3:6] - x[:, 9:12]) / dt - self.omega
        self.lost += self.equations(y, dt)[2] + self.kinetic(jump_v, jump_w)
        self.r = self.end(x)[2]
        self.u = self.u + x[:, :3]
        self.v, self.omega = (x[:, :3] + x[:, 6:9]) / dt, (x[:, 3:6] + x[:, 9:12]) / dt
        self.multipliers, self.t = y[12 * n :], self.t + dt

    def kinetic(self, v: Any, omega: Any) -> float:
        """Kinetic energy of velocities (n, 3)."""
        return 0.5 * float(self.mass @ (v * v).sum(1) + np.einsum("ni,nij,nj", omega, self.inertia, omega))

    def energy(self) -> float:
        """Kinetic and elastic energy."""
        q, total = self.vectors(self.u, self.r), self.kinetic(self.v, self.omega)
        for beam in self.beams:
            z = self.picked(beam, q)
            eps = beam.strains(beam.measures(z)) + beam.rest
            total += 0.5 * float(np.einsum("gi,gij,gj", eps, beam.c, eps))
        return total
