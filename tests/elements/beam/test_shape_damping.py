"""Damping of bending shapes: ratios of a uniform cantilever in closed form, energy, linear models."""

import numpy as np
import pytest

from fem_mbd import InputError, Model, linearise, modes
from fem_mbd.elements import Beam, BeamHandle, Section
from fem_mbd.elements.beam.shape_damping import BendingShapes, ShapeDamping
from fem_mbd.machines import fit_mode_shape
from tests.core.scheme_tools import column, run, simulation, worst_residual
from tests.machines.test_mode_polynomials import X, cantilever

ROOTS = (1.875104068711961, 4.694091132974174)
LENGTH, MASS, BENDING = 10.0, 5.0, 2e4
OMEGA = np.array([root**2 * np.sqrt(BENDING / MASS) / LENGTH**2 for root in ROOTS])
RATIOS = np.array([0.02, 0.005])


def shapes(times: np.ndarray) -> BendingShapes:
    rows = [fit_mode_shape("", X, cantilever(X, root)).coefficients for root in ROOTS]
    return BendingShapes("bend3", np.array(rows), times)


def held(times: np.ndarray, elements: int = 6, made: BendingShapes | None = None) -> tuple[Model, BeamHandle]:
    """Slender, five times as stiff across, rotated about its axis; in general position."""
    section = Section(
        np.diag([1e7, 1e7, 1e7, 1e6, 5 * BENDING, BENDING]), MASS, 1e-4 * np.diag([2.0, 1.0, 1.0])
    )
    model = Model()
    handle = model.add(
        Beam(
            section,
            start=(1, 2, 3),
            end=(1 + 6, 2 + 8, 3),
            up=(0.8, -0.6, 1.0),
            elements=elements,
            damping=0.0 if made is None else (0, 0, 0, 0, 0, made.base),
        )
    )
    model.fix(handle.start)
    if made is None:
        made = shapes(times)
    model.add(ShapeDamping(handle, made))
    return model, handle


def test_a_uniform_cantilever_has_its_ratios() -> None:
    """eta = 2 zeta/omega gives each of both modes its ratio; bending the other way has none."""
    model, _ = held(2 * RATIOS / OMEGA)
    found = modes(model, 4)
    across = np.sqrt(5.0) * OMEGA
    order = np.argsort([*OMEGA, across[0]])
    wanted = np.array([*OMEGA, across[0]])[order], np.array([*RATIOS, 0.0])[order]
    assert 2 * np.pi * found.frequencies_hz[:3] == pytest.approx(wanted[0], rel=2e-3)
    assert found.damping_ratios[:3] == pytest.approx(wanted[1], rel=0.01, abs=1e-5)


def test_free_vibration_decays_with_the_damping_ratio() -> None:
    """exp(-4 pi zeta) of the energy in a period, although the tangent of a step does not include it."""
    model, handle = held(2 * RATIOS / OMEGA)
    shape = modes(model, 1).shapes[0].real
    for node in handle.nodes:
        model.set_velocity(node, 1e-3 * shape[node.index, :3], 1e-3 * shape[node.index, 3:])
    period = 2 * np.pi / OMEGA[0]
    sim = simulation(model, period / 60, 2 * period)
    ledger = run(sim)
    total = column(ledger, "kinetic") + column(ledger, "elastic")
    assert total[-1] / total[59] == pytest.approx(np.exp(-4 * np.pi * RATIOS[0]), rel=5e-3)
    assert worst_residual(sim, ledger) < 1e-9


def test_linear_models_have_the_power_of_elastodyn() -> None:
    """q' . C q' with C_ij = eta_j K_ij, as the program has it, of any motion in two shapes: of x^2 and x^3."""
    times = np.array([0.02, 0.012])
    made = BendingShapes("bend3", np.eye(5)[:2], times, base=0.02)
    model, handle = held(times, 12, made)
    linear = linearise(model)
    damping, stiffness = linear.damping, linear.stiffness
    x = np.array([np.linalg.norm(node.position - handle.start.position) for node in handle.nodes]) / LENGTH
    powers = np.arange(2, 2 + made.coefficients.shape[1])
    place = made.coefficients @ (x[:, None] ** powers).T
    slope = made.coefficients @ (powers * x[:, None] ** (powers - 1)).T / LENGTH
    motion = np.zeros((2, len(model.nodes), 6))
    turn = handle.offset_rotation.T @ [0.0, 0.0, 1.0]
    for k in range(2):
        for at, node in enumerate(handle.nodes):
            motion[k, node.index, :3] = place[k, at] * (
                node.rotation @ handle.offset_rotation.T @ [0.0, 1.0, 0.0]
            )
            motion[k, node.index, 3:] = slope[k, at] * turn
    free = motion.reshape(2, -1)[:, ~linear.system.fixed.ravel()]
    elastic = free @ stiffness @ free.T
    assert elastic == pytest.approx(BENDING / LENGTH**3 * np.array([[4.0, 6.0], [6.0, 12.0]]), rel=1e-6)
    elastodyn = elastic * times
    assert free @ damping @ free.T == pytest.approx(0.5 * (elastodyn + elastodyn.T), rel=1e-6)


@pytest.mark.parametrize(
    ("times", "rows", "message"),
    [
        ([-1.0, 0.0], None, "none may be negative"),
        ([1.0, 1.0], [[1.0, 0, 0, 0, 0], [2.0, 0, 0, 0, 0]], "not linearly independent"),
    ],
)
def test_bad_input(times: list[float], rows: list[list[float]] | None, message: str) -> None:
    model, handle = held(np.zeros(2))
    made = (
        shapes(np.array(times)) if rows is None else BendingShapes("bend2", np.array(rows), np.array(times))
    )
    with pytest.raises(InputError, match=message):
        model.add(ShapeDamping(handle, made))
