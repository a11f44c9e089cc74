"""The digits that other tests hold against the package, computed anew by the reference program.

`tests/core/scheme/test_second_implementation.py`, `tests/validation/test_flying_beam.py` and
`tests/validation/test_right_angle_cantilever.py` take them as those of an independent program: this is one. It knows
the models from the publications and from the tests' descriptions, and nothing of the package.
"""

from typing import Any

import numpy as np
import pytest

from tests.core.scheme.test_second_implementation import BEAM, PENDULUM
from tests.reference.parts import NODES, WEIGHTS, Beam, Joint, axis_of, equal, point_on, square
from tests.reference.scheme import EYE, Program
from tests.validation.test_flying_beam import KEPT
from tests.validation.test_right_angle_cantilever import EXPECTED

pytestmark = pytest.mark.slow


def double_pendulum(elbow: str) -> Program:
    """Ground, a body on a hinge about axis 2, and a second one at its end, 1 m on."""
    inertia = np.array([0 * EYE, np.diag([0.01, 0.1, 0.1]), np.diag([0.06, 0.15, 0.2])])
    none, half = np.zeros(3), np.array([0.5, 0, 0])
    hinge = [
        equal(point_on(0, none), point_on(1, -half)),
        *(square(axis_of(0, EYE[1]), axis_of(1, EYE[k])) for k in (0, 2)),
    ]
    ball = [equal(point_on(0, half), point_on(1, -half))]
    if elbow == "universal":
        ball.append(square(axis_of(0, EYE[1]), axis_of(1, EYE[2])))
    place = np.array([none, half, 3 * half])
    program = Program(
        np.array([0.0, 1.0, 2.0]), inertia, place, np.array([EYE] * 3),
        joints=[Joint(0, 1, np.concatenate(hinge)), Joint(1, 2, np.concatenate(ball))],
        fixed=[0], gravity=np.array([0, 0, -9.81]),
    )  # fmt: skip
    spin = np.array([0, 3.0, 0])
    turn = np.array([0, 3.0, 1.5] if elbow == "spherical" else [0, 5.0, 1.0])
    program.omega[1:] = spin, turn
    program.v[1] = np.cross(spin, half)
    program.v[2] = np.cross(spin, 2 * half) + np.cross(turn, half)
    return program


@pytest.mark.parametrize("elbow", PENDULUM)
def test_double_pendulum(elbow: str) -> None:
    place, spin, lost = PENDULUM[elbow]
    program = double_pendulum(elbow)
    for _ in range(20):
        program.step(0.05)
    assert program.u[2] == pytest.approx(place, abs=2e-12)
    assert program.omega[2] == pytest.approx(spin, abs=2e-12)
    assert program.lost == pytest.approx(lost, rel=1e-11)


def straight(start: Any, end: Any, elements: int, nn: int) -> tuple[Any, Any]:
    """Places (nodes, 3) and the elements' nodes (elements, nn)."""
    s = np.concatenate([[0.0], *(e + (NODES[nn][1:] + 1) / 2 for e in range(elements))]) / elements
    ids = np.arange(nn) + (nn - 1) * np.arange(elements)[:, None]
    return np.asarray(start) + s[:, None] * (np.asarray(end, dtype=float) - start), ids


def lumped(ids: Any, length: float, count: int, per_length: Any) -> Any:
    """Mass or inertia per length on the nodes of elements of equal length."""
    total = np.zeros((count, *np.shape(per_length)))
    for element in ids:
        for n, weight in zip(element, WEIGHTS[len(element)], strict=True):
            total[n] += weight * length / 2 * np.asarray(per_length)
    return total


def test_free_flexible_beam() -> None:
    """Coupled stiffness, mass centre off the line."""
    coupling = np.random.default_rng(7).normal(size=(6, 6))
    stiffness = 20.0 * (np.diag([5.0, 3.0, 4.0, 2.0, 2.5, 3.5]) + 0.15 * (coupling + coupling.T))
    inertia = np.array([[0.3, 0.01, 0.02], [0.01, 0.2, 0.03], [0.02, 0.03, 0.25]])
    centre = np.array([0.0, 0.1, -0.15])
    line, ids = straight((0, 0, 0), (5, 0, 0), 2, 3)
    n = len(line)
    program = Program(
        lumped(ids, 2.5, n, 2.0), lumped(ids, 2.5, n, inertia), line + centre, np.array([EYE] * n),
        beams=[Beam(ids, [2.5, 2.5], stiffness, -centre)],
    )  # fmt: skip
    spin = np.array([0.6, 0.4, 2.5])
    for k, (x, *_) in enumerate(line):
        bow = np.array([0, 0, 3 * np.sin(np.pi * x / 5)])
        program.omega[k] = spin + np.array([0, -3 * np.pi / 5 * np.cos(np.pi * x / 5), 0])
        on_line = np.cross(spin, line[k] - (2.5, 0, 0)) + bow + (0.5, 0, 0.2)
        program.v[k] = on_line + np.cross(program.omega[k], centre)
    for _ in range(20):
        program.step(0.02)
    place, turn, lost = BEAM
    assert program.u[-1] == pytest.approx(place, abs=2e-12)
    assert program.omega[-1] == pytest.approx(turn, abs=2e-12)
    assert program.lost == pytest.approx(lost, rel=1e-10)


def test_flying_beam() -> None:
    """Simo and Vu-Quoc's throw in space, 0.1 s to a step: what is left at 60 s of the energy at 5 s."""
    line, ids = straight((6, 0, 0), (0, 8, 0), 5, 3)
    n, along = len(line), np.array([-0.6, 0.8, 0.0])
    turn = np.column_stack([along, np.cross(EYE[2], along), EYE[2]])

    def load(t_i: float, t_f: float) -> tuple[Any, Any]:
        w_i, w_f = (80 * max(min(t, 5 - t), 0.0) for t in (t_i, t_f))
        size = np.array([w_i, w_f, w_f - w_i])[:, None]
        return size * (0.1, 0, 0), size * (0, -0.5, -1.0)

    program = Program(
        lumped(ids, 2.0, n, 1.0), lumped(ids, 2.0, n, np.diag([20.0, 10.0, 10.0])), line, np.array([turn] * n),
        beams=[Beam(ids, [2.0] * 5, np.diag([1e4, 1e4, 1e4, 500.0, 500.0, 500.0]), np.zeros(3))], load=load,
    )  # fmt: skip
    energies = []
    for _ in range(600):
        program.step(0.1, tolerance=1e-10)
        energies.append(program.energy())
    assert energies[-1] / energies[49] == pytest.approx(KEPT[0.1], abs=6e-6)


def test_right_angle_cantilever() -> None:
    """Simo and Vu-Quoc's two legs, 0.1 s to a step: what the scheme takes in 30 s, over the energy at 2 s.

    The load's two seconds count, in which it takes a twentieth of that.
    """
    first, ids = straight((0, 0, 0), (10, 0, 0), 3, 4)
    second, more = straight((10, 0, 0), (10, 10, 0), 3, 4)
    line, more = np.concatenate([first, second[1:]]), more + len(first) - 1
    n, length, none = len(line), 10 / 3, np.zeros((3, 3))
    stiffness = np.diag(
        [1e6, 1e6, 1e6, 1e3, 1e3, 1e3]
    )  # the same in all axes, so all nodes may have the global ones

    def load(t_i: float, t_f: float) -> tuple[Any, Any]:
        w_i, w_f = (50 * max(min(t, 2 - t), 0.0) for t in (t_i, t_f))
        return np.array([w_i, w_f, w_f - w_i])[:, None] * EYE[2], none

    inertia = lumped(ids, length, n, np.diag([20.0, 10.0, 10.0])) + lumped(
        more, length, n, np.diag([10.0, 20.0, 10.0])
    )
    program = Program(
        lumped(ids, length, n, 1.0) + lumped(more, length, n, 1.0), inertia, line, np.array([EYE] * n),
        beams=[Beam(leg, [length] * 3, stiffness, np.zeros(3)) for leg in (ids, more)],
        fixed=[0], load=load, loaded=len(first) - 1,
    )  # fmt: skip
    energies = []
    for _ in range(300):
        program.step(0.1, tolerance=1e-10)
        energies.append(program.energy())
    assert program.lost / energies[19] == pytest.approx(EXPECTED[0.1][1], abs=0.05e-3)
