"""Search for data that the paper does not give: lengths of the beams and arrangement of the three blades.

    python docs/studies/turbine_blades.py

Lengths: least squares of the relative errors of one blade's frequencies, for beams that end at the faces of tie-boss
and tip or at their centres. Arrangements: each is set beside all that the paper says of three blades (`statements`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import pi, radians

import numpy as np
from scipy.optimize import brentq, least_squares

from fem_mbd import InputError, Model, modes
from fem_mbd.cases.turbine_blades.model import (
    TABLE_3,
    TABLE_4,
    TABLE_5,
    TIE,
    Parameters,
    Row,
    add_blade,
    blade_frequencies,
    coupled_frequencies,
    row_of,
)
from fem_mbd.cases.turbine_blades.results import flexibility, sticking_response

TARGETS = {
    "table 3": np.array((TABLE_3,)),
    "table 4": np.array((TABLE_4,)),
    "both": np.array((TABLE_3, TABLE_4)),
}
STARTS = ((0.11, 0.05), (0.04, 0.13))  # m
HERTZ, FORCE, SWEPT = 30.0, 3.0, 2.0  # Hz, N, N: of the statements


def match_lengths(
    start: tuple[float, float], p: Parameters, targets: np.ndarray
) -> tuple[Parameters, np.ndarray]:
    """Parameters with matched lengths, and their frequencies (3,) in Hz; targets (t, 3) Hz."""

    def with_lengths(lengths: np.ndarray) -> Parameters:
        return replace(p, lower_length=float(lengths[0]), upper_length=float(lengths[1]))

    def misses(lengths: np.ndarray) -> np.ndarray:
        return (blade_frequencies(with_lengths(lengths)) / targets - 1.0).ravel()

    found = with_lengths(least_squares(misses, start, bounds=(0.005, 0.4)).x)
    return found, blade_frequencies(found)


@dataclass(frozen=True)
class OneBlade:
    """tip : N/m, stiffness at the tip along i1; height : first mode, displacement of the tie-boss over that of the tip.

    growth : work of 2 N at the centre tip in resonance over that of both faces' kinetic friction, for large swings;
        below one there is no resonance
    """

    tip: float
    height: float
    growth: float


def one_blade(p: Parameters) -> OneBlade:
    """What does not depend on the row."""
    model = Model(name="blade")
    blade = add_blade(model, p, "blade", np.zeros(3), 0.0)
    shape = modes(model, 1, undamped=True).shapes[0, :, 0].real
    height = float(shape[blade.tie.node.index] / shape[blade.tip.node.index])
    friction = 2.0 * p.mu_k * p.preload
    tip = 1.0 / float(flexibility(p, 0.0, [], 0.0)[0, 0])
    # per period: pi F X of the force, 4 R of friction over a path of 4 height X
    return OneBlade(tip, height, pi * SWEPT / (4.0 * friction * height))


def match_solid(p: Parameters) -> tuple[Parameters, np.ndarray]:
    """Parallel blades set back to one side: lengths, set-back and spacing from the six frequencies of the solid model.

    Returns the parameters and the relative errors (6,), one blade first.
    """
    wanted = np.array((*TABLE_4, *TABLE_5))

    def place(x: np.ndarray) -> Parameters:
        lower, upper, back, spacing = (float(value) for value in x)
        return replace(
            p, set="cad", lower_length=lower, upper_length=upper, set_back=back, spacing=spacing, turn=0.0
        )

    def misses(x: np.ndarray) -> np.ndarray:
        q = place(x)
        return np.concatenate([blade_frequencies(q), coupled_frequencies(q)]) / wanted - 1.0

    found = least_squares(
        misses, (0.115, 0.05, 0.01, 0.04), bounds=((0.01, 0.01, 0.0, 0.034), (0.3, 0.3, 0.05, 0.08))
    )
    return place(found.x), misses(found.x)


def match_turn(p: Parameters, same_way: bool = False) -> float:
    """Turn of the outer blades in degrees, opposite or the same way, that gives the first linked frequency.

    Raises InputError when no turn does.
    """

    def miss(turn: float) -> float:
        return float(coupled_frequencies(p, turned(turn, same_way))[0] - TABLE_5[0])

    try:
        return float(brentq(miss, 5.0, 60.0, xtol=1e-3))
    except ValueError:
        raise InputError(f"turbine_blades: no turn of the outer blades gives {TABLE_5[0]:g} Hz") from None


def turned(turn: float, same_way: bool = False) -> Row:
    """Outer blades turned by ``turn`` (deg) about their own axes."""
    angle = radians(turn)
    return Row((angle if same_way else -angle, angle))


def arrangements(p: Parameters) -> Iterator[tuple[str, Row]]:
    """Name and row of every hypothesis."""
    yield "the solid model's: parallel, both set back", row_of(Parameters(set="cad"))
    yield "parallel, along i2", turned(0.0)
    yield "parallel, along i1 (frame)", Row((0.0, 0.0), (TIE[0], 0.0, 0.0))
    slant = radians(30.0)
    yield (
        "parallel, row slanted by 30 deg",
        Row((0.0, 0.0), (TIE[1] * np.sin(slant), TIE[1] * np.cos(slant), 0.0)),
    )
    for same_way, name in ((False, "opposite ways"), (True, "the same way")):
        try:
            turn = match_turn(p, same_way)
        except InputError:
            continue
        yield f"outer turned {turn:.1f} deg, {name}", turned(turn, same_way)
    yield "outer turned 90 deg", turned(90.0)
    yield "outer turned 90 deg, linked at points", replace(turned(90.0), link="points")


def statements(p: Parameters, row: Row) -> str:
    """What the paper says of three blades, for one row, as cells of a table."""
    linked = coupled_frequencies(p, row)
    held = sticking_response(p, HERTZ, row)
    cells = (
        ", ".join(f"{f:.0f}" for f in linked),
        f"{1e6 * FORCE * held.tip:.0f}",
        f"{held.onset(p.mu_s, p.preload):.2f}",
        f"{p.preload - SWEPT * held.normal.max():.1f} to {p.preload + SWEPT * held.normal.max():.1f}",
    )
    return " | ".join(cells)


def length_sets(p: Parameters) -> Iterator[tuple[str, Parameters, np.ndarray]]:
    """Name, parameters and frequencies of every distinct match of the lengths."""
    for ends in ("faces", "centres"):
        for name, targets in TARGETS.items():
            seen: list[float] = []
            for start in STARTS:
                found, frequencies = match_lengths(start, replace(p, ends=ends), targets)
                length = found.geometry.lower_length
                if all(abs(length - other) > 1e-4 for other in seen):
                    seen.append(length)
                    yield f"{ends}, {name}", found, frequencies


def main() -> None:
    """Print both tables and the match of the solid model."""
    sets = list(length_sets(Parameters()))
    print("| beams end at, matched to | lengths [mm] | one blade [Hz] | tip [kN/m] | height | growth |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, p, frequencies in sets:
        one = one_blade(p)
        cells = (
            name,
            f"{1e3 * p.geometry.lower_length:.1f}, {1e3 * p.geometry.upper_length:.1f}",
            ", ".join(f"{f:.1f}" for f in frequencies),
            f"{1e-3 * one.tip:.1f}",
            f"{one.height:.2f}",
            f"{one.growth:.2f}",
        )
        print(f"| {' | '.join(cells)} |")
    print("\n| lengths | row | linked [Hz] | tip, 3 N [um] | slip from [N] | normal force at 2 N [N] |")
    print("| --- | --- | --- | --- | --- | --- |")
    for _, p, _ in sets:
        for arrangement, row in arrangements(p):
            lengths = f"{1e3 * p.geometry.lower_length:.1f}, {1e3 * p.geometry.upper_length:.1f} {p.ends}"
            print(f"| {lengths} | {arrangement} | {statements(p, row)} |")
    solid, errors = match_solid(Parameters())
    g = solid.geometry
    print(
        f"\nsolid model: beams of {1e3 * g.lower_length:.1f} and {1e3 * g.upper_length:.1f} mm, set back by "
        f"{1e3 * g.set_back:.1f} mm, {1e3 * g.spacing:.1f} mm apart; errors [%]: "
        + ", ".join(f"{100 * e:.2f}" for e in errors)
    )


if __name__ == "__main__":
    main()
