"""Results of a kinematic analysis: motions of bodies, and singular positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.suggestions import nearest
from fem_mbd.core.scheme.state import State
from fem_mbd.errors import InputError


@dataclass(frozen=True)
class SingularPosition:
    """A position in which the drivers do not determine the motion (a dead centre, a change point).

    Attributes
    ----------
    time : s; interpolated between two times
    body : body that can move most there with the drivers held
    """

    time: float
    body: str


@dataclass(frozen=True)
class BodyMotion:
    """Motion of one body at k times; nan where it is undetermined in a singular position.

    Attributes
    ----------
    position : (k, 3) m, of the body's node, global axes
    rotation : (k, 3, 3) body axes to global axes
    velocity, acceleration : (k, 3) m/s, m/s^2, of the body's node, global axes
    omega, angular_acceleration : (k, 3) rad/s, rad/s^2, body axes
    """

    position: Array
    rotation: Array
    velocity: Array
    omega: Array
    acceleration: Array
    angular_acceleration: Array

    @classmethod
    def of(cls, states: Sequence[State], rates: Sequence[Array], node: int, centre: Array) -> BodyMotion:
        """From states, whose positions are those of the mass centre.

        Parameters
        ----------
        states, rates : k states, and (n, 6) accelerations of mass centres and of rotations (body axes)
        node : index of the body's node
        centre : (3,) mass centre relative to the node, body axes
        """
        r = np.array([s.r[node] for s in states])
        omega, alpha = np.array([s.omega[node] for s in states]), np.array([a[node, 3:] for a in rates])
        arm_rate = np.cross(omega, centre)
        arm_acceleration = np.cross(alpha, centre) + np.cross(omega, arm_rate)
        return cls(
            np.array([s.u[node] for s in states]) - r @ centre,
            r,
            np.array([s.v[node] for s in states]) - np.einsum("kij,kj->ki", r, arm_rate),
            omega,
            np.array([a[node, :3] for a in rates]) - np.einsum("kij,kj->ki", r, arm_acceleration),
            alpha,
        )


@dataclass(frozen=True)
class Kinematics:
    """Result of `kinematic_analysis`.

    Attributes
    ----------
    time : (k,) s
    bodies : `BodyMotion` by name
    singular : `SingularPosition`, in order of time
    """

    time: Array
    bodies: Mapping[str, BodyMotion]
    singular: tuple[SingularPosition, ...]

    def of(self, body: str) -> BodyMotion:
        """Motion of a body.

        Parameters
        ----------
        body : its name

        Raises
        ------
        InputError
            For an unknown name.
        """
        if body not in self.bodies:
            raise InputError(f"kinematics: there is no body {body!r}; {nearest(body, list(self.bodies))}")
        return self.bodies[body]
