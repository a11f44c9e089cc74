"""What a user is told when a friction law is given to a contact: that it can give energy away, or does not fit."""

from __future__ import annotations

import sys
from typing import Any

from fem_mbd.friction.passivity import warn_if_active
from fem_mbd.friction.validity import warn_of_setting

BUILDING = ("fem_mbd.joints", "fem_mbd.model.model")  # modules through which a part is added to a model


def tell_of_friction(law: Any, what: str, slip_turns: bool) -> None:
    """Warnings about ``law`` in ``what`` ("contact 'pad'"), called by a part's ``build``; they point at ``Model.add``.

    slip_turns: whether slip can take more than one direction of the tangent plane there.
    """
    level = _levels_to_the_user()
    warn_if_active(law, what, level)
    if slip_turns:
        warn_of_setting(law, what, level)


def _levels_to_the_user() -> int:
    """``stacklevel``, counted from the caller of this function, of the first frame that is not part of building."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(BUILDING):
        frame, level = frame.f_back, level + 1
    return level
