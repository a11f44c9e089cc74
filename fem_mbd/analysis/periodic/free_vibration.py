"""`nonlinear_mode`: undamped free vibrations that start as a mode of the linear model.

They form a family; their frequency over amplitude is the backbone of a response curve. The scheme dissipates a little
energy in every step (third order), so that no free vibration repeats itself exactly. Velocities are therefore
multiplied by 1 + gain after a period, with the gain as an unknown; it measures the dissipation, and tends to zero with
the third power of the step size. Source: M. Peeters, R. Viguie, G. Serandour, G. Kerschen, J.-C. Golinval, Nonlinear
normal modes, part II, Mechanical Systems and Signal Processing 23 (2009) 195; the unknown that makes the equations
regular: F. J. Munoz-Almaraz et al., Physica D 181 (2003) 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fem_mbd.analysis.modal.linear_model import linearise_at
from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.analysis.periodic.family import Direction, Family, predicted
from fem_mbd.analysis.periodic.newton import solve
from fem_mbd.analysis.periodic.orbit import Orbit
from fem_mbd.analysis.periodic.problem import Point, Problem, model_builder
from fem_mbd.analysis.periodic.shooting import PERIOD, Shooting
from fem_mbd.analysis.statics.equilibrium import find_equilibrium
from fem_mbd.base.arrays import Array
from fem_mbd.base.blas_threads import one_blas_thread
from fem_mbd.base.validation import finite, positive, whole_number
from fem_mbd.core.newton.newton_options import NewtonOptions
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.errors import InputError

MAX_GAIN = 0.02  # what time integration may lose in a period
RIGID_MOTIONS = 6  # of a free structure


def nonlinear_mode(
    build: Any,
    values: Mapping[str, float] | None = None,
    *,
    mode: int = 1,
    amplitude: float,
    steps: int = 200,
    segments: int = 1,
    newton: NewtonOptions | None = None,
) -> Orbit:
    """A free vibration near a mode of the linear model, at the equilibrium.

    Parameters
    ----------
    build : a Model without damping and drivers, or what makes one from the values of parameters
    values : of the parameters by name
    mode : its number among those of `fem_mbd.modes`, from the lowest frequency on; motions without stiffness do not
        count
    amplitude : m, of the mass centre that moves furthest along an axis, as the linear mode has it: small at first,
        from where `fem_mbd.continuation` leads to larger ones
    steps, segments, newton : as of `periodic`

    Raises
    ------
    InputError
        For invalid arguments; a model without so many modes, with damping, or with drivers.
    fem_mbd.analysis.periodic.newton.LostOrbit
        When Newton's method does not converge.
    """
    make, _ = model_builder(build)
    own = {name: finite(value, f"nonlinear_mode: {name}") for name, value in (values or {}).items()}
    positive(amplitude, "nonlinear_mode: amplitude (m)")
    whole_number(steps, "nonlinear_mode: steps", 4)
    whole_number(segments, "nonlinear_mode: segments")
    with one_blas_thread():
        model = make(own)
        system, state = System(model), find_equilibrium(model).state
        omega, shape = _mode(system, state, whole_number(mode, "nonlinear_mode: mode"))
        problem = Problem(make, None, 0.0, int(steps), int(segments), omega, newton, free=True)
        problem.check_drivers(own, 2.0 * np.pi / omega)
        shooting, family = Shooting(problem), Family(PERIOD, 1.0, free=True)
        rest = shooting.evaluate(Point((state,) * segments, own, 2.0 * np.pi / omega))
        direction = _direction(rest, shape, omega, family)
        point = predicted(shooting, family, direction, amplitude)
        found = Orbit(problem, solve(shooting, point, family.at(direction, amplitude)))
    if abs(found.gain) > MAX_GAIN:
        raise InputError(
            f"nonlinear_mode: the motion loses {100.0 * found.gain:.2g} % of its velocities in a period: leave "
            "dampers, material damping and friction out, or take more steps"
        )
    return found


def _direction(rest: Any, shape: Array, omega: float, family: Family) -> Direction:
    """Velocities of the mode as it passes the equilibrium, and what it does until the later segments begin."""
    y = []
    for space, arc in zip(rest.spaces, rest.arcs, strict=True):
        phase = omega * arc.start.time
        y.append(space.coordinates(np.sin(phase) * shape, omega * np.cos(phase) * shape))
    both = np.array(y)
    return Direction(rest, both, dict.fromkeys(family.names, 0.0), 1.0).normed(family.lead)


def _mode(system: System, state: State, number: int) -> tuple[float, Array]:
    """Frequency (rad/s) and motions (6 n,) of a mode of `fem_mbd.modes`, the largest displacement along an axis 1 m."""
    linear, _ = linearise_at(system, state, None)
    # motions without stiffness, of which there may be any number, come first
    asked, elastic = number, np.zeros(0, dtype=np.int64)
    while len(elastic) < number and asked < 2 * (linear.freedoms + number):
        asked = 2 * asked + RIGID_MOTIONS
        found = modes_of(linear, asked, undamped=True)
        elastic = np.flatnonzero(found.eigenvalues.imag > 0.0)
    if number > len(elastic):
        raise InputError(f"nonlinear_mode: the model has {len(elastic)} modes with stiffness, not {number}")
    chosen = elastic[number - 1]
    motion = np.zeros(6 * system.work.n)
    motion[~system.held.ravel()] = linear.basis @ found.vectors[:, chosen].real
    largest = np.abs(motion.reshape(-1, 6)[:, :3]).max()
    if not largest > 0.0:
        raise InputError(f"nonlinear_mode: no mass centre moves in mode {number}: choose another one")
    return float(found.eigenvalues[chosen].imag), motion / largest
