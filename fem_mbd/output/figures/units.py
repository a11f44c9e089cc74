"""SI prefixes of axis labels: 25000 N are drawn in kN and 0.045 s in ms, without powers of ten at the axis."""

from __future__ import annotations

import re
from math import floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}
UNITS = ("m", "s", "N", "J", "W", "Hz", "Pa", "N m", "m/s", "m/s²")  # units that take a prefix
LABEL = re.compile(r"^(?P<name>.*) \[(?P<unit>[^\]]+)\]$")
SMALLEST, LARGEST = 0.1, 1000.0  # numbers from the first up to the second need no prefix


def prefix_axes(figure: Figure) -> None:
    """Give every linear axis whose label ends in a unit of `UNITS` the prefix suitable for its range."""
    for ax in figure.axes:
        # length axes of a picture that is to scale keep one unit for both directions
        if ax.get_aspect() == "auto":
            for axis in (ax.xaxis, ax.yaxis):
                _prefix(axis)


def _prefix(axis: Axis) -> None:
    found = LABEL.match(axis.get_label_text())
    if found is None or found["unit"] not in UNITS or axis.get_scale() != "linear":
        return
    power = prefix_power(max(abs(limit) for limit in axis.get_view_interval()))
    if power == 0:
        return
    from matplotlib.ticker import FuncFormatter

    factor = 10.0**-power
    axis.set_label_text(f"{found['name']} [{PREFIXES[power]}{found['unit']}]")
    axis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value * factor:g}".replace("-", "\N{MINUS SIGN}"))
    )


def prefix_power(size: float) -> int:
    """Power of ten, a multiple of three, that brings ``size`` between 1 and 1000; 0 for numbers that need none."""
    if size == 0.0 or SMALLEST <= size < LARGEST:
        return 0
    return min(max(3 * floor(log10(size) / 3), min(PREFIXES)), max(PREFIXES))
