"""A cantilever bent by an end moment into a circle: closed form.

J. C. Simo, L. Vu-Quoc, A three-dimensional finite-strain rod model, part II: computational aspects,
Computer Methods in Applied Mechanics and Engineering 58 (1986) 79-116, pure bending of a cantilever. The
moment is constant along the beam, so is the curvature M/EI: the tip of a beam along x is at x = (EI/M)
sin(ML/EI), y = (EI/M) (1 - cos(ML/EI)), whatever axial and shear stiffness are. Two full turns (M = 4 pi
EI/L) from the straight beam are asked for.
"""

from __future__ import annotations

import numpy as np
import pytest

from fem_mbd.elements import BeamHandle, Moment
from fem_mbd.relaxation import relax
from fem_mbd.simulation import Simulation
from tests.scheme_tools import order
from tests.validation.cantilevers import Array, axes, clamped, grow, place, section, shape
from tests.validation.checking import check
from tests.validation.problem import Number, Picture, Problem, Solution, numbers, ours, reference

EI, LENGTH = 100.0, 10.0
PERIOD = 10.0  # s, between the first two periods, 18 and 3 s


def roll_up(moment: float, steps: int, elements: int, nodes: int = 4) -> tuple[Simulation, BeamHandle]:
    """The beam at rest under a moment about z."""
    model, beam = clamped(section(1e4, 1e4, EI, EI), LENGTH, elements=elements, order=nodes)
    end = steps * PERIOD
    model.add(Moment(beam.end, grow((0, 0, moment), end)))
    return relax(model, end, steps), beam


def circle(moment: float) -> Array:
    """Closed form of the tip's place."""
    angle, radius = moment * LENGTH / EI, EI / moment
    return np.array([radius * np.sin(angle), radius * (1 - np.cos(angle)), 0.0])


def full_turns(turns: int) -> tuple[list[Number], Array]:
    """Numbers at the end of whole turns, and places (n, 3) of the nodes.

    Ten elements per turn leave 6.8e-6 of the length (error ~ h^6: 5.6e-4 with five, 1.0e-7 with twenty).
    Load steps of nine degrees: Newton takes at most six iterations in each, and none fails.
    """
    moment = 2 * np.pi * turns * EI / LENGTH
    sim, beam = roll_up(moment, 40 * turns, 10 * turns)
    assert sim.counters["rejected"] == 0
    assert sim.counters["newton_iterations"] < 6 * sim.counters["steps"]
    tip, turn, moments = place(sim, beam.end), axes(sim, beam.end), sim.outputs()["section_force"]
    at = f"{turns} turn{'s' * (turns - 1)}, "
    places = dict(zip(("x", "y", "z"), circle(moment), strict=True))
    found = numbers(f"{at}tip ", "m", places, tip, 1e-5 * LENGTH)
    # the tip's angle is that error over the radius
    angle = np.arctan2(turn[1, 0], turn[0, 0])
    found += numbers(at, "rad", {"angle of the tip": 0.0}, [angle], 1e-4 * turns)
    # at the Gauss points inside an element the error is of lower order than at the tip
    bending = moments[beam.gauss_rows][:, 5]
    extremes = {"smallest section moment": moment, "largest section moment": moment}
    found += numbers(at, "N m", extremes, [bending.min(), bending.max()], 5e-4 * moment)
    assert np.abs(moments[beam.gauss_rows][:, :5]).max() < 5e-4 * moment
    return found, shape(sim, beam)


def solve() -> Solution:
    """Full turns; and eight digits kept by a public beam code for M = 12.5664, where eight elements agree to 4e-9."""
    stored = {"x": -2.43174319, "y": 5.49867743, "z": 0.0}
    sim, beam = roll_up(12.5664, 20, 8)
    found = numbers("M = 12.5664, displacement ", "m", stored, place(sim, beam.end) - (LENGTH, 0, 0), 1e-8)
    line = shape(sim, beam)
    curves = [ours(line[:, 0], line[:, 1], "0.2 turns")]
    for turns in (1, 2):
        rows, line = full_turns(turns)
        found += rows
        curves.append(ours(line[:, 0], line[:, 1], f"{turns} turn{'s' * (turns - 1)}"))
    ends = np.array([circle(m * EI / LENGTH) for m in (1.25664, 2 * np.pi, 4 * np.pi)])
    curves.append(reference(ends[:, 0], ends[:, 1], "closed form, tip"))
    return Solution(found, [Picture("x [m]", "y [m]", curves, equal=True)])


PROBLEM = Problem(
    name="roll_up",
    title="Cantilever rolled up by an end moment",
    group="Statics",
    source="Simo & Vu-Quoc 1986",
    reference="closed form; eight digits of a public beam code",
    solve=solve,
)


def test_tip_and_moments() -> None:
    check(PROBLEM)


@pytest.mark.parametrize(
    "nodes, counts, expected", [(2, (8, 16, 32), 2), (3, (4, 8, 16), 4), (4, (2, 4, 8), 6)]
)
def test_orders_in_space(nodes: int, counts: tuple[int, ...], expected: int) -> None:
    """h^2, h^4, h^6 with 2, 3, 4 nodes, in a quarter turn."""
    moment = 0.5 * np.pi * EI / LENGTH
    errors = []
    for count in counts:
        sim, beam = roll_up(moment, 10, count, nodes)
        errors.append(float(np.linalg.norm(place(sim, beam.end) - circle(moment))))
    assert order(errors, [1 / n for n in counts]) == pytest.approx(expected, abs=0.2)
