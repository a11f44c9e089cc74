"""A cantilever bent by an end moment into a circle: closed form.

J. C. Simo, L. Vu-Quoc, A three-dimensional finite-strain rod model, part II: computational aspects, Computer Methods in
Applied Mechanics and Engineering 58 (1986) 79-116, pure bending of a cantilever. The moment is constant along the beam,
so is the curvature M/EI: the tip of a beam along x is at x = (EI/M) sin(ML/EI), y = (EI/M) (1 - cos(ML/EI)), whatever
axial and shear stiffness are. Two full revolutions (M = 4 pi EI/L) are computed from the straight beam.
"""

import numpy as np
import pytest

from fem_mbd.analysis.statics.equilibrium import Equilibrium, find_equilibrium
from fem_mbd.base.arrays import Array
from fem_mbd.elements import BeamHandle, Moment
from tests.core.scheme_tools import order
from tests.validation.cantilevers import axes, clamped, place, section, shape
from tests.validation.problem import Number, Picture, Problem, Solution, numbers, ours, reference

EI, LENGTH = 100.0, 10.0


def roll_up(moment: float, steps: int, elements: int, nodes: int = 4) -> tuple[Equilibrium, BeamHandle]:
    """The beam under a moment about z, from the straight one in about so many load steps."""
    model, beam = clamped(section(1e4, 1e4, EI, EI), LENGTH, elements=elements, order=nodes)
    model.add(Moment(beam.end, (0, 0, moment)))
    return find_equilibrium(model, load_steps=steps), beam


def circle(moment: float) -> Array:
    """Closed form of the tip's place."""
    angle, radius = moment * LENGTH / EI, EI / moment
    return np.array([radius * np.sin(angle), radius * (1 - np.cos(angle)), 0.0])


def full_turns(turns: int) -> tuple[list[Number], Array]:
    """Numbers at the end of whole turns, and places (n, 3) of the nodes.

    Ten elements per turn leave 6.8e-6 of the length (error ~ h^6: 5.6e-4 with five, 1.0e-7 with twenty).
    Load steps of a ninth to two ninths of a turn: Newton takes at most six iterations in each, and none fails.
    """
    moment = 2 * np.pi * turns * EI / LENGTH
    result, beam = roll_up(moment, 9 * turns, 10 * turns)
    assert result.path.failures == 0
    assert result.path.iterations < 6 * len(result.path.load_factors)
    tip, turn, moments = place(result, beam.end), axes(result, beam.end), result.of(beam).section_force()
    at = f"{turns} turn{'s' * (turns - 1)}, "
    places = dict(zip(("x", "y", "z"), circle(moment), strict=True))
    found = numbers(f"{at}tip ", "m", places, tip, 1e-5 * LENGTH)
    # the tip's angle is that error over the radius
    angle = np.arctan2(turn[1, 0], turn[0, 0])
    found += numbers(at, "rad", {"angle of the tip": 0.0}, [angle], 1e-4 * turns)
    # at the Gauss points inside an element the error is of lower order than at the tip
    bending = moments[:, 5]
    extremes = {"smallest section moment": moment, "largest section moment": moment}
    found += numbers(at, "N m", extremes, [bending.min(), bending.max()], 5e-4 * moment)
    assert np.abs(moments[:, :5]).max() < 5e-4 * moment
    return found, shape(result, beam)


def solve() -> Solution:
    """Full turns; and eight digits kept by a public beam code for M = 12.5664, where ten elements agree to 5e-9."""
    stored = {"x": -2.43174319, "y": 5.49867743, "z": 0.0}
    result, beam = roll_up(12.5664, 4, 10)
    found = numbers("M = 12.5664, displacement ", "m", stored, place(result, beam.end) - (LENGTH, 0, 0), 1e-8)
    line = shape(result, beam)
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


@pytest.mark.parametrize(
    "nodes, counts, expected", [(2, (8, 16, 32), 2), (3, (4, 8, 16), 4), (4, (2, 4, 8), 6)]
)
def test_orders_in_space(nodes: int, counts: tuple[int, ...], expected: int) -> None:
    """h^2, h^4, h^6 with 2, 3, 4 nodes, in a quarter turn."""
    moment = 0.5 * np.pi * EI / LENGTH
    errors = []
    for count in counts:
        result, beam = roll_up(moment, 4, count, nodes)
        errors.append(float(np.linalg.norm(place(result, beam.end) - circle(moment))))
    assert order(errors, [1 / n for n in counts]) == pytest.approx(expected, abs=0.2)
