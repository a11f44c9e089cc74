"""A body on six springs with dampers, on which every kind of part is tried, and the small force that moves it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import fem_mbd as fm
from fem_mbd.base.arrays import Array
from fem_mbd.elements import Force, RigidBody, SpringDamper

DIRECTION = np.array([1.0, 0.7, -0.4])  # of the force
ARM = 0.15  # m, of the springs' points on the body
DURATION = 0.1  # s, of a run: half a period or more
Add = Callable[[fm.Model, Any], Any]


@dataclass(frozen=True)
class Kind:
    """How a kind of part is tried.

    Attributes
    ----------
    add : puts the part between the ground and the body
    steps : of a run of `DURATION`, which resolve the part's own motions
    friction : whether friction at rest acts in statics
    gradients : whether its steps have derivatives
    """

    add: Add
    steps: int = 100
    friction: bool = False
    gradients: bool = True


def framed(kind: Kind, push: float = 0.0, gravity: float = -9.81) -> fm.Model:
    """The body "body", its springs, the part, and a force of ``push`` (N) times `DIRECTION` at the body's node."""
    model = fm.Model(gravity=(0, 0, gravity))
    body = model.add(RigidBody(2.0, (0.02, 0.025, 0.03), (0, 0, 0), centre=(0.02, 0.01, -0.01), name="body"))
    for axis in range(3):
        for sign in (-1.0, 1.0):
            at = sign * ARM * np.eye(3)[(axis + 1) % 3]
            to = at + sign * np.eye(3)[axis]
            stiffness = 700.0 + 60.0 * axis + 30.0 * sign
            model.add(SpringDamper(model.ground.at(to), body.node.at(at), stiffness, 2.0 + 0.3 * axis))
    kind.add(model, body)
    model.add(Force(body.node, push * DIRECTION))
    return model


def motion(result: fm.Result, start: Any, times: Array) -> Array:
    """(times, 6) displacement (m) and rotation (rad) of the body since the start."""
    view = result.of("body").at(times)
    turn = np.einsum("tij,kj->tik", view.rotation_matrix, start.rotation_matrix)
    small = 0.5 * np.stack(
        [turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], axis=1
    )
    return np.concatenate([view.position - start.position, small], axis=1)
