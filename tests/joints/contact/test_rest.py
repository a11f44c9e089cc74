"""No creep at rest: a body on a contact, loaded to half of break-away, for every law with states.

Marques et al. (2016) and Dupont et al. (2002): presliding is a displacement, not a motion.
"""

from typing import Any

import numpy as np
import pytest

from fem_mbd import Model, Simulation, StepControl, joints, simulate
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


@pytest.mark.filterwarnings(
    "ignore::fem_mbd.friction.validity.ActiveLawWarning"
)  # of slip faster than any here
def test_a_ball_held_in_a_pinch_needs_few_steps() -> None:
    """45 g between two pads of 12 N, far below break-away: default steps find the sag of 50,000 steps in under 1,000.

    The sag of a second is that of the bristles' first motion; a contact that sticks has nothing to resolve after it.
    """

    def pinch() -> Model:
        model = Model(gravity=(0.0, 0.0, -9.81))
        ball = model.add(RigidBody(0.045, (3e-7,) * 3, position=(0.0, 0.0, 0.0), name="ball"))
        friction = LuGre(sigma_0=1e5, sigma_1=30.0, mu_s=0.7, mu_k=0.6, v_s=1e-3)
        for side in (1, -1):
            pad = model.add(
                RigidBody(0.1, (1e-5,) * 3, position=(side * 0.004, 0.0, 0.0), name=f"pad {side}")
            )
            model.add(joints.Prismatic(model.ground, pad, at=(side * 0.004, 0.0, 0.0), axis=(1.0, 0.0, 0.0)))
            model.add(Force(pad, (-side * 12.0, 0.0, 0.0)))
            normal = HuntCrossley(Linear(1e5), 0.5)
            model.add(joints.SphereOnPlane(pad, ball, 0.004, normal, friction, direction=(-side, 0.0, 0.0)))
        return model

    fixed, default = (simulate(pinch(), 1.0, control) for control in (StepControl.fixed(2e-5), None))
    assert len(default.time) < 1000
    sag = fixed.of("ball").position[-1, 2]
    assert default.of("ball").position[-1, 2] == pytest.approx(sag, rel=0.01)
