"""Figure and table of iea22_steady.md: steady states of the IEA 22 MW rotor over the wind beside HAWC2 and OpenFAST.

From the root of the repository: `python -m docs.studies.iea22_steady`; it takes half a minute. The numbers of both
programs are in iea22_steady.csv.
"""

from __future__ import annotations

import csv
from pathlib import Path
from time import process_time

import matplotlib.pyplot as plt
import numpy as np

from fem_mbd.machines import read_machine

HERE = Path(__file__).parent
FILE = HERE.parent / "figures" / "iea22_steady.png"
DECK = HERE.parents[1] / "tests" / "machines" / "decks" / "iea22" / "iea22_wind.htc"
RPM = np.pi / 30.0  # rad/s
TITLES = ("thrust [kN]", "power [kW]", "tip to the suction side [m]", "twist of the tip [deg]")


def of_code(name: str) -> np.ndarray:
    """(winds, 7) wind m/s, pitch deg, speed rpm, thrust kN, power kW, tip m, twist deg of a program."""
    with (HERE / "iea22_steady.csv").open() as file:
        return np.array([row[1:] for row in csv.reader(file) if row[0] == name], dtype=float)


def ours(winds: np.ndarray, pitch: np.ndarray, speed: np.ndarray) -> np.ndarray:
    """(winds, 4) thrust kN, power kW, tip m, twist deg."""
    machine = read_machine(DECK, radii_at="elastic centre")
    found = machine.steady(winds, pitch=np.radians(pitch), speed=speed * RPM, elements=18).states
    return np.array(
        [[s.thrust / 1e3, s.power / 1e3, s.tip_deflection[0], np.degrees(s.tip_twist)] for s in found]
    )


def main() -> None:
    """Steady states at the pitch and speed of each program's cases; the figure, and the differences as a table."""
    figure, axes = plt.subplots(2, 2, figsize=(9, 6), sharex=True, layout="constrained")
    begun = process_time()
    for name, colour, mark in (("HAWC2", "C0", "o"), ("OpenFAST", "C1", "s")):
        table = of_code(name)
        winds, theirs = table[:, 0], table[:, 3:]
        here = ours(*table[:, :3].T)
        for ax, column, own in zip(axes.flat, theirs.T, here.T, strict=True):
            ax.plot(winds, column, mark, color=colour, fillstyle="none", label=name)
            ax.plot(winds, own, "-", color=colour, label=f"here, at the pitch and speed of {name}")
        largest = np.abs(theirs).max(axis=0)
        for wind, own, one in zip(winds, here, theirs, strict=True):
            shares = [f"{100 * (a - b) / b:+.1f} %" for a, b in zip(own[:2], one[:2], strict=True)]
            shares += [f"{100 * (own[k] - one[k]) / largest[k]:+.1f} %" for k in (2, 3)]
            print(f"| {name} | {wind:g} |", " | ".join(shares), "|")
    for ax, title in zip(axes.flat, TITLES, strict=True):
        ax.set(title=title)
        ax.grid(alpha=0.3)
    for ax in axes[1]:
        ax.set(xlabel="wind [m/s]")
    axes[0, 0].legend(fontsize=8)
    figure.savefig(FILE, dpi=110)
    print(f"{process_time() - begun:.1f} s of CPU time")


if __name__ == "__main__":
    main()
