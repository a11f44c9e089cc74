"""Writers of linear models in other programs' formats: OpenFAST's linearisation file, HAWCStab2's table of modes.

`write_lin` writes a state-space model as OpenFAST's linearisation file (.lin), a text file. Form: `WrLinFile_txt_Head`
and `WrLinFile_txt_End` of OpenFAST's FAST_Lin.f90. Operating points of states are zero, since they are deviations;
inputs and outputs have theirs. States of second order come first, their time derivatives after them, as expected by
tools that compute modes or transform to multi-blade coordinates; states of inflow and stall, of first order, are last.
Nothing is marked as being in the rotating frame: of a machine, the model is in multi-blade coordinates already.

`write_cmb` writes a Campbell diagram as HAWCStab2's table (.cmb): a row per speed, frequencies and damping of all
modes. Columns: the operating point, frequencies in Hz, damping in per cent of critical, and, as in tables of
aeroelastic analyses, real parts in 1/s; one heading line numbers the modes in each group. HAWCStab2 has wind speeds in
the first column; here it is the rotor's speed in rev/min, as the heading says, unless the diagram is one over the wind.
Lost modes are nan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from fem_mbd.analysis.control.state_space import StateSpace
from fem_mbd.analysis.rotors.campbell import Campbell
from fem_mbd.base.arrays import Array
from fem_mbd.base.dependencies import package_version
from fem_mbd.errors import InputError

HEADINGS = ("Operating Point", "Rotating Frame?", "Derivative Order", "Description")
WIDTH = 24  # characters of a number with all digits of a double
TAB = 66  # column of the entry for the rotating frame


def write_lin(file: str | Path, space: StateSpace) -> Path:
    """Write a linearisation file.

    Parameters
    ----------
    file : name of the file, ending in .lin
    space : the model

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        For another ending, and a model without inputs, outputs or states.
    """
    path = Path(file)
    if path.suffix != ".lin":
        raise InputError(f"write_lin: {path.name} has to end in .lin")
    for kind in ("states", "inputs", "outputs"):
        if not getattr(space, kind):
            raise InputError(
                f"write_lin: the model has no {kind}: readers of .lin files need at least one of each"
            )
    path.write_text("\n".join(_lines(space)) + "\n", encoding="utf-8")
    return path


def _lines(space: StateSpace) -> Iterator[str]:
    order = _rates_last(space)
    orders = [2 if space.second_order[k] else 1 for k in order]
    states = [_label(space.states[k], "") for k in order]
    yield from _head(space)
    zeros = np.zeros(len(states))
    yield from _table("Order of continuous states:", "Row/Column", zeros, orders, states)
    rates = [f"First time derivative of {state}/s" for state in states]
    yield from _table("Order of continuous state derivatives:", "Row/Column", zeros, orders, rates)
    for kind, label in (("input", "Column  "), ("output", "Row  ")):
        listed = zip(getattr(space, f"{kind}s"), getattr(space, f"{kind}_units"), strict=True)
        names = [_label(name, unit) for name, unit in listed]
        values = getattr(space, f"{kind}_values")
        yield from _table(f"Order of {kind}s:", label, values, [0] * len(names), names)
    yield from ("", "Linearized state matrices:", "")
    yield from _matrix("A", space.A[np.ix_(order, order)])
    yield from _matrix("B", space.B[order])
    yield from _matrix("C", space.C[:, order])
    yield from _matrix("D", space.D)


def _rates_last(space: StateSpace) -> list[int]:
    """Order of the states: those of second order, their time derivatives, those of first order."""
    rates = {k for k, name in enumerate(space.states) if name.startswith("rate of ")}
    indices = range(len(space.states))
    second = [k for k in indices if space.second_order[k]]
    return [
        *(k for k in second if k not in rates), *(k for k in second if k in rates),
        *(k for k in indices if not space.second_order[k]),
    ]  # fmt: skip


def _label(name: str, unit: str) -> str:
    return f"FM {name}, {unit.replace(' ', '') or '-'}"


def _head(space: StateSpace) -> Iterator[str]:
    yield from (
        "",
        f"Linearized model: written by fem_mbd {package_version()}, {space.frame} axes",
        " deviations from an equilibrium or a steady rotation, SI units",
        "",
        f"Description from the FAST input file: {space.name}",
        "",
        "Simulation information:",
    )
    for label, value, unit in (
        ("Simulation time:", 0.0, "s"), ("Rotor Speed:", space.speed, "rad/s"), ("Azimuth:", 0.0, "rad"),
        ("Wind Speed:", space.wind, "m/s"),
    ):  # fmt: skip
        yield f"   {label:32s} {value:10.4f} {unit}"
    counts = {
        "continuous states": len(space.states), "discrete states": 0, "constraint states": 0,
        "inputs": len(space.inputs), "outputs": len(space.outputs),
    }  # fmt: skip
    for kind, count in counts.items():
        yield f"   {f'Number of {kind}:':32s} {count:5d}"
    yield from (f"   {'Jacobians included in this file?':32s} {'No':>5s}", "")


def _table(title: str, label: str, values: Array, orders: Iterable[int], names: list[str]) -> Iterator[str]:
    yield title
    for first, rest in ((label, HEADINGS), ("-" * 10, tuple("-" * len(h) for h in HEADINGS))):
        yield f"{f'   {first:>10s} {rest[0]}':{TAB}s}{rest[1]:>15s} {rest[2]:>16s} {rest[3]}"
    for k, (value, order, name) in enumerate(zip(values, orders, names, strict=True), start=1):
        yield f"{f'   {k:8d}   {_number(value)}':{TAB}s}{'F':>8s}{'':8s}{order:8d}{'':9s}{name}"
    yield ""


def _matrix(name: str, matrix: Array) -> Iterator[str]:
    yield f"{name}: {matrix.shape[0]} x {matrix.shape[1]}"
    for row in matrix:
        yield "   " + "".join(_number(x) for x in row)


def _number(value: float) -> str:
    """A number with all digits, so that it is read back exactly."""
    return f"{value + 0.0:{WIDTH}.16E}"


COLUMN_WIDTH = 14  # of a column
FIRST_HEADING = "# Speed [rpm]"
WIND_HEADING = "# Wind [m/s]"


def write_cmb(file: str | Path, diagram: Campbell, real_parts: bool = False) -> Path:
    """Write a table in HAWCStab2's format.

    Parameters
    ----------
    file : name of the file, ending in .cmb
    diagram : of `fem_mbd.campbell` or a machine; of a machine in multi-blade coordinates, as in HAWCStab2
    real_parts : add a third group of columns, as in aeroelastic analyses

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        For another ending.
    """
    path = Path(file)
    if path.suffix != ".cmb":
        raise InputError(f"write_cmb: {path.name} has to end in .cmb")
    groups = [diagram.frequencies_hz, 100.0 * diagram.damping_ratios]
    groups += [diagram.eigenvalues.real] if real_parts else []
    numbers = "".join(f"{k:{COLUMN_WIDTH}d}" for k in range(1, diagram.eigenvalues.shape[1] + 1))
    wind = diagram.over == "wind"
    table = np.column_stack([diagram.speeds if wind else diagram.speeds * 30.0 / np.pi, *groups])
    lines = [f"{WIND_HEADING if wind else FIRST_HEADING:>{COLUMN_WIDTH}s}" + numbers * len(groups)]
    lines += ["".join(f"{x + 0.0:{COLUMN_WIDTH}.6E}" for x in row) for row in table]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
