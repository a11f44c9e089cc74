"""Six damping times: tangent, exact energy balance, and their effect for coupled and uncoupled sections."""

import numpy as np
import pytest

from fem_mbd.elements.beam.beam import as_viscosity
from fem_mbd.errors import InputError
from tests.core.scheme_tools import random_step, tangent_error
from tests.elements.beam.beam_models import ORDERS, Strains, beam, section

SIX = (0.1, 0.0, 0.3, 0.2, 0.05, 0.4)


@pytest.mark.parametrize("order", ORDERS)
def test_tangent(order: int) -> None:
    sim, y = random_step(beam(order, damping=SIX)[0], 0.2, 0.5)
    assert tangent_error(sim, y) < 1e-9


@pytest.mark.parametrize("order", ORDERS)
def test_energy_lost(order: int) -> None:
    """Over a step the rate of strain is linear in time: (Deps + (2 tau - 1)(eps_p - Deps)) / dt, integrated with D."""
    dt = 0.3
    model, handle = beam(order, damping=SIX)
    sim, _ = random_step(model, dt, 0.5)
    workspace = sim.scheme.workspace
    root = np.sqrt(SIX)
    strains = Strains(handle, workspace, root[:, None] * section().stiffness * root)
    change, rate = strains(workspace.q_f) - strains(workspace.q_i), strains.rate(workspace.q_f, workspace.p)
    workspace.amounts[:] = 0.0
    sim.system.kinds[0].ledger(workspace)
    expected = 2 / dt * (strains.energy(change) + strains.energy(rate - change) / 3)
    assert workspace.ledger["dissipation_viscous"][0] == pytest.approx(expected, rel=1e-12)


def test_equal_times_are_one() -> None:
    assert as_viscosity((0.1,) * 6, "x").common == 0.1
    assert as_viscosity((0.1,) * 6, "x").each is None


def test_matrix() -> None:
    """Symmetric, without negative eigenvalue, times the diagonal for uncoupled sections."""
    matrix = as_viscosity(SIX, "x").matrix(np.array([section().stiffness, np.diag(np.arange(1.0, 7.0))]))
    assert matrix[0] == pytest.approx(matrix[0].T)
    assert np.linalg.eigvalsh(matrix[0])[0] > -1e-12
    assert matrix[1] == pytest.approx(np.diag(np.array(SIX) * np.arange(1.0, 7.0)))


@pytest.mark.parametrize(
    ("damping", "message"), [(-0.1, "is -0.1"), ((1, 2, 3), "shape"), ((0, 0, 0, 0, 0, -1), "negative")]
)
def test_bad_times(damping, message: str) -> None:
    with pytest.raises(InputError, match=f"beam 'beam': damping.*{message}"):
        beam(2, damping=damping)
