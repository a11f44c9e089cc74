"""Checks of the normal and friction law given to a contact, with warnings of laws that may generate energy."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.friction.passivity import warn_if_active
from fem_mbd.friction.records import FRICTION_LAW, NORMAL_LAW
from fem_mbd.friction.validity import warn_of_turning_slip

STEEPEST = 0.1  # sine of the angle between the axis of a directed law and the normal
BUILDING = (
    "fem_mbd.joints",
    "fem_mbd.core.model.model",
    "fem_mbd.base.arguments",
)  # modules through which a part is added to a model


def check_laws(normal: object, friction: object, what: str) -> None:
    """Raise InputError unless the objects are a normal and a friction law; ``what`` names the contact."""
    for law, role, dtype in ((normal, "normal", NORMAL_LAW), (friction, "friction", FRICTION_LAW)):
        if isinstance(law, type) or not hasattr(law, "record") or law.record().dtype != dtype:
            raise InputError(
                f"{what}: {role} is {law!r}, which is no {role} law: give one of fem_mbd.friction, with its parameters"
            )


def check_axis(law: Any, name: str, normal: Array) -> None:
    """InputError when the axis of a directed friction law is normal to the tangent plane of contact ``name``."""
    axis = law["axis"]
    if law["directed"] and np.linalg.norm(np.cross(axis, normal)) < STEEPEST * np.linalg.norm(axis):
        raise InputError(
            f"contact '{name}': the friction's axis {axis.tolist()} is normal to the tangent plane: give one that lies "
            "in it, global axes of the reference configuration"
        )


def warn_about_friction(law: Any, what: str, slip_turns: bool) -> None:
    """Issue warnings about ``law`` in ``what`` ("contact 'pad'"), from a part's ``build``; they refer to ``Model.add``.

    slip_turns: whether slip can take more than one direction of the tangent plane there.
    """
    level = _levels_to_the_user()
    warn_if_active(law, what, level)
    if slip_turns:
        warn_of_turning_slip(law, what, level)


def _levels_to_the_user() -> int:
    """``stacklevel``, counted from the caller of this function, of the first frame outside of model building."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(BUILDING):
        frame, level = frame.f_back, level + 1
    return level
