"""Cantilever bent by an end moment into a circle: u = (EI/M) sin(ML/EI) - L, v = (EI/M)(1 - cos(ML/EI)).

Closed form of pure bending, exact also for a beam that can stretch and shear, since the end moment does neither.
The values for M = 12.5664 are those that public codes keep as reference.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.validation.beams import cantilever, grown, section, tip_under

EI, LENGTH = 100.0, 10.0
CROSS = section(1e4, 1e4, 100.0, EI, EI)


def tip(turns: float, elements: int, order: int = 4, steps: int = 20) -> np.ndarray:
    model, beam = cantilever(LENGTH, CROSS, elements, order)
    moment = grown([0, 0, 1], 2 * np.pi * turns * EI / LENGTH)
    return tip_under(model, beam, steps, moment=moment)[0]


def exact(turns: float) -> np.ndarray:
    angle = 2 * np.pi * turns
    return LENGTH / angle * np.array([np.sin(angle), 1 - np.cos(angle), 0.0])


def test_published_quarter_of_a_turn() -> None:
    model, beam = cantilever(LENGTH, CROSS, 8)
    place, _ = tip_under(model, beam, 10, moment=grown([0, 0, 1], 12.5664))
    assert place - [LENGTH, 0, 0] == pytest.approx([-2.43174319, 5.49867743, 0.0], abs=1e-7)


@pytest.mark.parametrize(("turns", "elements", "bound"), [(1, 12, 3e-6), (2, 20, 2e-5)])
def test_full_turns(turns: int, elements: int, bound: float) -> None:
    """From the straight beam; the bound is the discretisation error, which falls with h^6."""
    error = np.linalg.norm(tip(turns, elements, steps=20 * turns) - exact(turns)) / LENGTH
    assert error < bound


@pytest.mark.parametrize(("order", "meshes"), [(2, (4, 8, 16)), (3, (2, 4, 8)), (4, (2, 3, 5))])
def test_order_in_space_is_twice_the_number_of_gauss_points(order: int, meshes: tuple[int, ...]) -> None:
    """h^2, h^4, h^6 with 2, 3, 4 nodes."""
    target = exact(0.25)
    errors = [np.linalg.norm(tip(0.25, n, order, steps=6) - target) for n in meshes]
    slope = -np.polyfit(np.log(meshes), np.log(errors), 1)[0]
    assert slope == pytest.approx(2 * (order - 1), abs=0.3)
