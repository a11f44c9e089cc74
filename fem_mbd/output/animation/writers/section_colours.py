"""Colours of beams by a section force or strain at one time, with the colour scale of the page.

The scale is that of the whole run: symmetric about zero in blue, white and red where both signs occur, viridis where
only one occurs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.dependencies import need
from fem_mbd.base.suggestions import nearest
from fem_mbd.errors import InputError
from fem_mbd.output.animation.writers.motion import unpacked


class SectionColours:
    """Colours of every beam's rings.

    Parameters
    ----------
    scene : with section forces or strains
    name : of the quantity, as listed in the page, e.g. "M2"
    time : s; the nearest recorded time is used

    Attributes
    ----------
    time : s, that recorded time

    Raises
    ------
    InputError
        For a quantity that the run did not record; the message suggests the nearest name.
    MissingDependency
        Without matplotlib, which provides the colours.
    """

    def __init__(self, scene: Mapping[str, Any], name: str, time: float) -> None:
        need("matplotlib")
        known = {section["title"]: section for section in scene["sections"]}
        if name not in known:
            raise InputError(f"colour {name!r}: the beams have no such quantity; {nearest(name, known)}")
        self._about = about = known[name]
        data = next(s["data"] for s in scene["sections"] if s["output"] == about["output"] and "data" in s)
        values = unpacked(data).reshape(len(scene["times"]), about["rows"], about["width"])
        instant = int(np.argmin(np.abs(np.array(scene["times"]) - time)))
        self.time = float(scene["times"][instant])
        self._values = values[instant, :, about["column"]]

    def of_rings(self, tube: Mapping[str, Any]) -> Array | None:
        """(rings, 3) red, green, blue from 0 to 1 of the display; None for a beam without the quantity."""
        first = tube["rows"].get(self._about["output"])
        if first is None:
            return None
        weights = np.array(tube["section"])
        from matplotlib import colormaps

        values = weights @ self._values[first : first + weights.shape[1]]
        low, high = self._about["low"], self._about["high"]
        if low < 0.0 < high:
            high = max(-low, high)
            low, colours = -high, colormaps["coolwarm"]
        else:
            colours = colormaps["viridis"]
        return np.asarray(colours((values - low) / ((high - low) or 1.0))[:, :3])
