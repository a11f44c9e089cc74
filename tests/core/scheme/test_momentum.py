"""Angular momentum of free bodies: its loss in a step is measured, follows from the scheme, and is warned of."""

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.core.model.ranges import RangeWarning
from fem_mbd.core.scheme.nodes.angular_momentum import LOSS
from fem_mbd.elements import Beam, Force, Material, PointMass, RigidBody, Section, SpringDamper
from fem_mbd.joints import Spherical

NAME = "angular momentum lost in a step"


def top(omega: tuple[float, float, float], moments: tuple[float, float, float]) -> fm.Model:
    model = fm.Model(gravity=(0, 0, -9.81))
    body = model.add(RigidBody(1.0, moments, position=(0, 0, 0), name="top"))
    model.set_velocity(body, omega=omega, velocity=(100.0, 0, 0))
    return model


def loss(result: fm.Result) -> dict | None:
    return next((one for one in result.summary["ranges"] if one["range"] == NAME), None)


def momentum(result: fm.Result, moments: tuple[float, float, float]) -> np.ndarray:
    """(steps, 3) in global axes, from the records."""
    turn = result.of("top").rotation.as_matrix()
    return np.einsum("nij,j,nkj,nk->ni", turn, np.array(moments), turn, result.of("top").angular_velocity)


def test_the_measure_is_the_change_in_a_step() -> None:
    moments, omega = (1.0, 2.0, 2.5), (0.3, 1.0, 0.2)
    result = fm.simulate(top(omega, moments), 20.0, fm.StepControl.fixed(0.25))
    total = momentum(result, moments)
    before = np.vstack([np.array(moments) * omega, total])
    steps = np.linalg.norm(np.diff(before, axis=0), axis=1) / np.linalg.norm(before[:-1], axis=1)
    found = loss(result)
    assert found is not None and found["part"] == "top.node"
    assert found["value"] == pytest.approx(steps.max(), rel=1e-4)


@pytest.mark.parametrize("angle", [0.1, 0.2, 0.3])
def test_a_symmetric_top_loses_nutation_as_the_oscillator_does(angle: float) -> None:
    """Moments A, A, C: the momentum across the axis turns by (C - A)/A w_3 in the body, and decays by |R(i y)|."""
    moments, spin, across = (1.0, 1.0, 2.0), 1.0, 1.0
    dt, count = angle / spin, 40
    result = fm.simulate(
        top((across, 0, spin), moments), count * dt, fm.StepControl.fixed(dt), record_every=1
    )
    turn, omega = result.of("top").rotation.as_matrix(), result.of("top").angular_velocity
    in_body = np.linalg.norm(np.einsum("nij,ni->nj", turn, omega)[-1, :2])
    gain = ((1 + angle**2 / 9) / (1 + angle**2 / 9 + angle**4 / 36)) ** (count / 2)
    assert in_body == pytest.approx(across * gain, rel=1e-9)
    found = loss(result)
    assert found is not None
    lost = angle**4 / 72 * across**2 / (across**2 + 4 * spin**2)  # of the magnitude, at first
    assert lost < found["value"] < 20 * lost


def test_a_step_that_is_too_long_is_warned_of() -> None:
    with pytest.warns(RangeWarning, match="'top.node': angular momentum lost in a step .* 1 % is lost"):
        result = fm.simulate(top((0.3, 1.0, 0.2), (1.0, 2.0, 2.5)), 10.0, fm.StepControl.fixed(0.6))
    assert loss(result)["value"] > LOSS  # type: ignore[index]


def test_bodies_on_which_something_acts_have_no_such_range() -> None:
    def model() -> fm.Model:
        built = fm.Model()
        a, b = (built.add(RigidBody(1.0, (1.0,) * 3, position=(x, 0, 0), name=f"{x}")) for x in (0, 1))
        built.add(Spherical(a, b, at=(0.5, 0, 0)))
        built.set_velocity(a, omega=(0, 0, 0.1), about=(0.5, 0, 0))
        built.set_velocity(b, omega=(0, 0, 0.1), about=(0.5, 0, 0))
        return built

    free, pushed, held = model(), model(), model()
    pushed.add(Force(pushed.nodes[1], (0, 0, 0.1), follower=True))
    held.add(SpringDamper(held.ground.at((0, 1, 0)), held.nodes[2], 1.0))
    control = fm.StepControl.fixed(0.1)
    assert loss(fm.simulate(free, 0.5, control))["part"] == "0.node, 1.node"  # type: ignore[index]
    assert loss(fm.simulate(pushed, 0.5, control)) is None and loss(fm.simulate(held, 0.5, control)) is None


def test_a_free_beam_with_a_point_mass_is_one_group() -> None:
    model, steel = fm.Model(), Material(210e9, 0.3, 7850.0)
    beam = model.add(Beam(Section.circle(0.01, steel), (0, 0, 0), (1, 0, 0), elements=2, name="rod"))
    model.add(PointMass(1.0, node=beam.end, name="tip"))
    model.add(PointMass(1.0, position=(2, 0, 0), name="other"))
    model.set_velocity(beam.nodes, omega=(0, 0, 1.0), about=(0.5, 0, 0))
    result = fm.simulate(model, 0.1, fm.StepControl.fixed(1e-3))
    found = loss(result)
    assert found is not None and found["value"] < 1e-6 and found["part"].startswith("rod.0, ")
