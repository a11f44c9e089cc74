"""Checks of a contact: its laws, with warnings of those that may generate energy, and its depth at the start.

Contact laws are for indentations that are small compared with the bodies, and a static equilibrium, from which runs
often start, has no others unless the law is very soft. So a start is refused when the indentation is above a tenth of
the body's size and, at the same time, the contact force would be above a hundred times the weight of the model: such a
force is not balanced by the model, it throws the bodies apart. The two numbers are rough estimates. A deeper start of a
contact under such a load can be given to a run as the state of an equilibrium (``initial``).
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.friction.normal.dispatch import normal_force
from fem_mbd.friction.records import FRICTION_LAW, NORMAL_LAW
from fem_mbd.friction.validity import warn_if_active, warn_of_turning_slip

MAX_AXIS_SINE = 0.1  # least sine of the angle between the axis of a directed law and the normal
# modules through which a part is added to a model
BUILDING = ("fem_mbd.joints", "fem_mbd.core.model.model", "fem_mbd.base.arguments")
MAX_DEPTH_RATIO = 0.1  # indentation over the size of the body
MAX_LOAD_RATIO = 100.0  # contact force over the weight of the model
GRAVITY = 9.81  # m/s2, for the comparison of forces, also for models without gravity


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
    if law["directed"] and np.linalg.norm(np.cross(axis, normal)) < MAX_AXIS_SINE * np.linalg.norm(axis):
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


def check_depths(specs: Any, gaps: Array, mass: float) -> None:
    """Refuse contacts that start too deep.

    Parameters
    ----------
    specs : the contacts, as `ContactSpec`
    gaps : (n,) m, in the reference configuration
    mass : kg, of the whole model

    Raises
    ------
    InputError
        With the contact's name and the depth.
    """
    positions = np.array([point.position for spec in specs for point in (spec.k, spec.l)])
    extent = float(np.linalg.norm(np.ptp(positions, axis=0)))
    if mass == 0.0:  # all bodies are fixed or have prescribed motion
        return
    for spec, gap in zip(specs, gaps, strict=True):
        radii = [float(r) for r in (spec.geometry.radius_k, spec.geometry.radius_l) if r > 0.0]
        depth, size = -float(gap), min(radii, default=extent)
        if depth <= MAX_DEPTH_RATIO * size:
            continue
        force = float(normal_force(spec.normal.record()[()], -depth, -depth, 1.0)[0])
        if force > MAX_LOAD_RATIO * mass * GRAVITY:
            raise InputError(
                f"contact '{spec.name}' starts with an indentation of {depth:.4g} m and a force of {force:.3g} N, "
                f"more than {MAX_LOAD_RATIO:g} times the weight of the model: move the bodies apart "
                "(a direction that points into the material, or a gap taken for a depth, does this too)"
            )
