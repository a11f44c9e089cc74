"""States after large steps, against a second implementation of the same equations.

The numbers are those of an independent program of theory.md, sections 1 to 7; `tests/reference` holds one that
finds them again. Both solve the same discrete equations, so agreement is to
round-off although the steps are far too large for the motion.
"""

import pytest

from tests.core.scheme.test_convergence import double_pendulum, flexible_beam
from tests.core.scheme_tools import column, run, simulation

# place and angular velocity (node axes) of the lower body at 1 s after 20 steps, and what the scheme dissipated
PENDULUM = {
    "spherical": (
        (-1.248700822721, 0.046111674477, 0.737051375622),
        (-2.777164741914, -2.07989081946, 2.862756424963),
        0.0967768793412765,
    ),
    "universal": (
        (-0.925870606373, 0.033110280847, 1.100575392176),
        (0.255994675753, 3.85730297908, 0.734850732786),
        0.1554776720925651,
    ),
}
# likewise of the beam's last node
BEAM = (
    (4.488231211815, 2.409954147782, 0.011446595456),
    (1.127231482923, 0.501893820893, 1.486083479898),
    0.002608857350337323,
)


@pytest.mark.parametrize("elbow", PENDULUM)
def test_double_pendulum(elbow: str) -> None:
    place, spin, lost = PENDULUM[elbow]
    sim = simulation(double_pendulum(elbow), 0.05)
    ledger = run(sim)
    assert sim.state.u[2] == pytest.approx(place, abs=2e-12)
    assert sim.state.omega[2] == pytest.approx(spin, abs=2e-12)
    assert column(ledger, "dissipation_scheme").sum() == pytest.approx(lost, rel=1e-11)


def test_free_flexible_beam() -> None:
    """Two elements with three nodes, coupled stiffness, mass centre off the line; its last node after 0.4 s."""
    sim = flexible_beam(0.02)
    ledger = run(sim)
    place, spin, lost = BEAM
    assert sim.state.u[-1] == pytest.approx(place, abs=2e-12)
    assert sim.state.omega[-1] == pytest.approx(spin, abs=2e-12)
    assert column(ledger, "dissipation_scheme").sum() == pytest.approx(lost, rel=1e-10)
