"""Outlines of cross-sections for drawings: corner points (k, 2) in m, y2 and y3 in section axes."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError

CORNERS = 24  # of the polygon that approximates a circle or an ellipse
_ANGLES = np.linspace(0.0, 2.0 * np.pi, CORNERS, endpoint=False)
_CIRCLE = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])


class Sectional(Protocol):
    """Properties of `Section` from which an outline is derived."""

    @property
    def stiffness(self) -> Any: ...

    @property
    def mass_per_length(self) -> float: ...

    @property
    def inertia(self) -> Any: ...

    @property
    def mass_centre(self) -> Any: ...

    @property
    def outline(self) -> Any: ...


def check_outline(outline: ArrayLike | None) -> Array | None:
    """The given corners as an array; InputError unless they are three or more finite points."""
    if outline is None:
        return None
    corners = np.asarray(outline, dtype=float)
    if corners.ndim != 2 or corners.shape[1] != 2 or len(corners) < 3 or not np.isfinite(corners).all():
        raise InputError(
            f"Section outline has shape {corners.shape}: give three corner points (y2, y3) or more, in m, all finite"
        )
    return corners


def ellipse(half_2: float, half_3: float, centre: ArrayLike = (0.0, 0.0)) -> Array:
    """(24, 2) points of an ellipse by its half axes (m)."""
    return np.asarray(centre) + np.array([half_2, half_3]) * _CIRCLE


def rectangle(width: float, height: float) -> Array:
    """(4, 2) corners, ``width`` along axis 2 and ``height`` along axis 3."""
    return 0.5 * np.array([[width, height], [-width, height], [-width, -height], [width, -height]])


def i_beam(width: float, height: float, flange: float, web: float) -> Array:
    """(12, 2) corners of an I, sizes as for `Section.i_beam`."""
    w, h, t, f = 0.5 * width, 0.5 * height, 0.5 * web, 0.5 * height - flange
    left = [(-w, h), (-w, f), (-t, f), (-t, -f), (-w, -f), (-w, -h)]
    return np.array([*left, *((-x, -y) for x, y in left)])


def outline_of(section: Sectional) -> Array:
    """The outline given with the section, or the solid ellipse that has its radii of gyration.

    The radii follow from the rotary inertia, or where this is neglected from bending over axial stiffness. The half
    axes of a solid ellipse are twice its radii of gyration.
    """
    if section.outline is not None:
        return np.asarray(section.outline)
    squares = np.array([section.inertia[2, 2], section.inertia[1, 1]]) / section.mass_per_length
    if np.any(squares <= 0.0):
        squares = np.array([section.stiffness[5, 5], section.stiffness[4, 4]]) / section.stiffness[0, 0]
    half = 2.0 * np.sqrt(squares)
    return ellipse(float(half[0]), float(half[1]), section.mass_centre)
