"""Result of a run, held in memory or read from its file on demand."""

from __future__ import annotations

from copy import deepcopy
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.lazy import attached
from fem_mbd.runs.results.hdf5.reader import FileSource
from fem_mbd.runs.results.store import OUTPUT_INDEX, STEP_ROW, Columns, InitialOutputs, Source, step_columns
from fem_mbd.runs.results.summary import summarise
from fem_mbd.runs.results.views.history import FromStart, History, Instants
from fem_mbd.runs.results.views.part_table import PartTable
from fem_mbd.runs.results.views.states import result_dataset, result_table

UNFINISHED = "unfinished"


class Result:
    """Histories of one run: by part with `of`, between steps with `at`, as arrays with the attributes below.

    Attributes
    ----------
    time : (k,) s, end of every accepted step
    energy : name to (k,) J, the energy balance (names in `fem_mbd.core.scheme.ledger`)
    step : name to (k,): time, dt, rule, newton_iterations, factorisations, rejections
    output_time : (m,) s of the outputs, m = k unless ``record_every`` thinned them
    output_index : (m,) their step numbers, counted from 1
    outputs : name to (m, …), read on demand
    initial : name to the outputs before the first step, at ``info.start_time``
    contacts : (m, number of contacts), dtype `CONTACT_RECORD`
    status : "complete", "failed", "interrupted", "crashed", "damaged" or "unfinished" (running, or killed)
    summary : plain data
    source : the file or the memory that the result is read from
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.sections: dict[str, Any] = {}  # of beams by name, of a run made in this process
        self.info = source.info
        log = source.read_log()
        self.log = log
        self.status: str = log.get("status", UNFINISHED)
        self.reason: str = log.get("reason", "")
        steps = [name for name, _ in step_columns(source.info)]
        # After a kill the columns may differ by one block: rows present in all of them are valid.
        rows = min(source.rows(name) for name in steps)
        outputs = self._count_outputs(rows)
        self.energy = Columns(source, "energy", self.info.energy, rows)
        self.step = Columns(source, "steps", tuple(STEP_ROW.names or ()), rows)
        self.outputs = Columns(source, "outputs", self.info.quantities, outputs)
        self.time: np.ndarray = self.step["time"]
        self.output_index: np.ndarray = self._read_index(outputs)
        thinned = not self.info.every_step
        self.output_time: np.ndarray = self.time[:outputs] if thinned else self.time[self.output_index - 1]
        self.steps = int(self.output_index[-1]) if thinned and outputs else rows
        self.initial = InitialOutputs(source)

    @cached_property
    def _history(self) -> History:
        return History(
            PartTable(self.model, self.sections),
            self.outputs,
            self.output_time,
            self.output_index,
            self.info.start_time,
            self.initial,
        )

    def of(self, part: Any) -> Any:
        """The histories of one part, under the field's names.

            result.of(pivot).reaction.force             # (m, 3), of every recorded state
            result.of("link").section_force(at=0.5)     # (m, 6)
            result.of(body.node).rotation               # SciPy's Rotation

        Available quantities of a part: ``print(result.of(part))``.

        Parameters
        ----------
        part : its handle or name, a node or a point of the model; a list of handles of one kind adds an axis

        Raises
        ------
        InputError
            When no part has this name (the message suggests the nearest), or for a quantity that was not recorded.
        """
        return self._history.of(part)

    @property
    def from_start(self) -> FromStart:
        """The same histories with the state before the first step as first row: ``result.from_start.of(part)``."""
        return FromStart(self._history)

    def at(self, time: ArrayLike) -> Instants:
        """The state at a time, or at several: ``result.at(0.5).of(part)``, as ``result.of(part).at(0.5)``.

        At the ends of steps these are the recorded values. Within a step positions and rotations follow the scheme's
        own polynomials (third order), velocities its linear functions (second order); strains, section forces, springs
        and reactions are interpolated linearly (second order); forces of contacts and supports are means over the step.

        Parameters
        ----------
        time : s, one or (k,)

        Raises
        ------
        InputError
            For a time outside the run, or between records that are more than one step apart.
        """
        return self._history.at(time)

    def loads(self, *names: str, after: float | None = None) -> Any:
        """Section loads by channel, as `result.loads("RootMyb1", "TwrBsMyt")`; without names all channels.

        Parameters
        ----------
        names : of the channels, which are those of the model's load stations, see docs/how-to/machines/machines.md
        after : s, earlier times are left out

        Returns
        -------
        fem_mbd.output.section_loads.loads.Loads
            Histories; `table()` has extremes and damage-equivalent loads, `plot(file)` draws, `to_csv(folder)` writes.

        Raises
        ------
        InputError
            When the model has no such channel.
        """
        return attached("Result.loads")(self, *names, after=after)

    @property
    def momentum(self) -> np.ndarray:
        """(m, 3) kg m/s of the whole model, global axes."""
        return self._history.momentum

    def angular_momentum(self, about: ArrayLike = (0.0, 0.0, 0.0)) -> np.ndarray:
        """(m, 3) kg m^2/s of the whole model, global axes.

        Parameters
        ----------
        about : (3,) m, a fixed point, global axes
        """
        return self._history.angular_momentum(about)

    @classmethod
    def open(cls, path: str | Path, *, scan: bool = False) -> Result:
        """Open the result in a file or in a run's folder; the run may still be running or have been killed.

        Parameters
        ----------
        path : the file or the folder
        scan : read the whole file now to find and leave out damaged parts, instead of raising when one is read

        Raises
        ------
        InputError
            When there is none or it cannot be read; `DamagedFile` when too little of it is intact.
        """
        return cls(FileSource(path, scan=scan))

    def _count_outputs(self, steps: int) -> int:
        """Number of rows of outputs, given that of rows of statistics."""
        if not self.info.quantities:
            return 0
        names = [OUTPUT_INDEX, *(f"outputs/{key}" for key in self.info.quantities)]
        rows = min(self._source.rows(name) for name in names)
        if not self.info.every_step:
            return min(rows, steps)
        return int(np.count_nonzero(self._source.read(OUTPUT_INDEX, slice(rows)) <= steps))

    def _read_index(self, rows: int) -> np.ndarray:
        return self._source.read(OUTPUT_INDEX, slice(rows)) if self.info.quantities else np.zeros(0, np.int64)

    @property
    def contacts(self) -> np.ndarray:
        """Contact records, (m, number of contacts), dtype `CONTACT_RECORD`."""
        return self.outputs["contact"]

    @property
    def case(self) -> str:
        """Name of the case, empty for a model built in Python."""
        return self.info.case

    @property
    def parameters(self) -> dict[str, Any]:
        """The case's parameters as plain data."""
        return self.info.parameters

    @property
    def model(self) -> dict[str, Any]:
        """Description of the model by `System.describe()`."""
        return self.info.model

    @property
    def summary(self) -> dict[str, Any]:
        """Statistics and energy balance of the run, the content of `summary.json` without checks."""
        return deepcopy(self._summary)

    @cached_property
    def _summary(self) -> dict[str, Any]:
        # reads all columns of step statistics and energies
        return summarise(self)

    @property
    def source(self) -> Source:
        """What the result is read from."""
        return self._source

    def close(self) -> None:
        """Close the file behind the result."""
        self._source.close()

    def __enter__(self) -> Result:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def plot(self, *parts: Any, **options: Any) -> Any:
        """Figures of the run: energies, steps, shapes of the mechanism, and the histories of the given parts.

        Parameters
        ----------
        parts : handles or names
        options : as for `fem_mbd.plot_run`, which also documents return value and errors
        """
        return attached("Result.plot")(self, *parts, **options)

    def animate(self, file: str | Path | None = None, **options: Any) -> Any:
        """The run as an animation, one page for any browser.

        Parameters
        ----------
        file : where to write the page; optional
        options : as for `fem_mbd.animate`, which also documents return value and errors
        """
        return attached("Result.animate")(self, file, **options)

    def to_pandas(self) -> Any:
        """One pandas table of all recorded quantities, indexed by time; columns as in the CSV tables."""
        return result_table(self._history)

    def to_xarray(self) -> Any:
        """All recorded quantities as an xarray Dataset with names, units and coordinates."""
        return result_dataset(self._history)

    def __repr__(self) -> str:
        end = self.time[-1] if self.steps else self.info.start_time
        return f"<Result {self.case or 'of a model'}: {self.steps} steps to t = {end:g} s, {self.status}>"

    def __str__(self) -> str:
        """Contents of the result, as lines of text."""
        outputs = ", ".join(self.outputs) or "none"
        lines = [repr(self)[1:-1], f"  outputs, {len(self.output_time)} states of each: {outputs}"]
        lines += [f"  {label}: {', '.join(names)}" for label, names in self._history.table.by_label().items()]
        return "\n".join([*lines, "  result.of(name) gives the histories of one part"])

    def _repr_html_(self) -> str:
        head, *rows = str(self).splitlines()
        items = "".join(f"<li>{escape(row.strip())}</li>" for row in rows)
        return f"<b>{escape(head)}</b><ul>{items}</ul>"
