"""Load channels of a run or of an equilibrium: histories, extremes, spectra, damage-equivalent loads, and their figure.

Channels are section loads at the load stations of a model. Conventions and formula: `fem_mbd.elements.LoadStation`. The
recorded elastic part of the stress resultants is used: a vibration of damping ratio zeta has in addition a viscous part
of 2 zeta of its amplitude, a quarter of a period ahead, which would change the amplitude by 2 zeta^2 only.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.errors import InputError
from fem_mbd.output.figures.plots import COLOURS, new_figure, save, styled
from fem_mbd.output.section_loads.fatigue import count_ranges, damage_equivalent_load, power_spectral_density
from fem_mbd.output.section_loads.rotor_channels import channels, of_a_station, rotors
from fem_mbd.runs.results.views.states import optional_library

if TYPE_CHECKING:
    from fem_mbd.analysis.statics.equilibrium import Equilibrium
    from fem_mbd.runs.results.result import Result


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
    in_wind = {name: unit for rotor in rotors(_nothing, model) for name, unit in rotor.units.items()}
    if not stations and not in_wind:
        raise InputError(
            f"model '{model['name']}' has no load stations: machines created by `assemble` have them; to "
            "your own beams add LoadStation(beam, at, channels)"
        )
    return {name: unit for s in stations for name, unit in zip(s["channels"], UNITS, strict=True)} | in_wind


def _nothing(part: Any) -> None:
    """Stands for the views of parts where only names are asked for."""


def channel_values(
    of: Callable[[Any], Any], model: Mapping[str, Any], names: Iterable[str] | None = None
) -> dict[str, Array]:
    """Values of channels by name, (m,) of a history, () of one state, N or N m.

    Parameters
    ----------
    of : function for the view of a part, such as `Result.of`
    model : description by `System.describe()`
    names : of the channels; by default all but those of single stations of rotors in wind

    Raises
    ------
    InputError
        When there is no such channel; the message suggests the nearest name.
    """
    known = channel_units(model)
    requested = [name for name in known if not of_a_station(name)] if names is None else list(names)
    for name in requested:
        if name not in known:
            raise InputError(f"there is no load channel '{name}': {nearest(name, known)}")
    values_by_name: dict[str, Array] = {}
    beams: dict[str, Any] = {}
    in_wind = channels(rotors(of, model))
    values_by_name |= {name: in_wind[name].value(name) for name in requested if name in in_wind}
    for station in model.get("load_stations", []):
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


EXPONENTS = (4.0, 10.0)  # steel; glass fibre
DEFAULT_CHANNELS = ("RootMxb1", "RootMyb1", "RotThrust", "RotTorq", "TwrBsMxt", "TwrBsMyt")
MAX_CHANNELS = 12  # largest number of channels in a figure
HEIGHT = 1.7  # inches per channel
ROUND_OFF = 1e-14  # fraction of the largest density: smaller values are round-off


class UnknownChannel(InputError, KeyError):
    """An unknown channel; also a KeyError, as `Mapping.get` expects."""

    __str__ = Exception.__str__


@dataclass(frozen=True, eq=False)
class Loads(Mapping[str, Array]):
    """Load channels of a run: `loads["RootMyb1"]` is a history (m,).

    Attributes
    ----------
    time : (m,) s
    channels : name to (m,), N or N m
    units : name to unit
    """

    time: Array
    channels: Mapping[str, Array]
    units: Mapping[str, str]

    def __getitem__(self, name: str) -> Array:
        if name not in self.channels:
            raise UnknownChannel(f"there is no load channel '{name}': {nearest(name, self.channels)}")
        return self.channels[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.channels)

    def __len__(self) -> int:
        return len(self.channels)

    def spectrum(self, name: str, segments: int = 4) -> tuple[Array, Array]:
        """Power spectral density, see `fem_mbd.output.section_loads.fatigue`.

        Parameters
        ----------
        name : of the channel
        segments : into which the history is divided

        Returns
        -------
        tuple of Array
            Frequencies, Hz, and N^2/Hz or (N m)^2/Hz.
        """
        return power_spectral_density(self.time, self[name], segments)

    def ranges(self, name: str) -> np.ndarray:
        """Ranges counted by rainflow, see `fem_mbd.output.section_loads.fatigue.count_ranges`.

        Parameters
        ----------
        name : of the channel
        """
        return count_ranges(self[name])

    def table(self, exponents: Sequence[float] = EXPONENTS, frequency: float = 1.0) -> list[dict[str, Any]]:
        """A row for each channel: extremes with their times (s), mean, standard deviation, damage-equivalent loads.

        Parameters
        ----------
        exponents : m of the S-N curves
        frequency : Hz, of repetition of damage-equivalent loads

        Raises
        ------
        InputError
            For exponents or a frequency that are not positive, or fewer than two recorded times.
        """
        if len(self.time) < 2:
            raise InputError(f"loads: {len(self.time)} times are recorded: a history needs at least two")
        return [self._row(name, exponents, frequency) for name in self]

    def _row(self, name: str, exponents: Sequence[float], frequency: float) -> dict[str, Any]:
        y, t = self[name], self.time
        dt = np.diff(t)
        duration = float(t[-1] - t[0])
        mean = float(0.5 * (y[1:] + y[:-1]) @ dt / duration)
        deviation = (y - mean) ** 2
        low, high = int(np.argmin(y)), int(np.argmax(y))
        row: dict[str, Any] = {"channel": name, "unit": self.units[name]}
        row |= {"min": float(y[low]), "time of min [s]": float(t[low])}
        row |= {"max": float(y[high]), "time of max [s]": float(t[high]), "mean": mean}
        row["std"] = float(np.sqrt(0.5 * (deviation[1:] + deviation[:-1]) @ dt / duration))
        for m in exponents:
            title = f"DEL m={m:g} at {frequency:g} Hz"
            row[title] = damage_equivalent_load(y, duration, m, frequency)
        return row

    def plot(self, path: str | Path, names: Sequence[str] = ()) -> Path:
        """Draw histories, spectra and counted ranges; returns the PNG file.

        Parameters
        ----------
        path : of the file
        names : of the channels; by default the most usual ones
        """
        return draw_loads(self, Path(path), names)

    def to_csv(self, folder: str | Path, **options: Any) -> list[Path]:
        """Write `loads.csv`, the histories, and `loads_table.csv`, the table; returns the files.

        Parameters
        ----------
        folder : created if necessary
        options : of `Loads.table`
        """
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        files = [target / "loads.csv", target / "loads_table.csv"]
        titles = ["time [s]", *(f"{name} [{self.units[name]}]" for name in self)]
        columns = np.column_stack([self.time, *self.values()])
        _write(files[0], [titles, *columns.tolist()])
        rows = self.table(**options)
        _write(files[1], [list(rows[0]), *(list(row.values()) for row in rows)])
        return files

    def to_pandas(self) -> Any:
        """Histories as a pandas table, indexed by the time (s)."""
        pandas = optional_library("pandas", "loads as a table")
        index = pandas.Index(self.time, name="time [s]")
        return pandas.DataFrame({f"{name} [{self.units[name]}]": self[name] for name in self}, index=index)


def section_loads(result: Result, *names: str, after: float | None = None) -> Loads:
    """The load channels of a run; `Result.loads`.

    Parameters
    ----------
    result : of a model with load stations
    names : of the channels; by default all
    after : s, earlier times are left out

    Raises
    ------
    InputError
        When there is no such channel or no station at all, or nothing is recorded after that time.
    """
    units = channel_units(result.model)
    selected = np.ones(len(result.output_time), bool) if after is None else result.output_time > after
    if not selected.any():
        raise InputError("loads: nothing is recorded" + ("" if after is None else f" after {after:g} s"))
    values = channel_values(result.of, result.model, names or None)
    channels = {name: value[selected] for name, value in values.items()}
    return Loads(result.output_time[selected], channels, {name: units[name] for name in channels})


def _write(path: Path, rows: Sequence[Sequence[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def draw_loads(loads: Loads, path: Path, names: Sequence[str] = ()) -> Path:
    """Draw channels one below the other and return the file.

    Parameters
    ----------
    loads : of a run
    path : of the PNG file
    names : of the channels; by default the most usual ones, or the first ones. At most 12 are drawn
    """
    drawn_channels = (
        list(names)
        or [name for name in DEFAULT_CHANNELS if name in loads]
        or list(loads)[: len(DEFAULT_CHANNELS)]
    )
    drawn_channels = drawn_channels[:MAX_CHANNELS]
    with styled():
        figure, axes = new_figure(
            len(drawn_channels), 3, width=10.0, height=HEIGHT * len(drawn_channels) + 0.6, share_x=False
        )
        for row, name in zip(axes, drawn_channels, strict=True):
            unit, colour = loads.units[name], COLOURS[0]
            row[0].plot(loads.time, loads[name], color=colour)
            row[0].set_ylabel(f"{name} [{unit}]")
            frequency, density = loads.spectrum(name)
            drawn = density > ROUND_OFF * density.max()
            row[1].semilogy(frequency[drawn], density[drawn], color=colour)
            row[1].set_ylabel(f"density [{f'({unit})' if ' ' in unit else unit}²/Hz]")
            ranges = loads.ranges(name)
            if len(ranges):
                exceedances = np.cumsum(ranges["count"][::-1])
                row[2].step(exceedances, ranges["range"][::-1], where="post", color=colour)
                row[2].set_xscale("log")
            row[2].set_ylabel(f"range [{unit}]")
        for ax, label in zip(
            axes[-1], ("time [s]", "frequency [Hz]", "cycles of this range or more"), strict=True
        ):
            ax.set_xlabel(label)
        return save(figure, path)
