"""Reference solution: the pendulum as an ordinary differential equation, solved by SciPy, independent of the scheme.

phi is the angle from the downward vertical, z the deflection of the hinge's two loaded surfaces, which are equal
here (radial only: the axial force and the bending moment vanish). With the reaction N from Newton's law along and
across the arm, which contains phi'' and so the friction torque T itself:

    (I + m l^2) phi'' = -m g l sin(phi) - T,      T = r_p N (sigma_0 z + sigma_1 z') + c phi'
    N^2 = m^2 [(l phi'' + g sin(phi))^2 + (l phi'^2 + g cos(phi))^2]

solved for phi'' by Newton's method at every evaluation. c is sigma_2 times the sum of the squared radii of the
included surfaces.
"""

from __future__ import annotations

from math import cos, exp, sin, sqrt

import numpy as np
from scipy.integrate import solve_ivp

from fem_mbd.base.arrays import Array
from fem_mbd.cases.pendulum_friction.model import Parameters

TOLERANCE = 1e-9


def angle_at(p: Parameters, times: Array) -> Array:
    """(k,) rad at the times (s), for a pendulum without preload and with all loads and effects included."""
    squares = 3 * p.pin_radius**2 + p.friction_arm**2  # radial, bending, preload at the pin; axial at its arm
    drag, total = p.viscous_effects * squares, p.inertia + p.mass * p.length**2

    def rates(_: float, y: Array) -> list[float]:
        phi, omega, z = y
        slip = p.pin_radius * omega
        excess = p.mu_static - p.mu_dynamic
        g = p.mu_dynamic + excess * exp(-min((slip / p.transition_velocity) ** 2, 700.0))
        z_rate = slip - p.bristle_stiffness * abs(slip) * z / g
        arm = p.pin_radius * (p.bristle_stiffness * z + p.damping_effects * z_rate)
        along = p.length * omega**2 + p.gravity * cos(phi)
        torque = -p.mass * p.gravity * p.length * sin(phi) - drag * omega
        acceleration = torque / total
        for _ in range(50):
            across = p.length * acceleration + p.gravity * sin(phi)
            normal = p.mass * sqrt(across**2 + along**2)
            miss = total * acceleration - torque + arm * normal
            slope = total + arm * p.mass**2 * across * p.length / normal
            acceleration -= miss / slope
            if abs(miss) < 1e-13:
                break
        return [omega, acceleration, z_rate]

    start = [0.5 * np.pi, 0.0, 0.0]
    scale = [1e-10, 1e-9, 1e-14]
    found = solve_ivp(
        rates, (0.0, float(times[-1])), start, method="Radau", t_eval=times, rtol=TOLERANCE, atol=scale
    )
    return np.asarray(found.y[0])
