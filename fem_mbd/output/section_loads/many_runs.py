"""Load channels over many runs: extremes over all of them, and lifetime damage-equivalent loads.

Runs are given by a folder (`results.h5` below it, and OpenFAST's `.outb`), or by a table of design load cases: a CSV
file with the column `file`, and optionally `hours` (duration of the case in the machine's life), `factor` (partial
safety factor on its extremes) and `case` (its name). With D_i the damage-equivalent
load of run i, S-N exponent m and w_i its hours (equal for all by default), the lifetime load is

    D = (sum_i w_i D_i^m / sum_i w_i)^(1/m)

at the same frequency: D_i is the range that, repeated at that frequency, does the damage of run i in its own time.

Runs of this package have N and N m, OpenFAST's files kN and kN-m: all are converted to N, N m and W by the units in the
files. A channel without a unit, or with an unknown one, is refused, as are runs that give it in different units.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.errors import InputError
from fem_mbd.output.export.outb import read_outb
from fem_mbd.output.section_loads.loads import EXPONENTS, Loads, section_loads
from fem_mbd.runs.results.hdf5.layout import RESULTS_NAME
from fem_mbd.runs.results.result import Result

COLUMNS = ("file", "hours", "factor", "case")
WEIGHTS = ("hours", "factor")
MAX_RUNS = 100_000  # number of runs
# units in files, without blanks, hyphens and dots between letters: unit of the table and factor
_PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6}
UNITS = {
    f"{prefix}{unit.replace(' ', '')}": (unit, factor)
    for prefix, factor in _PREFIXES.items()
    for unit in ("N", "N m", "W")
} | {
    unit: (unit, 1.0)
    for unit in "- m m/s m/s^2 m/s² s sec deg deg/s deg/s^2 rad rad/s rad/s^2 rpm rpm/s Hz N/m kN/m Pa kPa".split()
}


@dataclass(frozen=True)
class LoadCase:
    """One run of several.

    Attributes
    ----------
    file : `results.h5` or `.outb`
    hours : weight in the lifetime
    factor : of its extremes
    name : shown in tables
    """

    file: Path
    hours: float = 1.0
    factor: float = 1.0
    name: str = ""


@dataclass(frozen=True, eq=False)
class RunsOfLoads:
    """Loads of many runs, which are read one after the other.

    Attributes
    ----------
    cases : the runs
    rows : a row for each channel: extremes with the run and the time, lifetime damage-equivalent loads
    single : a row for each run and channel, as `Loads.table`
    """

    cases: tuple[LoadCase, ...]
    rows: tuple[dict[str, Any], ...]
    single: tuple[dict[str, Any], ...]

    def to_csv(self, folder: str | Path) -> list[Path]:
        """Write `loads_all.csv`, the table over all runs, and `loads_runs.csv`, a row for each run and channel.

        Parameters
        ----------
        folder : created if necessary
        """
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        files = []
        for name, rows in (("loads_all.csv", self.rows), ("loads_runs.csv", self.single)):
            with (place / name).open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
            files.append(place / name)
        return files


def cases_of(place: str | Path) -> tuple[LoadCase, ...]:
    """The runs of a folder or of a table of design load cases.

    Parameters
    ----------
    place : folder, or CSV file with the column `file` (from the table's own folder)

    Raises
    ------
    InputError
        For a folder without runs, and for tables without files or with invalid numbers; the message names the line.
    """
    path = Path(place)
    if path.is_dir():
        files = sorted([*path.rglob(RESULTS_NAME), *path.rglob("*.outb")])
        if not files:
            raise InputError(f"loads: below folder '{path}' there is no {RESULTS_NAME} and no .outb file")
        return tuple(LoadCase(file, name=_name(file, path)) for file in files[:MAX_RUNS])
    return _table(path)


def _name(file: Path, folder: Path) -> str:
    run = file.parent if file.name == RESULTS_NAME else file
    return str(run.relative_to(folder))


def _table(path: Path) -> tuple[LoadCase, ...]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.DictReader(stream, skipinitialspace=True)
            rows = [(reader.line_num, row) for row in reader]
            heading = [name.strip() for name in reader.fieldnames or []]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"table of load cases '{path}' cannot be read: {error}") from error
    unknown = [name for name in heading if name not in COLUMNS]
    if "file" not in heading or unknown:
        raise InputError(
            f"{path}: its columns are {', '.join(heading) or 'none'}; required is file, permitted are "
            f"{', '.join(COLUMNS[1:])}"
        )
    cases = []
    for line, row in rows:
        entries = {str(key).strip(): (value or "").strip() for key, value in row.items() if key is not None}
        numbers = {name: _number(entries.get(name, ""), f"{path}, line {line}: {name}") for name in WEIGHTS}
        file = Path(path.parent, entries["file"])
        file = file / RESULTS_NAME if file.is_dir() else file
        if not entries["file"] or not file.is_file():
            raise InputError(f"{path}, line {line}: there is no run at '{entries['file']}'")
        cases.append(
            LoadCase(file, numbers["hours"], numbers["factor"], entries.get("case") or entries["file"])
        )
    if not cases:
        raise InputError(f"{path}: it has no rows")
    return tuple(cases)


def _number(text: str, what: str) -> float:
    if not text:
        return 1.0
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0.0 < number < np.inf:
        raise InputError(f"{what} is '{text}': give a positive number")
    return number


def loads_of_runs(
    place: str | Path | Sequence[LoadCase],
    *names: str,
    after: float | None = None,
    exponents: Sequence[float] = EXPONENTS,
    frequency: float = 1.0,
) -> RunsOfLoads:
    """Extremes and damage-equivalent loads over many runs.

    Parameters
    ----------
    place : folder, table of design load cases (CSV), or the cases themselves
    names : of the channels; by default all channels of the first run. Forces and moments are in N and N m
    after : s, earlier times of each run are left out
    exponents : m of the S-N curves
    frequency : Hz, of repetition of damage-equivalent loads

    Raises
    ------
    InputError
        For runs that cannot be read or lack a channel, channels without a known unit, or in different units; the
        message says which.
    """
    cases = cases_of(place) if isinstance(place, str | Path) else tuple(place)
    single: list[dict[str, Any]] = []
    for case, loads in _read_loads(cases, names, after):
        single += [
            {"case": case.name, "file": str(case.file)} | row for row in loads.table(exponents, frequency)
        ]
    titles = {f"DEL m={m:g} at {frequency:g} Hz": m for m in exponents}
    rows_of: dict[str, list[dict[str, Any]]] = {}
    for row in single:
        rows_of.setdefault(row["channel"], []).append(row)
    table = [_channel_statistics(rows, cases, titles) for rows in rows_of.values()]
    return RunsOfLoads(cases, tuple(table), tuple(single))


def _read_loads(
    cases: Sequence[LoadCase], names: Sequence[str], after: float | None
) -> Iterator[tuple[LoadCase, Loads]]:
    units: dict[str, str] = {}  # of the first run
    for case in cases:
        loads = (
            _of_outb(case.file, after) if case.file.suffix == ".outb" else _of_run(case.file, names, after)
        )
        missing = [name for name in names if name not in loads.channels]
        if missing:
            raise InputError(f"{case.file}: it has no channel '{missing[0]}'")
        names = names or list(loads)
        chosen = _in_units_of_the_table(loads, names, case.file)
        units = units or dict(chosen.units)
        for name in names:
            if chosen.units[name] != units[name]:
                raise InputError(
                    f"{case.file}: channel '{name}' is in {chosen.units[name]}, in {cases[0].file} in {units[name]}: "
                    "give it in the same unit in all runs"
                )
        yield case, chosen


def _in_units_of_the_table(loads: Loads, names: Sequence[str], file: Path) -> Loads:
    """The channels of these names, forces in N, moments in N m, power in W; InputError for a unit that is not known."""
    channels, units = {}, {}
    for name in names:
        text = loads.units[name]
        known = UNITS.get(text.strip() if text.strip() == "-" else re.sub(r"[\s·*-]+", "", text))
        if known is None:
            said = f"the unit '{text}', which is not known" if text.strip() else "no unit"
            raise InputError(
                f"{file}: channel '{name}' has {said}: its loads cannot be compared with those of other runs; "
                "correct the file, or name the channels to be evaluated without this one"
            )
        units[name], factor = known
        channels[name] = loads.channels[name] * factor
    return Loads(loads.time, channels, units)


def _of_run(file: Path, names: Sequence[str], after: float | None) -> Loads:
    with Result.open(file, scan=True) as result:
        return section_loads(result, *names, after=after)


def _of_outb(file: Path, after: float | None) -> Loads:
    data = read_outb(file)
    selected = np.ones(len(data.time), bool) if after is None else data.time > after
    if selected.sum() < 2:
        raise InputError(f"{file}: fewer than two times{'' if after is None else f' after {after:g} s'}")
    return Loads(
        data.time[selected],
        {name: y[selected] for name, y in data.channels.items()},
        data.units,
    )


def _channel_statistics(
    rows: Sequence[dict[str, Any]], cases: Sequence[LoadCase], titles: dict[str, float]
) -> dict[str, Any]:
    """Statistics of a channel over all runs; ``titles``: S-N exponents by the titles of the loads."""
    factors = np.array([case.factor for case in cases])
    hours = np.array([case.hours for case in cases])
    low = factors * [row["min"] for row in rows]
    high = factors * [row["max"] for row in rows]
    k, j = int(np.argmin(low)), int(np.argmax(high))
    statistics = {"channel": rows[0]["channel"], "unit": rows[0]["unit"]}
    statistics |= {
        "min": float(low[k]),
        "case of min": rows[k]["case"],
        "time of min [s]": rows[k]["time of min [s]"],
    }
    statistics |= {
        "max": float(high[j]),
        "case of max": rows[j]["case"],
        "time of max [s]": rows[j]["time of max [s]"],
    }
    for title, m in titles.items():
        loads = np.array([row[title] for row in rows])
        largest = float(loads.max()) or 1.0  # powers of large numbers overflow
        statistics[title] = largest * float((hours @ (loads / largest) ** m / hours.sum()) ** (1.0 / m))
    return statistics
