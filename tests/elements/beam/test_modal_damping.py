"""Modal damping and fitted damping: damping ratios, rigid motion, exact energy balance, tangent."""

from typing import Any

import numpy as np
import pytest

from fem_mbd import InputError, Model, modes
from fem_mbd.elements import Beam, BeamHandle, ModalDamping, PointMass, fit_damping
from fem_mbd.elements.beam.clamped_modes import beam_modes
from tests.core.scheme_tools import column, random_step, run, simulation, tangent_error, worst_residual
from tests.elements.beam.beam_models import beam, line, section

RATIOS = (0.01, 0.02, 0.03, 0.005)


def held(damping: Any = 0.0, elements: int = 2) -> tuple[Model, BeamHandle]:
    """A curved and twisted cantilever with coupled sections."""
    model = Model()
    handle = model.add(Beam(section(1e4), line=line("curved"), elements=elements, damping=damping))
    model.fix(handle.start)
    return model, handle


def test_modes_of_an_isolated_beam_are_those_of_the_cantilever() -> None:
    model, handle = held()
    found = beam_modes(model, handle, 4, "x")
    assert found.omega / (2 * np.pi) == pytest.approx(modes(model, 4).frequencies_hz, rel=1e-9)
    products = np.einsum("kgi,lgi->kl", found.forces, found.strains)
    assert products == pytest.approx(np.diag(found.omega**2), abs=1e-8 * found.omega[-1] ** 2)


def test_ratios() -> None:
    """The modes given get their ratios, the next ones nothing."""
    model, handle = held()
    model.add(ModalDamping(handle, RATIOS))
    found = modes(model, 6)
    assert found.damping_ratios == pytest.approx([*RATIOS, 0.0, 0.0], abs=1e-8)


def test_rigid_motion_is_not_damped() -> None:
    """A free beam in rigid motion, rotating about a principal axis: no dissipation."""
    model, handle = beam(4, "straight")
    model.add(ModalDamping(handle, RATIOS))
    model.set_velocity(handle.nodes, (1.0, 2.0, -1.0))
    ledger = run(simulation(model, 0.05, 0.5))
    assert np.abs(column(ledger, "dissipation_viscous")).max() < 1e-20 * column(ledger, "kinetic")[0] + 1e-20


@pytest.mark.out_of_range("angular momentum lost in a step")
def test_energy_balance_and_tangent() -> None:
    model, handle = beam(4)
    model.add(ModalDamping(handle, RATIOS))
    # exact where the damping has no stress, as in modal analysis; its geometric stiffness is neglected
    sim = simulation(model, 0.2, 1.0)
    assert tangent_error(sim, 0.0 * sim.scheme.begin(0.2)) < 1e-9
    assert tangent_error(*random_step(model, 0.2, 1e-4)) < 5e-3
    model.set_velocity(handle.end, (1.0, 2.0, -1.0), (0.5, 0, 1.0))
    sim = simulation(model, 0.02, 0.4)
    ledger = run(sim)
    assert column(ledger, "dissipation_viscous").min() > 0.0
    assert worst_residual(sim, ledger) < 1e-11  # what Newton leaves, whose tangent is not exact here
    assert sim.counters["newton_iterations"] <= 6 * sim.counters["steps"]


def test_masses_on_the_nodes_count() -> None:
    model, handle = held()
    model.add(PointMass(3.0, node=handle.end))
    model.add(ModalDamping(handle, RATIOS))
    assert modes(model, 4).damping_ratios == pytest.approx(RATIOS, abs=1e-8)


def test_fit_of_one_time() -> None:
    """One time can give one ratio: zeta = eta omega / 2."""
    model, handle = held()
    fit = fit_damping(model, handle, (0.013,), single=True)
    omega = 2 * np.pi * modes(model, 1).frequencies_hz[0]
    assert fit.times == pytest.approx(np.full(6, 2 * 0.013 / omega), rel=1e-9)
    assert fit.found == pytest.approx([0.013], rel=1e-9)


def test_fit_reports_the_resulting_ratios() -> None:
    model, handle = held()
    fit = fit_damping(model, handle, (0.01, 0.012, 0.02, 0.02))
    damped, _ = held(damping=fit.times)
    found = modes(damped, 4)
    assert found.damping_ratios == pytest.approx(fit.found, rel=2e-3)
    assert found.frequencies_hz == pytest.approx(fit.frequencies_hz, rel=2e-3)
    assert fit.found == pytest.approx([0.01, 0.012, 0.02, 0.02], rel=0.5)
    assert np.all(fit.times >= 0.0)
    assert "0.01200" in str(fit)


@pytest.mark.parametrize("ratios", [(), (0.1, -0.1), 0.1, "many"])
def test_bad_ratios(ratios: Any) -> None:
    model, handle = held()
    with pytest.raises(InputError, match="ratios"):
        model.add(ModalDamping(handle, ratios))
    with pytest.raises(InputError, match="ratios"):
        fit_damping(model, handle, ratios)
