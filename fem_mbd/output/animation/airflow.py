"""Colours of blades by their airflow: values at aerodynamic stations, linear along a blade, at its beams' Gauss points.

A scene has quantities at Gauss points for the colours of beams; with these functions also thrust, angle of attack and
relative speed of blades. Stations are not tied to elements, some of which have none. The range of colours is that of
the outer three quarters of the blades: angles of attack of round roots are large and mean little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.output import outputs_from
from fem_mbd.output.animation.solids import packed

OUTPUT, PART = "airflow", "aerodynamic load"
# quantity: unit in the page and factor to it
SHOWN = {"thrust": ("N/m", 1.0), "angle_of_attack": ("deg", 180.0 / np.pi), "speed": ("m/s", 1.0)}
SCALED_FROM = 0.25  # of the elements of a blade, from its root


def shown_columns(model: Mapping[str, Any], flow: Array) -> Array:
    """(…, stations, 3) the quantities of `SHOWN`, in their units.

    Parameters
    ----------
    model : description stored with a run
    flow : (…, stations, numbers) of its output
    """
    output = outputs_from(model["outputs"])[OUTPUT]
    by_name = {quantity.name: quantity for quantity in output.quantities}
    columns = [flow[..., output.columns(by_name[name])] * factor for name, (_, factor) in SHOWN.items()]
    return np.concatenate(columns, axis=-1)


def airflow_sections(
    model: Mapping[str, Any], values: Array, tubes: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Quantities by which blades can be coloured; gives their tubes the rows of these quantities.

    Parameters
    ----------
    model : description stored with a run
    values : (k, stations, 3) of `shown_columns`, at k times
    tubes : of the scene
    """
    of_blades: list[Array] = []
    for elements in _blades(model):
        beams = [_tube_of(element, tubes) for element in elements]
        if None not in beams:
            of_blades.append(
                _at_gauss_points(model, elements, values, beams, sum(f.shape[1] for f in of_blades))
            )
    if not of_blades:
        return []
    rows = np.concatenate(of_blades, axis=1)
    outer = np.concatenate([f[:, int(SCALED_FROM * f.shape[1]) :] for f in of_blades], axis=1)
    sections = [
        {
            "title": name, "unit": unit, "output": OUTPUT, "column": k, "width": len(SHOWN), "rows": rows.shape[1],
            "low": float(outer[..., k].min()), "high": float(outer[..., k].max()),
        }
        for k, (name, (unit, _)) in enumerate(SHOWN.items())
    ]  # fmt: skip
    sections[-1]["data"] = packed(rows)
    return sections


def _blades(model: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    """Aerodynamic elements of each blade that turns, from its root."""
    blades: dict[str, list[dict[str, Any]]] = {}
    for part in model["parts"].get(PART, []):
        if part["rotor"]:
            blades.setdefault(part["name"], []).append(part)
    return [sorted(parts, key=lambda part: int(part["element"])) for parts in blades.values()]


def _tube_of(element: Mapping[str, Any], tubes: Sequence[dict[str, Any]]) -> Any:
    """The tube of the beam's element that an aerodynamic element loads; None for a rigid blade."""
    return next((tube for tube in tubes if tube["nodes"] == element["nodes"]), None)


def _at_gauss_points(
    model: Mapping[str, Any],
    elements: Sequence[Mapping[str, Any]],
    values: Array,
    tubes: Sequence[dict[str, Any]],
    first: int,
) -> Array:
    """(k, points, 3) values of one blade; tubes get their first row, counted from ``first``."""
    places: list[float] = []  # of stations, element by element: 0 to 1 in the first one
    points: list[float] = []
    rows: list[int] = []
    beams = {tuple(part["nodes"]): part for part in model["parts"]["beam"]}
    for k, (element, tube) in enumerate(zip(elements, tubes, strict=True)):
        begin, count = element["rows"].get(OUTPUT, (0, 0))
        places += [k + 0.5 * (1.0 + x) for x in element["stations_at"]]
        rows += range(begin, begin + count)
        tube["rows"][OUTPUT] = first + len(points)
        points += [k + 0.5 * (1.0 + x) for x in beams[tuple(tube["nodes"])]["gauss_at"]]
    right = np.clip(np.searchsorted(places, points), 1, len(places) - 1)
    x, at = np.array(points), np.array(places)
    share = np.clip((x - at[right - 1]) / (at[right] - at[right - 1]), 0.0, 1.0)[:, None]
    return np.asarray((1.0 - share) * values[:, rows][:, right - 1] + share * values[:, rows][:, right])
