"""Systems with one degree of freedom for tests of laws, integrated by the package's scheme.

Time-discontinuous Galerkin, P1: unknowns v_g and d = (v_f - v_j)/2, v_f = v_g + d, v_j = v_g - d. Friction
is constant over the step and acts on the mean equation only. Newton's tangent is computed by complex steps of the law.
"""

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import float64, int64, matrix, record, several, vector
from fem_mbd.friction.records import FRICTION_LAW
from fem_mbd.friction.tangential import friction_force

LAW = record(FRICTION_LAW)
MAX_ITERATIONS = 60
TINY = 1e-30


@kernel(several(int64, int64)(LAW, float64, float64, vector, float64, float64, int64, matrix))
def run_mass(law, mass, spring, pull, f_n, dt, steps, history):
    """Mass on a spring whose far end moves at ``pull`` (m/s), or under the forces ``pull`` (N) when ``spring`` is 0.

    history (steps, 5): position, velocity at t_f, bristle 1 at t_f, spring force at t_f, dissipation of the
    step. pull (steps,). Starts at rest, unloaded. Returns (Newton iterations, steps that did not converge).
    """
    x, r = np.zeros(2, np.complex128), np.zeros(2, np.complex128)
    mu, s = np.zeros(3, np.complex128), np.zeros(3, np.complex128)
    z, z_f = np.zeros((1, 3), np.complex128), np.zeros((1, 3), np.complex128)
    jacobian, now = np.zeros((2, 2)), np.zeros(3)  # now: velocity, elongation, position
    change = np.zeros(2)
    iterations, failures = 0, 0
    for i in range(steps):
        system = mass, spring, pull[i], f_n, dt
        done, loss = _mass_step(law, system, now, z, (x, r, mu, s, z_f, jacobian, change))
        iterations += abs(done)
        failures += done < 0
        history[i, 0], history[i, 1], history[i, 2] = now[2], now[0], z[0, 0].real
        history[i, 3], history[i, 4] = spring * now[1], loss
    return iterations, failures


@kernel(float64(LAW, float64, float64, float64, float64, float64, vector, matrix))
def run_mass_step(law, mass, spring, pull, f_n, dt, now, z):
    """One step of ``run_mass``: changes now (velocity, elongation, position) and the state z (nz, 3) of the contact.

    Returns the mean coefficient of friction along the motion, nan where Newton's method failed.
    """
    x, r = np.zeros(2, np.complex128), np.zeros(2, np.complex128)
    mu, s = np.zeros(3, np.complex128), np.zeros(3, np.complex128)
    z_i, z_f = np.zeros(z.shape, np.complex128), np.zeros(z.shape, np.complex128)
    jacobian, change = np.zeros((2, 2)), np.zeros(2)
    for j in range(z.shape[0]):
        for k in range(3):
            z_i[j, k] = z[j, k]
    system = mass, spring, pull, f_n, dt
    done, _ = _mass_step(law, system, now, z_i, (x, r, mu, s, z_f, jacobian, change))
    for j in range(z.shape[0]):
        for k in range(3):
            z[j, k] = z_i[j, k].real
    return mu[0].real if done > 0 else np.nan


@kernel
def _mass_step(law, system, now, z, room):
    """Newton's method for one step. Returns iterations, negative without convergence, and the loss in J."""
    (x, r, _, _, z_f, jacobian, change), dt = room, system[4]
    x[0], x[1] = now[0], 0.0
    done = -MAX_ITERATIONS
    for i in range(MAX_ITERATIONS):
        for c in range(2):
            x[c] += TINY * 1j
            _mass_residual(law, system, now, x, z, room)
            jacobian[0, c], jacobian[1, c] = r[0].imag / TINY, r[1].imag / TINY
            x[c] = x[c].real
        _solve(jacobian, r, change)
        x[0] -= change[0]
        x[1] -= change[1]
        if abs(change[0]) + abs(change[1]) <= 1e-13 * (abs(x[0]) + abs(x[1])) + 1e-18:
            done = i + 1
            break
    loss, elongation = _mass_residual(law, system, now, x, z, room)
    now[0], now[1], now[2] = (x[0] + x[1]).real, elongation.real, now[2] + dt * x[0].real
    for j in range(z.shape[0]):
        for k in range(3):
            z[j, k] = z_f[j, k].real
    return done, loss.real


@kernel
def _solve(a, r, x):
    """Two equations by Cramer's rule: LAPACK would take seconds to compile against."""
    determinant = a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]
    x[0] = (a[1, 1] * r[0].real - a[0, 1] * r[1].real) / determinant
    x[1] = (a[0, 0] * r[1].real - a[1, 0] * r[0].real) / determinant


@kernel
def _mass_residual(law, system, now, x, z, room):
    (mass, spring, pull, f_n, dt), (_, r, mu, s, z_f, _, _) = system, room
    v_f, v_j = x[0] + x[1], x[0] - x[1]
    load = pull + 0.0j
    e_f = now[1] + 0.0j
    e_j = now[1] + 0.0j
    if spring > 0.0:
        change = dt * (pull - x[0])
        e_f = now[1] + change
        e_j = now[1] + (change - dt * (pull - v_f)) / 3.0
        load = 0.5 * spring * (e_j + e_f)
    s[0] = dt * x[0]
    loss = friction_force(law, s, z, f_n + 0.0 * x[0], f_n, dt, mu, z_f)
    r[0] = mass * (v_f - now[0]) + dt * (f_n * mu[0] - load)
    r[1] = mass * (v_j - now[0]) + dt * spring * (e_f - e_j) / 6.0
    return loss, e_f
