"""Random mechanisms with random, also extreme, steps: checks of energy, constraints and rotations."""

import dataclasses
from itertools import islice

import numpy as np
from hypothesis import HealthCheck, given, settings, strategies as st

from fem_mbd import Model, Node
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_from_vector, triad_with_third
from fem_mbd.core.scheme.ledger_names import DISSIPATIONS, ENERGIES, WORKS
from fem_mbd.elements import Beam, RigidBody, RotationalSpringDamper, SpringDamper, Straight
from fem_mbd.joints import Clamp, Cylindrical, Planar, Prismatic, Revolute, Spherical, Universal
from tests.core.scheme_tools import column, simulation, worst_residual
from tests.elements.beam.beam_models import section

JOINTS = ("clamp", "spherical", "revolute", "universal", "cylindrical", "prismatic", "planar")
LINKS = ("body", "beam 2", "beam 3", "beam 4")


@dataclasses.dataclass(frozen=True)
class Plan:
    """A chain from the ground (or free): what each link is, how it is joined, springs across, the step."""

    links: tuple[str, ...]
    joints: tuple[str, ...]
    grounded: bool
    spring: bool
    damping: float
    dt: float
    seed: int


plans = st.builds(
    Plan,
    links=st.lists(st.sampled_from(LINKS), min_size=1, max_size=3).map(tuple),
    joints=st.tuples(*[st.sampled_from(JOINTS)] * 3),
    grounded=st.booleans(),
    spring=st.booleans(),
    damping=st.sampled_from([0.0, 0.0, 1e-3, 0.1]),
    dt=st.floats(-3, 2).map(lambda power: 10.0**power),
    seed=st.integers(0, 1000),
)


def _join(model: Model, kind: str, k: Node, l: Node, at: Array, axis: Array) -> None:
    if kind == "clamp":
        if k is not model.ground:
            model.add(Clamp(k, l, at=at))
        else:
            model.add(Spherical(k, l, at=at))
    elif kind == "spherical":
        model.add(Spherical(k, l, at=at))
    elif kind == "revolute":
        model.add(Revolute(k, l, at=at, axis=axis))
    elif kind == "universal":
        triad = triad_with_third(axis)
        model.add(Universal(k, l, at=at, axis_k=triad[:, 0], axis_l=triad[:, 1]))
    elif kind == "cylindrical":
        model.add(Cylindrical(k, l, at=at, axis=axis))
    elif kind == "prismatic":
        model.add(Prismatic(k, l, at=at, axis=axis))
    else:
        model.add(Planar(k, l, at=at, direction=axis))


def build(plan: Plan) -> Model:
    """The chain; all links start with one rigid motion about the point where the chain begins."""
    rng = np.random.default_rng(plan.seed)
    model = Model(gravity=(0, 0, -9.81))
    place, previous, moving = np.zeros(3), model.ground, list[Node]()
    for k, (link, joint) in enumerate(zip(plan.links, plan.joints, strict=False)):
        end = place + rng.normal(size=3)
        if link == "body":
            turn = rotation_from_vector(rng.normal(size=3))
            inertia = np.diag(1 + 0.3 * rng.uniform(size=3))
            first = last = model.add(RigidBody(1.0 + k, inertia, 0.5 * (place + end), rotation=turn)).node
            moving.append(first)
        else:
            order = int(link[-1])
            part = Beam(section(), line=Straight(place, end), elements=2, order=order, damping=plan.damping)
            beam = model.add(part)
            first, last = beam.start, beam.end
            moving.extend(beam.nodes)
        if k > 0 or plan.grounded:
            _join(model, joint, previous, first, place, rng.normal(size=3))
        place, previous = end, last
    if plan.spring:
        model.add(SpringDamper(model.ground.at((3, 1, 2)), moving[-1], 50.0, plan.damping))
        if len(moving) > 1:
            model.add(RotationalSpringDamper(moving[0], moving[-1], (0, 0, 1), 5.0))
    if not plan.grounded:
        model.set_velocity(moving, rng.normal(size=3), 2 * rng.normal(size=3), about=(0, 0, 0))
    return model


@settings(derandomize=True, deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(plans)
def test_no_step_size_and_no_mechanism_breaks_the_energy_balance(plan: Plan) -> None:
    sim = simulation(build(plan), plan.dt, 100 * plan.dt)
    momentum = sim.scheme.work.mass @ sim.state.v
    ledger = np.array([record.energy for record in islice(sim.steps(), 8)])
    assert worst_residual(sim, ledger) < 1e-11
    assert min(column(ledger, name).min() for name in DISSIPATIONS) >= 0.0
    assert not any(column(ledger, name).any() for name in WORKS)
    energy = np.concatenate(
        [[sim.scheme.initial_row[: len(ENERGIES)].sum()], ledger[:, : len(ENERGIES)].sum(axis=1)]
    )
    assert np.diff(energy).max() < 1e-11 * sim.energy_scale
    constraints = sim.scheme.work.constraints
    assert np.abs(constraints).max(initial=0.0) < 1e-9 * max(1.0, float(np.abs(sim.scheme.work.x).max()))
    for r in sim.state.r:
        assert np.abs(r.T @ r - np.eye(3)).max() < 1e-12
    if not plan.grounded and not plan.spring:
        fall = sim.scheme.work.mass.sum() * sim.state.time * sim.scheme.work.gravity
        expected = momentum + fall
        assert np.abs(sim.scheme.work.mass @ sim.state.v - expected).max() < 1e-9 * (
            1 + np.abs(expected).max()
        )
