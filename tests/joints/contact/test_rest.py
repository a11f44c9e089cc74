"""No creep at rest: a body on a contact, loaded to half of break-away, for every law with states.

Marques et al. (2016) and Dupont et al. (2002): presliding is a displacement, not a motion.
"""

from typing import Any

import numpy as np
import pytest

from fem_mbd import Model, Simulation, StepControl
from fem_mbd.core.model.time_functions import SmoothStep
from fem_mbd.elements import Force, RigidBody
from fem_mbd.friction import HuntCrossley, Linear, LuGre
from fem_mbd.joints import PointOnPlane
from tests.friction.library import BOND_LAWS, DYNAMIC_LAWS

SIZES: Any = {"sigma_0": 1e5, "mu_s": 0.15, "mu_k": 0.1, "v_s": 1e-3}
LAWS: dict[str, Any] = {
    # film and random bonds have no state of rest: Harnoy's law always creeps, bonds break in time
    **{name: law for name, law in DYNAMIC_LAWS.items() if name not in ("bristles", "harnoy friedland")},
    "reset integrator": BOND_LAWS["reset integrator"],
    "liang": BOND_LAWS["liang"],
    "lugre": LuGre(**SIZES, sigma_1=30.0, sigma_2=15.0),
    "lugre fading": LuGre(**SIZES, sigma_1=60.0, v_d=1e-3),
    "lugre unloading": LuGre(**SIZES, sigma_1=30.0, sigma_2=15.0, unload_fresh_bristles=True),
}
WEIGHT, STIFFNESS = 10.0, 1e6


def moved(law: Any, angle: float, pressed: float = 0.0) -> float:
    """Way (m) in 100 s at constant pull, with steps that grow to a second.

    From 30 s to 40 s ``pressed`` (N) is added to the normal force.
    """
    model = Model(gravity=(0, 0, -WEIGHT))
    body = model.add(RigidBody(1.0, (1e-3, 1e-3, 1e-3), (0, 0, -WEIGHT / STIFFNESS))).node
    model.fix(body, translation=False)
    model.add(PointOnPlane(model.ground, body, HuntCrossley(Linear(STIFFNESS), 2.0), law))
    pull = 0.05 * WEIGHT * np.array([np.cos(angle), np.sin(angle), 0.0])
    model.add(Force(body, SmoothStep(0.0, 4.0, 0.0 * pull, pull)))
    if pressed > 0.0:
        model.add(Force(body, SmoothStep(30.0, 40.0, (0.0, 0.0, 0.0), (0.0, 0.0, -pressed))))
    sim = Simulation(model, 105.0, StepControl(dt_initial=0.005, dt_max=2.0, growth=1.01))
    places = [(record.time, sim.state.u[1, :2].copy()) for record in sim.steps()]
    settled = np.array([place for time, place in places if time >= 5.0])
    assert sim.outputs()["contact"][0]["friction_force"] == pytest.approx(-pull, abs=2e-3 * WEIGHT)
    return float(np.linalg.norm(settled - settled[0], axis=1).max())


@pytest.mark.filterwarnings("ignore:.* of contact:fem_mbd.friction.ActiveLawWarning")
@pytest.mark.parametrize("number, name", list(enumerate(LAWS)))
def test_no_law_with_states_creeps_below_break_away(number: int, name: str) -> None:
    assert moved(LAWS[name], 0.4 + number) < 1e-6


@pytest.mark.parametrize("angle", [0.0, 2.0, 4.5])
@pytest.mark.parametrize("name", ["lugre", "lugre unloading"])
def test_nor_when_the_normal_force_grows(name: str, angle: float) -> None:
    """Bristles deflect by at most (0.05 - 0.05/1.5) / sigma_0 as the load on each decreases."""
    assert moved(LAWS[name], angle, pressed=0.5 * WEIGHT) < 1e-6
