"""Cost of turbines in wind: runs of the IEA 15 MW in turbulence, steady states and aeroelastic modes of the IEA 22 MW.

    python -m benchmarks wind

The run has 13 elements a blade, 50 aerodynamic stations, steps of 0.05 s, dynamic inflow and stall, a box of 31 x 31
points, and the controller of the machine's file. CPU time of one process, kernels compiled before.
"""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks.comparison.study import Settings
from benchmarks.reports.report import Goal, Report, Table
from fem_mbd import run as run_simulation
from fem_mbd.cases._machine_file import machine_case
from fem_mbd.machines import Machine
from fem_mbd.machines.steady import read_operation

ROOT = Path(__file__).parents[2]
IEA15 = ROOT / "cases" / "_data" / "iea15_turbine" / "IEA_15MW_RWT_FixedSubstructure.htc"
IEA22 = ROOT / "tests" / "machines" / "decks" / "iea22"
POINTS, SPACING, TIMES, INTERVAL = 31, 9.0, 400, 0.25  # of the box: points across, m, planes, s
WIND, DEVIATION = 11.0, 1.5  # m/s
WINDS = 23
PROBLEM = (
    "CPU seconds per simulated second of the IEA 15 MW turbine in still air and in turbulence with its controller\n"
    "(13 elements a blade, 50 stations, steps of 0.05 s), and CPU seconds of steady states and of aeroelastic modes\n"
    "of the IEA 22 MW turbine over the wind. Errors are measured elsewhere: long steps in a gust and stall in steps\n"
    "of 0.1 s by tests/machines/test_wind_runs.py and tests/aerodynamics/test_stall.py, derivatives by\n"
    "tests/aerodynamics/test_gradients.py, turbulence beside HAWC2 by python -m docs.studies.iea22_turbulence."
)


def write_box(file: Path) -> None:
    """A periodic .bts file of independent normal numbers, smoothed along the wind."""
    random = np.random.default_rng(1)
    values = random.normal(size=(TIMES, POINTS, POINTS, 3))
    kernel = np.hanning(17) / np.linalg.norm(np.hanning(17))
    spectrum = np.fft.fft(kernel, TIMES)[:, None, None, None]
    values = DEVIATION * np.fft.ifft(np.fft.fft(values, axis=0) * spectrum, axis=0).real
    values[..., 0] += WIND
    scale, offset = 1000.0, -1000.0 * WIND
    header = struct.pack(
        "<h4l6f",
        8,
        POINTS,
        POINTS,
        0,
        TIMES,
        SPACING,
        SPACING,
        INTERVAL,
        WIND,
        150.0,
        150.0 - 0.5 * SPACING * 30,
    )
    header += struct.pack("<6f", scale, offset, scale, 0.0, scale, 0.0) + struct.pack("<l", 0)
    packed = scale * values + np.array([offset, 0.0, 0.0])
    file.write_bytes(header + np.rint(packed).astype("<i2").tobytes())


def _of_run(end: float, **options: Any) -> tuple[float, int, int]:
    """CPU seconds per simulated second, iterations and factorisations of a step."""
    case = machine_case(IEA15)
    parameters = case.parameters(radii_at="mass centre", elements=13, end_time=end, dt=0.05, **options)
    simulation = case.build(parameters)
    start = process_time()
    result = run_simulation(simulation, progress=False)
    seconds = (process_time() - start) / end
    steps = result.summary["steps"]
    return seconds, result.summary["newton_iterations"] / steps, result.summary["factorisations"] / steps


def run(settings: Settings) -> Report:
    """The table and its goals."""
    end, repeats = (1.0, 1) if settings.quick else (20.0, settings.repeats)
    with tempfile.TemporaryDirectory() as folder:
        box = Path(folder, "box.bts")
        write_box(box)
        kinds: dict[str, dict[str, Any]] = {
            "still air": {"rotor_speed": 7.5, "pitch": 0.0},
            "turbulence, 31 x 31 points, controller": {"wind": str(box)},
        }
        runs = {name: min(_of_run(end, **own) for _ in range(repeats)) for name, own in kinds.items()}
    rows = [(name, *own) for name, own in runs.items()]
    columns = ("run", "CPU s per simulated s", "iterations/step", "factorisations/step")
    still, windy = (own[0] for own in runs.values())
    goals = [
        Goal("CPU s per simulated s in turbulence", windy, 0.10, True),
        Goal("turbulence over still air", windy / still, 3.0, True),
    ]
    tables = [Table("Runs of the IEA 15 MW", columns, rows, frozenset(columns[1:2]))]
    analyses = _analyses(3 if settings.quick else WINDS)
    tables.append(
        Table("Analyses of the IEA 22 MW", ("analysis", "winds", "CPU s"), analyses, frozenset(("CPU s",)))
    )
    goals += [
        Goal(f"CPU s of {row[1]} {row[0]}", float(row[2]), bound, True)
        for row, bound in zip(analyses, (15.0, 60.0), strict=True)
    ]
    return Report("wind", "Turbines in wind", PROBLEM, tables, goals)


def _analyses(count: int) -> list[tuple[str, int, float]]:
    machine = Machine.read(IEA22 / "iea22_wind.htc", radii_at="elastic centre")
    table = read_operation(IEA22 / "iea_22mw_rwt.opt")
    winds = np.linspace(3.0, 25.0, count)
    pitch, speed = (np.interp(winds, table[:, 0], table[:, k]) for k in (1, 2))
    found = []
    for name, call in (
        ("steady states", lambda: machine.steady(winds, pitch=pitch, speed=speed)),
        ("aeroelastic modes", lambda: machine.campbell_over_winds(winds, 8, pitch=pitch, speed=speed)),
    ):
        start = process_time()
        call()
        found.append((name, count, process_time() - start))
    return found
