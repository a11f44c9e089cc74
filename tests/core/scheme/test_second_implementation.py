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
        (-1.248649287041, 0.046204297346, 0.737070086863),
        (-2.777835989648, -2.080625837625, 2.860728468970),
        0.0976831761032279,
    ),
    "universal": (
        (-0.925618252203, 0.033218002003, 1.100466387595),
        (0.256722489853, 3.855670033845, 0.735221540673),
        0.1576518135084877,
    ),
}
# likewise of the beam's last node
BEAM = (
    (4.491243520403855, 2.409991452865055, 0.017162647421133),
    (1.03540214928474, 0.366441298902521, 1.56576887511742),
    0.002558610675182495,
)


@pytest.mark.parametrize("elbow", PENDULUM)
def test_double_pendulum(elbow: str) -> None:
    place, spin, lost = PENDULUM[elbow]
    sim = simulation(double_pendulum(elbow), 0.05)
    ledger = run(sim)
    assert sim.state.u[2] == pytest.approx(place, abs=2e-12)
    assert sim.state.omega[2] == pytest.approx(spin, abs=2e-12)
    assert column(ledger, "dissipation_scheme").sum() == pytest.approx(lost, rel=1e-11)


@pytest.mark.out_of_range("strain, elements")
def test_free_flexible_beam() -> None:
    """Two elements with three nodes, coupled stiffness, mass centre off the line; its last node after 0.4 s."""
    sim = flexible_beam(0.02)
    ledger = run(sim)
    place, spin, lost = BEAM
    assert sim.state.u[-1] == pytest.approx(place, abs=2e-12)
    assert sim.state.omega[-1] == pytest.approx(spin, abs=2e-12)
    assert column(ledger, "dissipation_scheme").sum() == pytest.approx(lost, rel=1e-10)
