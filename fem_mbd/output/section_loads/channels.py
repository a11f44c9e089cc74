"""Section loads of a run or of an equilibrium, by channel, from the load stations of its model.

Conventions and formula: `fem_mbd.elements.LoadStation`. The recorded elastic part of the stress resultants is used:
a vibration of damping ratio zeta has in addition a viscous part of 2 zeta of its amplitude, a quarter of
a period ahead, which would change the amplitude by 2 zeta^2 only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.suggestions import nearest
from fem_mbd.errors import InputError

if TYPE_CHECKING:
    from fem_mbd.analysis.statics.equilibrium import Equilibrium

UNITS = ("N", "N", "N", "N m", "N m", "N m")


def channel_units(model: Mapping[str, Any]) -> dict[str, str]:
    """Units of all channels by name.

    Parameters
    ----------
    model : description by `System.describe()`

    Raises
    ------
    InputError
        When the model has no load stations.
    """
    stations = model.get("load_stations", [])
    if not stations:
        raise InputError(
            f"model '{model['name']}' has no load stations: machines created by `assemble` have them; to "
            "your own beams add LoadStation(beam, at, channels)"
        )
    return {name: unit for s in stations for name, unit in zip(s["channels"], UNITS, strict=True)}


def channel_values(
    of: Callable[[Any], Any], model: Mapping[str, Any], names: Iterable[str] | None = None
) -> dict[str, Array]:
    """Values of channels by name, (m,) of a history, () of one state, N or N m.

    Parameters
    ----------
    of : function for the view of a part, such as `Result.of`
    model : description by `System.describe()`
    names : of the channels; by default all

    Raises
    ------
    InputError
        When there is no such channel; the message suggests the nearest name.
    """
    known = channel_units(model)
    requested = list(known if names is None else names)
    for name in requested:
        if name not in known:
            raise InputError(f"there is no load channel '{name}': {nearest(name, known)}")
    values_by_name: dict[str, Array] = {}
    beams: dict[str, Any] = {}
    for station in model["load_stations"]:
        if set(station["channels"]) & set(requested):
            beam = beams.setdefault(station["beam"], of(station["beam"]))
            values = _station(of, model, station, beam)
            values_by_name |= {name: values[..., k] for k, name in enumerate(station["channels"])}
    return {name: values_by_name[name] for name in requested}


def loads_of_state(state: Equilibrium, *names: str) -> dict[str, float]:
    """Load channels of an equilibrium by name; `Equilibrium.loads`.

    Parameters
    ----------
    state : of a model with load stations
    names : of the channels; by default all
    """
    values = channel_values(state.of, state.forces.system.describe(), names or None)
    return {name: float(value) for name, value in values.items()}


def _station(of: Callable[[Any], Any], model: Mapping[str, Any], station: Any, beam: Any) -> Array:
    """(…, 6) forces and moments at a station, in its axes."""
    section = beam.section_force(at=station["at"])
    halves = section.reshape(*section.shape[:-1], 2, 3)
    components = np.einsum("ij,...hj->...hi", np.array(station["from_section"]), halves)
    if "frame_node" in station:
        nodes = model["nodes"]
        section_node, frame_node = (of(nodes[station[key]]["name"]) for key in ("section_node", "frame_node"))
        axes = frame_node.rotation_matrix @ np.array(station["frame"])
        components = np.einsum("...ji,...jk,...hk->...hi", axes, section_node.rotation_matrix, components)
    return np.asarray(components.reshape(section.shape))
