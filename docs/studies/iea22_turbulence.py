"""The IEA 22 MW turbine in turbulence of 11 m/s: means and standard deviations of six seeds beside HAWC2's.

From the root of the repository: `pip install hipersim`, then `python -m docs.studies.iea22_turbulence`; it takes a
quarter of an hour of CPU time. HAWC2: IEAWindSystems/IEA-22-280-RWT, outputs/03_turbulent_wind (Apache-2.0), six seeds
of IEC's design load case 1.1, whose boxes are not published: Mann boxes of the same parameters with other numbers.
"""

from __future__ import annotations

import os
import struct
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from fem_mbd import run
from fem_mbd.cases import load_case

DECK = Path(__file__).parents[2] / "tests" / "machines" / "decks" / "iea22" / "iea22_controlled.htc"
WIND, HUB, SHEAR = 11.0, 170.0, 0.2  # m/s, m, exponent of the power law
INTENSITY = 0.14 * (0.75 * WIND + 5.6) / WIND  # normal turbulence, class B
SCALES = (1.0, 0.7, 0.5)  # of the deviations along, across, up: HAWC2's std_scaling
SHAPE, ACROSS = (8192, 32, 32), 9.6051  # points of a box, m between them
SEEDS, BEGIN, END = range(1001, 1007), 100.0, 700.0  # s of a run
# channel, what it is, unit, factor to it, mean and deviation of HAWC2
ROWS = (
    ("RtAeroFxh", "thrust", "kN", 1e-3, 2609.90, 275.00),
    ("RtAeroMxh", "torque", "kN m", 1e-3, 30181.6, 3338.8),
    ("RtSpeed", "speed", "rev/min", 1.0, 6.53006, 0.48054),
)


def write_box(file: Path, seed: int) -> None:
    """A .bts file of a Mann box on the power law."""
    from hipersim import MannTurbulenceField

    along = WIND * END / SHAPE[0]
    field = MannTurbulenceField.generate(1, 29.4, 3.9, SHAPE, (along, ACROSS, ACROSS), seed, HighFreqComp=1)
    values = np.moveaxis(np.asarray(field.uvw), 0, -1)[::-1].swapaxes(1, 2).copy()  # times, up, across, parts
    values *= INTENSITY * WIND * np.array(SCALES) / values.std(axis=(0, 1, 2))
    heights = HUB + ACROSS * (np.arange(SHAPE[2]) - 0.5 * (SHAPE[2] - 1))
    values[..., 0] += WIND * ((heights / HUB) ** SHEAR)[:, None]
    scale = 30000.0 / np.abs(values).max()
    sizes = struct.pack("<h4l", 8, SHAPE[2], SHAPE[1], 0, SHAPE[0])
    numbers = struct.pack("<6f", ACROSS, ACROSS, along / WIND, WIND, HUB, heights[0])
    scaling = struct.pack("<6fl", *(scale, 0.0) * 3, 0)
    file.write_bytes(sizes + numbers + scaling + np.rint(scale * values).astype("<i2").tobytes())


def statistics(folder: Path, seed: int) -> np.ndarray:
    """(rows, 2) mean and standard deviation of a run."""
    box = folder / f"{seed}.bts"
    write_box(box, seed)
    case = load_case(DECK)
    simulation = case.build(case.parameters(radii_at="elastic centre", end_time=END, wind=str(box)))
    result = run(simulation, progress=False)
    box.unlink()
    later = result.output_time > BEGIN
    histories = [factor * result.loads(name)[name][later] for name, _, _, factor, _, _ in ROWS]
    return np.array([(values.mean(), values.std()) for values in histories])


def main() -> None:
    """Run the seeds on all processors, print the table."""
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(os.cpu_count()) as pool:
        found = np.mean(list(pool.map(partial(statistics, Path(folder)), SEEDS)), axis=0)
    for (_, name, unit, _, *theirs), own in zip(ROWS, found, strict=True):
        shares = [f"{x:.5g} ({100 * (x / y - 1):+.1f} %)" for x, y in zip(own, theirs, strict=True)]
        print(f"| {name}, {unit} | {theirs[0]:.5g} | {shares[0]} | {theirs[1]:.4g} | {shares[1]} |")


if __name__ == "__main__":
    main()
