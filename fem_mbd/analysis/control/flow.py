"""States of inflow, dynamic stall and Maxwell chains, and the wind, in state spaces.

With x = Z y + p u the motion of all unknowns (`motion`), w the states of the parts and V the change of the wind's speed
(`fem_mbd.core.model.internal_states`),

    M x'' + C x' + K x + F w + f V = F_u u        w' = A w + B x + C_w x' + a V

The states of the model are those of y and w. "wind.speed" is the speed of a wind that is the same over the rotor, along
its axis, in m/s.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.analysis.control.inputs import Inputs
from fem_mbd.analysis.control.motion import Motion
from fem_mbd.analysis.modal.linear_model import LinearModel
from fem_mbd.analysis.rotors.weight import shaft_motion
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError

WIND = "wind.speed"
FREE = 1e-9  # fraction of a rotation of the rotor that joints hold


def with_wind(given: Inputs, linear: LinearModel) -> Inputs:
    """Inputs with the speed of the wind after them.

    Parameters
    ----------
    given : the other inputs
    linear : the model

    Raises
    ------
    InputError
        For a model without aerodynamic loads with states.
    """
    if linear.internal is None or linear.internal.relaxing:
        raise InputError(
            f"state_space: '{WIND}' is an input of machines in wind with inflow or stall that has states"
        )
    n = len(given.loads)
    force = -linear.internal.wind_force[:, None]
    return replace(
        given, names=(*given.names, WIND), units=(*given.units, "m/s"), loads=np.hstack([given.loads, force]),
        motions=np.concatenate([given.motions, np.zeros((3, n, 1))], axis=2), values=np.append(given.values, 0.0),
    )  # fmt: skip


def free_rotation(linear: LinearModel, axis: Spin | None) -> Array | None:
    """(n,) the rotation of a rotor about its free shaft, None where it is held, or there is none.

    Parameters
    ----------
    linear : the model
    axis : of the rotor, with its nodes; None for a structure without one
    """
    if axis is None:
        return None
    whole = shaft_motion(linear, axis)
    held = np.abs(linear.constraints @ whole).max(initial=0.0) > FREE * np.abs(whole).max()
    return None if held else whole


def without_rotation(given: Inputs, rotation: Array | None) -> Inputs:
    """Inputs whose prescribed motions do not turn the rotor: the free shaft turns by the states.

    Parameters
    ----------
    given : the inputs
    rotation : of `free_rotation`
    """
    if rotation is None:
        return given
    share = np.einsum("i,kim->km", rotation, given.motions) / (rotation @ rotation)
    return replace(given, motions=given.motions - rotation[:, None] * share[:, None, :])


def without_azimuth(stiffness: Array, linear: LinearModel, rotation: Array | None) -> Array:
    """A reduced stiffness (r, r) that does not resist the rotation of a rotor in wind along its free shaft.

    Derivatives at fixed states of the flow are those over a short step, and cancel to some 1e-5 of the loads that the
    states carry. Over minutes the rest would drive the azimuth.

    Parameters
    ----------
    stiffness : (r, r)
    linear : the model
    rotation : of `free_rotation`
    """
    if rotation is None:
        return stiffness
    reduced = np.asarray(np.linalg.lstsq(linear.basis.toarray(), rotation, rcond=None)[0])
    return np.asarray(stiffness - np.outer(stiffness @ reduced, reduced) / (reduced @ reduced))


def with_states_of_flow(motion: Motion, linear: LinearModel, given: Inputs) -> Motion:
    """The motion with the states of flow and chains after its own.

    Parameters
    ----------
    motion : whose inputs are those given, then the states of the flow
    linear : the model, with states
    given : m inputs
    """
    own = linear.internal
    assert own is not None
    m, basis = len(given.names), csr_matrix(linear.basis)
    by_place, by_rate = (matrix @ basis for matrix in (own.by_position, own.by_velocity))
    z, u, w = (
        by_place @ part[0] + by_rate @ part[1]
        for part in (motion.states, motion.inputs[:, :, :m], motion.inputs[:, :, m:])
    )
    u = u + own.by_position @ given.motions[0] + own.by_velocity @ given.motions[1]
    u[:, [name == WIND for name in given.names]] += own.by_wind[:, None]
    a = np.block([[motion.a, motion.b[:, m:]], [z, own.own.toarray() + w]])
    b = np.concatenate([motion.b[:, :m], u])
    return Motion(
        a, b, np.concatenate([motion.states, motion.inputs[:, :, m:]], axis=2), motion.inputs[:, :, :m]
    )
