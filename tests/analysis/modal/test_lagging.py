"""Modes with internal states against all eigenvalues of the whole first-order system, and their limit at rest."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from fem_mbd.analysis.modal.linear_model import LinearModel, inertial_matrices
from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.analysis.rotors.multiblade import MultiBlade, in_fixed_axes
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.base.arrays import Complex
from fem_mbd.cases._blades import DATA
from fem_mbd.machines import read_machine, with_elements
from fem_mbd.machines.aerodynamic_loads import aerodynamics_of
from fem_mbd.machines.aeroelastic import AeroelasticFamily

WIND, SPEED = 9.0, 1.05  # m/s, rad/s
SHIFT = 1.0  # 1/s


@cache
def rotating() -> tuple[LinearModel, MultiBlade]:
    """The NREL 5 MW turbine with two elements a blade and eight stations, with dynamic inflow and dynamic stall."""
    machine = with_elements(read_machine(DATA / "nrel5mw" / "NREL_5MW.fst"), 2)
    machine = replace(machine, aerodynamics=replace(aerodynamics_of(machine), stations=8))
    return AeroelasticFamily(machine, [WIND], 0.0, SPEED).rotating(WIND)


def whole(linear: LinearModel) -> Complex:
    """(2 r + k,) all eigenvalues of displacements, velocities and states."""
    states, z = linear.internal, linear.basis
    assert states is not None
    k, c, m = (
        linear.reduced(one).toarray()
        for one in (linear.stiffness, linear.gyroscopic + linear.damping, linear.mass)
    )
    f, b, v = (
        (z.T @ states.force).toarray(),
        (states.by_position @ z).toarray(),
        (states.by_velocity @ z).toarray(),
    )
    n, size = len(k), len(states)
    top = np.concatenate([np.zeros((n, n)), np.eye(n), np.zeros((n, size))], axis=1)
    bottom = np.concatenate([b, v, states.own.toarray()], axis=1)
    pencil = np.concatenate([top, -np.concatenate([k, c, f], axis=1), bottom])
    inertia = np.eye(len(pencil))
    inertia[n : 2 * n, n : 2 * n] = m
    # the inverse, so that stiff motions do not hide slow ones
    inverse: Any = np.linalg.eigvals(np.linalg.solve(pencil - SHIFT * inertia, inertia))
    return np.asarray(SHIFT + 1.0 / inverse[np.abs(inverse) > 1e-9], dtype=np.complex128)


def test_modes_are_eigenvalues_of_the_whole_system() -> None:
    linear = in_fixed_axes(*rotating())
    assert linear.internal is not None
    assert len(linear.internal) > 100
    modes = modes_of(linear, 12)
    assert len(modes) >= 10
    everything = whole(linear)
    vibrations = modes.eigenvalues[modes.eigenvalues != 0]
    gaps = np.abs(vibrations[:, None] - everything).min(axis=1)
    assert np.all(gaps < 1e-5 * np.abs(vibrations))
    # no vibration of low damping is missing below the highest one; lags of the inflow lie at the speed of the rotor
    light = everything[(everything.imag > 1.1 * SPEED) & (-everything.real < 0.1 * np.abs(everything))]
    light = light[np.abs(light) < 0.95 * np.abs(vibrations).max()]
    assert len(light) >= 5
    assert np.abs(light[:, None] - vibrations).min(axis=1).max() < 1e-4 * np.abs(vibrations).max()


def test_slow_motions_have_the_quasi_steady_stiffness() -> None:
    """K - F A^-1 B is the derivative of the loads in an infinite step, over which inflow and stall are steady."""
    linear, blades = rotating()
    states = linear.internal
    assert states is not None
    slow = linear.stiffness - states.force @ np.linalg.solve(
        states.own.toarray(), states.by_position.toarray()
    )
    _, centrifugal = inertial_matrices(linear.system, linear.state, blades.spin)
    forces = StaticForces(linear.system, linear.state.time, friction=True)
    static = forces.stiffness(linear.state)[: forces.n, : forces.n] + centrifugal
    loads = next(kind for kind in linear.system.kinds if kind.has_states)
    of_loads = forces.stiffness(linear.state, kinds=[loads])[: forces.n, : forces.n]
    scale = abs(of_loads).max()
    assert scale > 0.0
    assert np.abs(np.asarray(slow - static)).max() < 1e-4 * scale
