"""Writer of HAWCStab2's table (.cmb) of a Campbell diagram: a row per speed, frequencies and damping of all modes.

Columns: the operating point, frequencies in Hz, damping in per cent of critical, and, as in tables of aeroelastic
analyses, real parts in 1/s; one heading line numbers the modes in each group. HAWCStab2 has wind speeds in the
first column; here it is the rotor's speed in rev/min, as the heading says, unless the diagram
is one over the wind. Lost modes are nan.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.analysis.rotors.campbell import Campbell
from fem_mbd.errors import InputError

WIDTH = 14  # of a column
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
    numbers = "".join(f"{k:{WIDTH}d}" for k in range(1, diagram.eigenvalues.shape[1] + 1))
    wind = diagram.over == "wind"
    table = np.column_stack([diagram.speeds if wind else diagram.speeds * 30.0 / np.pi, *groups])
    lines = [f"{WIND_HEADING if wind else FIRST_HEADING:>{WIDTH}s}" + numbers * len(groups)]
    lines += ["".join(f"{x + 0.0:{WIDTH}.6E}" for x in row) for row in table]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
