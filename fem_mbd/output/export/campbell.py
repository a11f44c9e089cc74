"""A Campbell diagram as HAWCStab2's table (.cmb): a row per speed, frequencies and damping of all modes.

Columns: the operating point, frequencies in Hz, damping in per cent of critical, and, as in tables of aeroelastic
analyses, real parts in 1/s; one heading line that counts the modes in each group. HAWCStab2 has wind speeds in the
first column; here it is the rotor's speed in rev/min, which the heading says. Modes that were lost are nan.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.analysis.rotors.campbell import Campbell
from fem_mbd.errors import InputError

WIDTH = 14  # of a column
FIRST = "# Speed [rpm]"


def write_cmb(file: str | Path, diagram: Campbell, real_parts: bool = False) -> Path:
    """Write a table as HAWCStab2 does.

    Parameters
    ----------
    file : its name, ending in .cmb
    diagram : of `fem_mbd.campbell` or a machine; of a machine in multi-blade coordinates, as HAWCStab2's are
    real_parts : with a third group of columns, as of aeroelastic analyses

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
    table = np.column_stack([diagram.speeds * 30.0 / np.pi, *groups])
    lines = [f"{FIRST:>{WIDTH}s}" + numbers * len(groups)]
    lines += ["".join(f"{x + 0.0:{WIDTH}.6E}" for x in row) for row in table]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
