"""Poincaré sections, exponents and recurrence times of the two driven cranks with clearance.

    python docs/studies/sections.py slider_crank_clearance --turns 400 --out DIR
    python docs/studies/sections.py crank_mechanism --turns 70 --out DIR

Runs the case with its defaults, states recorded at every quarter turn of the crank, into DIR/CASE.h5; a file that is
there is read. Prints a line for each of four crank angles and draws the sections into DIR/CASE_sections.png.
docs/how-to/chaos.md keeps both. Time of processor: 1 s for 4 turns of the first case, 2 s for one turn of the second.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import fem_mbd as fm
from fem_mbd import plots
from fem_mbd.cases import load_case
from fem_mbd.cases.crank_mechanism.model import build_mechanism
from fem_mbd.cases.slider_crank_clearance.model import CRANK
from fem_mbd.errors import InputError

ANGLES = (0.0, 90.0, 180.0, 270.0)  # degrees of the crank
SHARE = 0.1  # of the points that balls hold, visits to which are counted


Motion = tuple[np.ndarray, np.ndarray]  # m and m/s, (k, 3)


def planar(result: Any, p: Any, angle: np.ndarray) -> Motion:
    """Place and velocity of the coupler's journal in the crank's bearing: the slider's pin is its other end."""
    bearing = CRANK * np.column_stack([np.cos(angle), np.sin(angle), 0.0 * angle])
    moving = p.omega * np.column_stack([-bearing[:, 1], bearing[:, 0], 0.0 * angle])
    coupler, slider = result.of("coupler"), result.of("slider")
    place, velocity = (2.0 * getattr(coupler, q) - getattr(slider, q) for q in ("position", "velocity"))
    return place - bearing, velocity - moving


def spatial(result: Any, p: Any, angle: np.ndarray) -> Motion:
    """Place and velocity of the ball at the link's end in the slider's socket."""
    ball, socket = result.of(build_mechanism(p).link.end), result.of("slider")
    return ball.position - socket.position, ball.velocity - socket.velocity


@dataclass(frozen=True)
class Driven:
    """A driven crank: its speed (rad/s), the clearance (m), the motion of the journal, the axes that are drawn."""

    omega: Callable[[Any], float]
    clearance: Callable[[Any], float]
    journal: Callable[[Any, Any, np.ndarray], Motion]
    drawn: tuple[int, int]


CRANKS = {
    "slider_crank_clearance": Driven(lambda p: p.omega, lambda p: p.clearance, planar, (0, 1)),
    "crank_mechanism": Driven(
        lambda p: p.crank_speed, lambda p: p.radius_socket - p.radius_ball, spatial, (1, 2)
    ),
}


def stored(name: str, turns: int, folder: Path) -> tuple[Any, Any]:
    """Parameters and result of the run, from its file if there is one."""
    case, file = load_case(name), folder / f"{name}.h5"
    p = replace(case.parameters(), revolutions=float(turns))
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        quarter = 0.5 * np.pi / CRANKS[name].omega(p)
        fm.run(case.build(p), file=file, record_at=quarter, quantities=("position", "quaternion", "velocity"))
    return p, fm.Result.open(file)


def sections(name: str, p: Any, result: Any, first: int, last: int | None) -> list[np.ndarray]:
    """For each angle (turns, 6), of these turns: place over the clearance, velocity over its root mean square."""
    crank = CRANKS[name]
    angle = crank.omega(p) * result.output_time
    place, velocity = crank.journal(result, p, angle)
    speed = np.sqrt((velocity**2).sum(axis=1).mean())
    state = np.column_stack([place / crank.clearance(p), velocity / speed])
    return [fm.poincare_section(angle, state, at=np.radians(at))[first:last] for at in ANGLES]


def exponent(points: np.ndarray) -> str:
    """The exponent per turn, or why there is none."""
    try:
        found = fm.exponent_of_points(points)
    except InputError as error:
        return str(error)
    return f"{found.value:.2f} +- {found.uncertainty:.2f} per turn by {found.points} turns"


def recurrence(points: np.ndarray) -> str:
    """Turns between visits to balls around all points, so large that one holds `SHARE` of the points in the mean."""
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    radius = float(np.quantile(apart, SHARE))
    visited = [c for c, row in zip(points, apart, strict=True) if np.count_nonzero(row < radius) > 1]
    if not visited:
        return f"never back within {radius:.2f}"
    times = np.concatenate([fm.recurrence_times(points, centre, radius) for centre in visited])
    scatter = times.std() / np.sqrt(len(points))
    return f"back within {radius:.2f} after {times.mean():.1f} +- {scatter:.1f} turns, {times.min()} to {times.max()}"


def draw(name: str, found: list[np.ndarray], first: int, path: Path) -> None:
    """Above, the position in the clearance at the four angles; below, its direction over the revolutions."""
    a, b = CRANKS[name].drawn
    circle = np.linspace(0.0, 2.0 * np.pi, 200)
    with plots.styled():
        figure, axes = plots.new_figure(2, 4, height=4.2, share_x=False)
        for (place, direction), angle, points in zip(axes.T, ANGLES, found, strict=True):
            place.plot(np.cos(circle), np.sin(circle), color="0.6", linewidth=0.6)
            place.plot(points[:, a], points[:, b], ".", markersize=2.0, color=plots.COLOURS[0])
            place.set(title=f"{angle:g}°", aspect="equal", xlabel=f"along i{a + 1}")
            turned = np.degrees(np.unwrap(np.arctan2(points[:, b], points[:, a])))
            direction.plot(
                first + np.arange(len(turned)), turned, ".", markersize=2.0, color=plots.COLOURS[1]
            )
            direction.set(xlabel="revolution")
        axes[0, 0].set_ylabel(f"along i{b + 1}")
        axes[1, 0].set_ylabel("direction [°]")
        figure.suptitle(
            "Position of the journal / clearance, and its direction, once per revolution", fontsize=10
        )
        plots.save(figure, path)


def main() -> None:
    """Run or read, print, draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("case", choices=sorted(CRANKS))
    parser.add_argument("--turns", type=int, default=400)
    parser.add_argument("--first", type=int, default=5, help="turn: before it the motion settles")
    parser.add_argument("--last", type=int, default=None, help="turn, all when left out")
    parser.add_argument("--out", type=Path, default=Path("sections"))
    given = parser.parse_args()
    p, result = stored(given.case, given.turns, given.out)
    found = sections(given.case, p, result, given.first, given.last)
    for angle, points in zip(ANGLES, found, strict=True):
        print(f"{angle:g} degrees, {len(points)} turns: {recurrence(points)}; {exponent(points)}")
    draw(given.case, found, given.first, given.out / f"{given.case}_sections.png")


if __name__ == "__main__":
    main()
