"""Poincaré sections of the two slider-cranks under weight alone, at the lowest position of the crank.

    python docs/studies/swings.py translational_joint_friction --out DIR
    python docs/studies/swings.py revolute_clearance_3d --starts 5 --out DIR

Runs the variants of the case, friction laws of the guide or clearances of the bearing with neighbouring starts, each
into a file in DIR; a file that is there is read. Prints the crank's speed at each passage, both ways, and draws
DIR/CASE_sections.png; chaos.md keeps both. Time of processor: 10 s a run of the first case, 20 s of the second.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import fem_mbd as fm
from fem_mbd import plots
from fem_mbd.cases import load_case
from fem_mbd.cases.revolute_clearance_3d.model import SIZES, starts

GUIDE, BEARING = "translational_joint_friction", "revolute_clearance_3d"
QUANTITIES = {GUIDE: ("position", "omega"), BEARING: ("position", "omega", "contact", "journal")}
Groups = dict[str, list[np.ndarray]]  # sections (n, 4) of runs by the name of the variant


def variants(name: str, count: int) -> Iterator[tuple[str, list[Any]]]:
    """Names and parameters of the runs."""
    p = load_case(name).parameters()
    if name == GUIDE:
        for law in ("none", "coulomb", "stribeck", "dahl", "lugre"):
            yield law, [replace(p, friction=law)]
    else:
        for n in SIZES:
            yield f"simulation {n}", starts(replace(p, simulation=n, starts=count))


def section(result: Any, clearances: tuple[float, float]) -> np.ndarray:
    """(n, 4): the crank's speed (rad/s) where it passes below, and where the journal is then, over the clearances."""
    crank = result.of("crank")
    x, _, z = crank.position.T
    below = np.unwrap(np.arctan2(-x, z)) - np.pi
    place = np.zeros((len(x), 3))
    if clearances[0] > 0.0:
        across, along = clearances
        place = result.of("bearing").offset / (across, across, 0.5 * along)
    return fm.surface_section(np.sin(0.5 * below), np.column_stack([-crank.omega[:, 1], place]), direction=0)


def found(name: str, count: int, folder: Path) -> Groups:
    """Sections of all runs, from their files where there are any."""
    groups: Groups = {}
    for variant, runs in variants(name, count):
        for number, p in enumerate(runs):
            file = folder / f"{name}-{variant.replace(' ', '-')}-{number}.h5"
            if not file.exists():
                folder.mkdir(parents=True, exist_ok=True)
                fm.run(load_case(name).build(p), file=file, quantities=QUANTITIES[name])
            sizes = SIZES[p.simulation] if name == BEARING else (0.0, 0.0, 0.0, 0.0)
            clearances = sizes[0] - sizes[1], sizes[2] - sizes[3]
            groups.setdefault(variant, []).append(section(fm.Result.open(file), clearances))
    return groups


def tell(groups: Groups) -> None:
    """The crank's speeds at the passages: of one run, or mean and scatter of all that have the passage."""
    for variant, runs in groups.items():
        told = []
        for k in range(max(map(len, runs))):
            speeds = [run[k, 0] for run in runs if len(run) > k]
            told.append(
                f"{np.mean(speeds):.4g}" + (f" +- {np.std(speeds, ddof=1):.2g}" if len(speeds) > 1 else "")
            )
        print(f"{variant}: {len(runs)} runs; rad/s at the passages: {', '.join(told)}")


def draw_speeds(groups: Groups, path: Path) -> None:
    """The crank's speed at each passage over that at the previous one."""
    with plots.styled():
        figure, axes = plots.new_figure(1, height=3.4)
        panel = axes[0, 0]
        for colour, (variant, runs) in zip(plots.COLOURS, groups.items(), strict=False):
            speed = np.abs(runs[0][:, 0])
            panel.plot(speed[:-1], speed[1:], "o-", markersize=4, linewidth=0.6, color=colour, label=variant)
        top = 1.05 * max(float(np.abs(runs[0][:, 0]).max()) for runs in groups.values())
        panel.plot([0.0, top], [0.0, top], color="0.6", linewidth=0.6)
        panel.set(xlabel="speed of the crank at a passage [rad/s]", ylabel="at the next passage [rad/s]")
        panel.legend()
        plots.save(figure, path)


def draw_places(groups: Groups, path: Path) -> None:
    """Positions of the journal at the passages, in one colour for each number of the passage."""
    circle = np.linspace(0.0, 2.0 * np.pi, 200)
    with plots.styled():
        figure, axes = plots.new_figure(1, len(groups), height=2.8, share_x=False)
        for panel, (variant, runs) in zip(axes[0], groups.items(), strict=True):
            panel.plot(np.cos(circle), np.sin(circle), color="0.6", linewidth=0.6)
            for k, label in enumerate(("first", "second")):
                at = np.array([run[k] for run in runs if len(run) > k]).reshape(-1, 4)
                panel.plot(
                    at[:, 1], at[:, 2], "o", markersize=3, color=plots.COLOURS[k], label=f"{label} passage"
                )
            panel.set(title=variant, aspect="equal", xlabel="position / clearance, axis 1")
        axes[0, 0].set_ylabel("position / clearance, axis 2")
        axes[0, 0].legend(loc="lower right", fontsize=6)
        plots.save(figure, path)


def main() -> None:
    """Run or read, print, draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("case", choices=(GUIDE, BEARING))
    parser.add_argument("--starts", type=int, default=5, help="of each clearance")
    parser.add_argument("--out", type=Path, default=Path("sections"))
    given = parser.parse_args()
    groups = found(given.case, given.starts, given.out)
    tell(groups)
    path = given.out / f"{given.case}_sections.png"
    (draw_speeds if given.case == GUIDE else draw_places)(groups, path)


if __name__ == "__main__":
    main()
