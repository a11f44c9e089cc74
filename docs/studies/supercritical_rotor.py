"""Scan of the assumed data of the rotor, one or two changed at a time, as a table.

    python docs/studies/supercritical_rotor.py --write table.md

takes about two minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from fem_mbd import run
from fem_mbd.cases.supercritical_rotor import QUANTITIES, Histories, checks
from fem_mbd.cases.supercritical_rotor.model import Parameters, build, critical_speeds

COLUMNS = (
    "changed",
    "critical speeds [rad/s]",
    "speed at 1, 2, 3 s [rad/s]",
    "continuous contact, largest [N]",
    "open episodes after 1 s [s]",
    "impact after each [N]",
    "checks failed",
    "steps",
)
SHOWN = 4  # episodes


def variants() -> Iterator[dict[str, Any]]:
    """What to change against the defaults: nothing, the numerics, then each assumption in turn."""
    yield {}
    yield {"end_time": 4.0}
    yield {"dt_max": 5e-4, "penetration": 1e-6}
    yield {"tau_min": 0.05}
    yield {"elements": 4}
    yield {"elements": 12}
    yield {"elements": 24, "order": 4}
    yield {"elements": 24, "order": 4, "dt_max": 5e-4, "penetration": 1e-6}
    values: dict[str, tuple[float | str, ...]] = {
        "damping": (0.0, 2e-4, 5e-4, 1e-3, 1.2e-3),
        "shear": (20e6,),
        "section": ("tube",),
        "polar_factor": (0.9, 1.08),
        # section axes are axes of symmetry of the shaft without its offset: 180 degrees more are the same
        "eccentricity_angle": (
            0.0,
            10.0,
            15.0,
            20.0,
            25.0,
            30.0,
            45.0,
            60.0,
            75.0,
            105.0,
            120.0,
            135.0,
            150.0,
        ),
        "friction": (0.1, 0.0),
        "hunt_crossley": (0.1,),
        "gravity": (9.81,),
    }
    for name, choices in values.items():
        for value in choices:
            yield {name: value}


def study(changed: dict[str, Any]) -> tuple[str, ...]:
    """One row of the table; see `COLUMNS`."""
    parameters = replace(Parameters(), **changed)
    h = Histories(run(build(parameters), progress=False, quantities=QUANTITIES), parameters)
    force = h.contact["normal_force"]
    episodes = h.open_episodes(1.0)
    first = episodes[0][0] if episodes else float(h.time[-1])
    speeds = [float(h.speed[h.time <= t * (1 + 1e-9)][-1]) for t in (1.0, 2.0, 3.0)]
    later = "; ".join(f"{start:.2f} to {end:.2f}" for start, end in episodes[:SHOWN])
    if len(episodes) > SHOWN:
        later += f"; {len(episodes) - SHOWN} more"
    return (
        ", ".join(f"{k} = {v if isinstance(v, str) else format(v, 'g')}" for k, v in changed.items())
        or "nothing",
        "{:.3f}, {:.3f}".format(*critical_speeds(parameters).zone),
        ", ".join(f"{s:.1f}" for s in speeds),
        f"{force[h.between(0.45, first)].max(initial=0.0):.1f}",
        later or "none",
        "; ".join(f"{impact:.0f}" for impact in h.impacts(episodes)[:SHOWN]) or "none",
        str(sum(not check.passed for check in checks(h.result, parameters))),
        str(h.result.steps),
    )


def table(rows: list[tuple[str, ...]]) -> str:
    """The rows as a Markdown table."""
    lines = [COLUMNS, tuple("---" for _ in COLUMNS), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    """Run the scan and print or write its table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", type=Path, help="Markdown file for the table")
    options = parser.parse_args()
    rows = []
    for changed in variants():
        rows.append(study(changed))
        print(" | ".join(rows[-1]), flush=True)
    if options.write:
        options.write.write_text(table(rows) + "\n")


if __name__ == "__main__":
    main()
