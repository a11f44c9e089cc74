"""Derivatives along runs against central differences of the same steps, and what they have to survive."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from fem_mbd import InputError, Model, NewtonOptions, Penetration, Simulation, StepControl
from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.forward import Forward, tangents
from fem_mbd.analysis.sensitivity.growth import BeyondHorizon
from fem_mbd.analysis.sensitivity.setup import SetUp, made
from fem_mbd.analysis.sensitivity.stretch import Factors, linearising
from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import CallList
from fem_mbd.elements import Beam, Material, PointMass, RigidBody, Section, SpringDamper
from fem_mbd.friction import Coulomb, Linear
from fem_mbd.joints import Clamp, PointOnPlane, Revolute
from tests.analysis.sensitivity.replay import differences, of_case, path_of

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::fem_mbd.errors.FemMbdWarning")]
COLUMNS = ("position", "velocity")
FACTORISE = Factors.factorise
# by how much parameters are moved for differences: more where the motion depends on them smoothly, less where contacts
# open and close, as differences are worse then than what they are to check
SMOOTH, ROUGH = 1e-3, 1e-5
CASES = {
    "K1": ("crank_mechanism", ["revolutions=0.01"], {"friction": SMOOTH, "radius_ball": ROUGH}),
    "K1 ideal": ("crank_mechanism", ["case=1", "revolutions=0.1"], {"damping": SMOOTH, "beam_length": SMOOTH}),
    "K2": (
        "supercritical_rotor", ["end_time=0.1", "whirl_time=0"],
        {"eccentricity": 10 * SMOOTH, "disk_mass": 10 * SMOOTH},
    ),
    "K7": ("slider_crank_clearance", ["revolutions=0.06"], {"clearance": ROUGH, "mu_k": ROUGH}),
    "blades": ("turbine_blades", ["end_time=0.05"], {"preload": 30 * SMOOTH}),
    "joint friction": ("pendulum_friction", ["end_time=0.05"], {"mu_static": SMOOTH, "mass": SMOOTH, "length": SMOOTH}),
    "turbine": (
        "nrel5mw_turbine", ["end_time=0.1", "elements=2", "damped=False"], {"rotor_speed": SMOOTH},
    ),
}  # fmt: skip


def _places(simulation: Simulation) -> Array:
    found = simulation.outputs()
    return np.concatenate([found[name].ravel() for name in COLUMNS])


@pytest.mark.parametrize("name", CASES)
def test_as_differences_of_the_same_steps(name: str) -> None:
    case, given, shares = CASES[name]
    build, values = of_case(case, given, list(shares))
    path = path_of(build, values)
    along = tangents(build, path, COLUMNS, values)
    for parameter, share in shares.items():
        expected = differences(build, values, parameter, path, share, _places)
        found = np.concatenate(
            [along[parameter].history[one].reshape(len(path), -1) for one in COLUMNS], axis=1
        )
        places = along[parameter].history["position"][0].size
        for part in (slice(0, places), slice(places, None)):
            assert np.abs(found[:, part]).max() > 0.0
            error = np.abs(found[:, part] - expected[:, part]).max() / np.abs(found[:, part]).max()
            assert error < 1e-6, (parameter, error)


def _chain(values: Mapping[str, float]) -> Simulation:
    """A beam of many elements on a hinge, with a mass at its end: nodes and elements eight at a time in a run."""
    model = Model(gravity=(0, 0, -9.81))
    tube = Section.tube(0.01, 0.001, Material(young=70e9, poisson=0.33, density=2700))
    arm = model.add(Beam(tube, (0, 0, 0), (1, 0, 0), elements=8, order=2, damping=values["damping"]))
    model.add(PointMass(values["mass"], node=arm.end))
    model.add(Revolute(model.ground, arm.start, axis=(0, 1, 0)))
    return Simulation(model, 2e-3, StepControl.fixed(1e-4))


def test_the_matrix_at_the_solution_is_the_derivative_of_the_equations() -> None:
    """Newton's own extrapolates stresses; here they are those of the solution."""
    values = {"mass": 0.3, "damping": 1e-3}
    path, scheme = path_of(_chain, values), DualScheme(made(_chain, values))
    for _ in Forward([scheme], path).steps():
        pass
    calls, system = scheme.simulation.scheme.calls, scheme.simulation.system
    random = np.random.default_rng(3).normal(size=scheme.y[:, 1:].shape)
    scheme.simulation.scheme.workspace.clock[:] = path.clocks[-1]
    CallList(calls.begin)()
    calls.y[:] = path.unknowns[-1]
    CallList(calls.residual)()
    for block in scheme.shadow.blocks:
        block.refresh()
    scheme.y[:, 1:] = random
    CallList(scheme.calls["residual"])()
    CallList(linearising(scheme.simulation))()
    product = csr_matrix((calls.values, system.indices, system.indptr)) @ random
    assert np.abs(scheme.f[:, 1:] - product).max() < 1e-13 * np.abs(product).max()


def test_steps_that_were_refused_leave_nothing() -> None:
    """Steps onto a plane that the contact rule has to make smaller."""
    values = {"height": 0.005, "stiffness": 1e5}

    def build(values: Mapping[str, float]) -> Simulation:
        return _falling(values, StepControl(Penetration(1e-5), dt_initial=0.04))

    simulation = build(values)
    assert sum(record.rejections for record in simulation.steps()) > 0
    path = path_of(build, values)
    starts, ends = (np.array([clock[k] for clock in path.clocks]) for k in (0, 1))
    assert (starts[1:] == ends[:-1]).all() and starts[0] == 0.0
    along = tangents(build, path, COLUMNS, values)["height"]
    expected = differences(build, values, "height", path, 1e-7, _places)
    found = np.concatenate([along.history[one].reshape(len(path), -1) for one in COLUMNS], axis=1)
    assert np.abs(found - expected).max() < 2e-6 * np.abs(found).max()


def _four_bars(values: Mapping[str, float]) -> Simulation:
    """A plane four-bar linkage with four hinges in space: three constraints depend on the others."""
    model = Model(gravity=(0, 0, -9.81), allow_redundant=True)
    long = values["length"]
    ends = [(0, 0, 0), (0, 0, long), (1.0, 0, long), (1.0, 0, 0)]
    bodies = [
        model.add(RigidBody(1.0, (0.1, 0.1, 0.1), tuple(0.5 * (np.array(a) + b)), name=f"bar {k}"))
        for k, (a, b) in enumerate(zip(ends, ends[1:], strict=False))
    ]
    chain = [model.ground, *(body.node for body in bodies), model.ground]
    for k, at in enumerate(ends):
        model.add(Revolute(chain[k], chain[k + 1], axis=(0, 1, 0), at=at))
    model.set_velocity(bodies[0].node, (0.25 * long, 0, 0), (0, 0.5, 0))
    model.set_velocity(bodies[1].node, (0.5 * long, 0, 0), (0, 0, 0))
    model.set_velocity(bodies[2].node, (0.25 * long, 0, 0), (0, 0.5, 0))
    return Simulation(model, 0.05, StepControl.fixed(5e-3))


def test_redundant_constraints() -> None:
    values = {"length": 0.5}
    assert made(_four_bars, values).system.redundant > 0
    path = path_of(_four_bars, values)
    along = tangents(_four_bars, path, COLUMNS, values)["length"]
    expected = differences(_four_bars, values, "length", path, SMOOTH, _places)
    found = np.concatenate([along.history[one].reshape(len(path), -1) for one in COLUMNS], axis=1)
    assert np.abs(found - expected).max() < 1e-8 * np.abs(found).max()


def test_a_matrix_that_is_not_the_derivative_costs_no_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The factors of the first step throughout: the derivatives solve the linear equations to round-off."""
    values = {"mass": 0.3, "damping": 1e-3}
    path, found, passes = path_of(_chain, values), [], []
    for same in (False, True):
        if same:
            monkeypatch.setattr("fem_mbd.analysis.sensitivity.stretch.Factors.factorise", _once)
        scheme = DualScheme(made(_chain, values), COLUMNS)
        SetUp(_chain, values, {}).seed(scheme, list(values))
        forward = Forward([scheme], path)
        ends = [forward.directions[0].outputs(b - a)["velocity"][..., :2] for a, b in forward.steps()]
        found.append(np.concatenate(ends))
        passes.append(forward.directions[0].passes)
    assert len(found[0]) == len(path)
    assert np.abs(found[0] - found[1]).max() < 1e-10 * np.abs(found[1]).max()
    assert passes[1] > passes[0]


def _once(self: Factors) -> list[Any]:
    """Calls that factorise the first step's matrix only, and keep its factors for the others."""
    tasks: list[Any] = FACTORISE(self)
    first: list[Array] = []

    def make() -> None:
        if not first:
            for task in tasks:
                task()
            first.append(self._kept[self.slot[0]].copy())
        self._kept[self.slot[0]] = first[0]

    return [make]


def _falling(values: Mapping[str, float], control: StepControl | None = None) -> Simulation:
    """A ball that falls onto a plane and rebounds from it; a step ends within the contact."""
    model = Model(gravity=(0, 0, -9.81))
    ball = model.add(PointMass(1.0, position=(0, 0, values["height"])))
    model.add(PointOnPlane(model.ground, ball, Linear(values["stiffness"]), Coulomb(0.3, 1e-3)))
    model.set_velocity(ball, (0.1, 0, 0))
    return Simulation(model, 0.06, control or StepControl.fixed(1e-4))


def test_contact_that_closes_and_opens() -> None:
    """Through an impact: speeds before and after it, and the place where it rubs."""
    values = {"height": 0.005, "stiffness": 1e5}
    path = path_of(_falling, values)
    along = tangents(_falling, path, COLUMNS, values)
    for name in values:
        expected = differences(_falling, values, name, path, 1e-7, _places)
        found = np.concatenate([along[name].history[one].reshape(len(path), -1) for one in COLUMNS], axis=1)
        assert np.abs(found - expected).max() < 2e-6 * np.abs(found).max()


def _double_pendulum(values: Mapping[str, float]) -> Simulation:
    """Released upside down."""
    model = Model(gravity=(0, 0, -9.81))
    bobs = [model.add(RigidBody(1.0, (1e-3, 1e-3, 1e-3), (0.1, 0, z), name=f"bob {z}")) for z in (1.0, 2.0)]
    model.add(Revolute(model.ground, bobs[0], axis=(0, 1, 0), at=(0, 0, 0)))
    model.add(Revolute(bobs[0], bobs[1], axis=(0, 1, 0), at=(0.1, 0, values["length"])))
    return Simulation(model, 40.0, StepControl.fixed(0.01))


def test_chaos_is_refused_with_its_horizon() -> None:
    values = {"length": 0.9}
    path = path_of(_double_pendulum, values)
    with pytest.raises(BeyondHorizon, match=r"at t = .* s a small change .* chaotic") as caught:
        tangents(_double_pendulum, path, COLUMNS, values)
    assert 2.0 < caught.value.time < 40.0
    assert 0.3 < caught.value.exponent < 5.0


def _function(values: Mapping[str, float]) -> Simulation:
    from fem_mbd.elements import Force

    model = Model()
    mass = model.add(PointMass(values["mass"], position=(0, 0, 0)))
    model.add(Force(mass, lambda t: (t, 0.0, 0.0)))
    return Simulation(model, 0.1, StepControl.fixed(0.01))


def test_what_has_no_derivatives_is_refused() -> None:
    with pytest.raises(InputError, match="in Python"):
        DualScheme(made(_function, {"mass": 1.0}))


def _spring(values: Mapping[str, float]) -> Simulation:
    model = Model()
    mass = model.add(PointMass(1.0, position=(1.0, 0, 0)))
    model.add(SpringDamper(model.ground, mass, stiffness=values["stiffness"], length=0.9))
    count = 2 if values["stiffness"] > 100.0 else 1
    for k in range(count):
        model.add(PointMass(1.0, position=(0, 1.0 + k, 0)))
    return Simulation(model, 0.1, StepControl.fixed(0.01))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"stiffness": 100.0}, "decides about more than numbers"),
        ({"stiffness": 50.0, "nothing": 1.0}, "nothing does not enter"),
        ({"stiffness": 50.0, "nothing": 0.0}, "tells no size"),
    ],
)
def test_parameters_that_cannot_be_differentiated(values: Mapping[str, float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        SetUp(_spring, values, {})


def test_clamped_beam_that_is_given_another_length() -> None:
    """The set-up's own derivatives: reference strains, masses, joints of a beam whose ends move with a parameter."""

    def build(values: Mapping[str, float]) -> Simulation:
        model = Model(gravity=(0, 0, -9.81))
        tube = Section.tube(0.01, 0.001, Material(young=70e9, poisson=0.33, density=2700))
        beam = model.add(Beam(tube, (0, 0, 0), (values["length"], 0.1, 0), elements=3, order=3))
        model.add(Clamp(model.ground, beam.start))
        return Simulation(model, 0.02, StepControl.fixed(1e-3), newton=NewtonOptions(reuse=False))

    values = {"length": 1.0}
    path = path_of(build, values)
    along = tangents(build, path, ("position", "section_force"), values)["length"]
    expected = differences(build, values, "length", path, SMOOTH, lambda sim: sim.outputs()["section_force"])
    error = np.abs(along.history["section_force"] - expected).max()
    assert error < 1e-6 * np.abs(expected).max()
