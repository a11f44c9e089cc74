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
from tests.validation.cantilevers import Array, axes, clamped, grow, place, section

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


@pytest.mark.parametrize("turns", [1, 2])
def test_full_turns(turns: int) -> None:
    """Ten elements per turn leave 6.8e-6 of the length (error ~ h^6: 5.6e-4 with five, 1.0e-7 with twenty).

    Load steps of nine degrees: Newton takes at most six iterations in each, and none fails.
    """
    moment = 2 * np.pi * turns * EI / LENGTH
    sim, beam = roll_up(moment, 40 * turns, 10 * turns)
    assert place(sim, beam.end) == pytest.approx(circle(moment), abs=1e-5 * LENGTH)
    # the tip's angle is that error over the radius
    assert axes(sim, beam.end) == pytest.approx(np.eye(3), abs=1e-4 * turns)
    moments = sim.outputs()["section_force"][beam.gauss_rows]
    # at the Gauss points inside an element the error is of lower order than at the tip
    assert moments[:, 5] == pytest.approx(moment, rel=5e-4)
    assert np.abs(moments[:, :5]).max() < 5e-4 * moment
    assert sim.counters["rejected"] == 0
    assert sim.counters["newton_iterations"] < 6 * sim.counters["steps"]


def test_stored_values() -> None:
    """EI = 100, L = 10, M = 12.5664: eight digits kept by a public beam code; eight elements agree to 4e-9."""
    sim, beam = roll_up(12.5664, 20, 8)
    displacement = place(sim, beam.end) - (LENGTH, 0, 0)
    assert displacement == pytest.approx([-2.43174319, 5.49867743, 0.0], abs=1e-8)


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
