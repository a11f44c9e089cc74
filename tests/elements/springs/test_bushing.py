"""Bushings, linear bearings and Maxwell chains: ROSS, Jeffcott, rotation vectors, complex moduli; what is refused."""

import numpy as np
import pytest
from scipy.optimize import brentq

import fem_mbd as fm
from fem_mbd.core.model.ranges import RangeWarning
from fem_mbd.core.rotations import rotation_about, rotation_from_vector
from fem_mbd.elements import (
    Beam,
    Bushing,
    LinearBearing,
    Material,
    MaxwellChain,
    PointMass,
    RigidBody,
    Section,
)
from fem_mbd.elements.springs.bushing import CirculatoryWarning
from fem_mbd.joints import Clamp, DrivenPrismatic

COUPLED = ((1e6, 5e5), (0.0, 1e6))  # N/m
SPEED = 4000 * np.pi / 30


def ross_rotor() -> fm.Model:
    """Shaft with two discs of ROSS' example 5.9.4 (after Friswell et al., Dynamics of Rotating Machines, 2010)."""
    young, shear, density = 211e9, 81.2e9, 7810.0
    section = Section.circle(0.025, Material(young=young, poisson=young / (2 * shear) - 1, density=density))
    model = fm.Model(name="rotor")
    nodes = [model.node((x, 0, 0)) for x in (0.0, 0.5, 1.0, 1.5)]
    for start, end in zip(nodes[:-1], nodes[1:], strict=True):
        model.add(Beam(section, start=start, end=end, up=(0, 0, 1), elements=4))
    for node, outer in ((nodes[1], 0.28), (nodes[2], 0.35)):
        mass = density * np.pi / 4 * (outer**2 - 0.05**2) * 0.07
        polar = mass * (outer**2 + 0.05**2) / 8
        across = mass * (3 * (outer**2 + 0.05**2) / 4 + 0.07**2) / 12
        model.add(RigidBody(mass, (polar, across, across), node=node))
    for node in (nodes[0], nodes[-1]):
        model.add(LinearBearing(model.ground.at(node.position), node, (1, 0, 0), COUPLED))
    model.fix(nodes[0], translation=(True, False, False), rotation=False)
    return model


def test_cross_coupled_bearings_as_in_ross() -> None:
    """Frequencies as printed in the example; decrements by ROSS 2.3.0 with 30 shaft elements (six differ by 1e-3)."""
    found = fm.campbell(ross_rotor(), [SPEED], axis=(1, 0, 0), frame="inertial", number=8)
    lateral = [0, 1, 2, 3, 4, 6]  # of the flexible modes: 650.4 rad/s is torsion
    omega = 2 * np.pi * found.frequencies_hz[0][1:][lateral]
    zeta = found.damping_ratios[0][1:][lateral]
    assert omega == pytest.approx([84.198, 89.033, 246.44, 301.09, 594.8, 834.0], rel=1e-3)
    decrements = 2 * np.pi * zeta / np.sqrt(1 - zeta**2)
    expected = [0.140481546, -0.168593255, 0.451908222, -0.345346647, 0.357736091, -0.369294003]
    assert decrements == pytest.approx(expected, rel=1e-4)


MASS, STIFFNESS, DAMPING = 12.0, 3e5, 80.0  # Jeffcott's rotor
OMEGA = np.sqrt(STIFFNESS / MASS)


def jeffcott(cross, speeds=None, spin: float = 0.0, damping: float = DAMPING) -> fm.Model:
    """A disc in the middle of a massless shaft, in a bearing with the cross-coupling ``cross``, N/m, or over speeds."""
    cross = np.asarray(cross, dtype=float)
    k = STIFFNESS * np.eye(2) + cross[..., None, None] * np.array([[0, 1], [-1, 0]])
    model = fm.Model()
    disc = model.add(RigidBody(MASS, (0.2, 0.2, 0.4), (0, 0, 0), name="disc"))
    model.fix(disc, translation=(False, False, True), rotation=(True, True, False))
    model.add(
        LinearBearing(model.ground, disc, (0, 0, 1), k, damping * np.eye(2), speeds=speeds, name="seal")
    )
    model.set_velocity(disc, (0.01, 0, 0), (0, 0, spin))
    return model


def whirls(modes):
    """Eigenvalues without that of the free spin."""
    return modes.eigenvalues[np.abs(modes.eigenvalues) > 1.0]


def test_jeffcott_rotor_becomes_unstable_at_cross_coupling_of_damping_times_frequency() -> None:
    def growth(cross: float) -> float:
        return float(whirls(fm.modes(jeffcott(cross), 3)).real.max())

    assert brentq(growth, 0.1 * DAMPING * OMEGA, 10 * DAMPING * OMEGA) == pytest.approx(
        DAMPING * OMEGA, rel=1e-3
    )


def test_onset_speed_with_coefficients_over_speed() -> None:
    """k_xy = 60 N s/m times the speed: onset at c omega_n/60; a table of two rows is exact for it."""
    model = jeffcott([0.0, 60.0 * 500.0], speeds=[0.0, 500.0])

    def growth(speed: float) -> float:
        found = fm.campbell(model, [speed], axis=(0, 0, 1), frame="inertial", number=3)
        return float(-found.damping_ratios[0, found.frequencies_hz[0] > 1.0].min())

    assert brentq(growth, 10.0, 490.0) == pytest.approx(DAMPING * OMEGA / 60.0, rel=1e-3)


def test_run_grows_as_the_modes_say_and_warns() -> None:
    cross, step = 1.5 * DAMPING * OMEGA, 1e-4
    expected = float(fm.modes(jeffcott(cross), 3).eigenvalues.real.max())
    with pytest.warns(CirculatoryWarning, match=rf"bushing 'seal'.*grow with {expected:.4g} 1/s"):
        result = fm.simulate(jeffcott(cross), 2.0, fm.StepControl.fixed(step))
    turns = result.of("disc").position[:, :2] - 0.0
    late = result.time > 1.0  # the backward whirl has died out
    slope = np.polyfit(result.time[late], np.log(np.linalg.norm(turns[late], axis=1)), 1)[0]
    assert slope == pytest.approx(expected, rel=2e-3)
    assert result.summary["energy"]["relative"] < 1e-12
    assert result.energy["work_loads"].sum() > 0.0  # what the cross-coupling feeds


def test_coefficients_follow_the_speed_of_the_shaft() -> None:
    """A disc at 100 rad/s behaves as with constant coefficients of that speed; the change of K is counted as work."""
    table = jeffcott([0.0, 3e3, 9e3], speeds=[0.0, 200.0, 400.0], spin=100.0)
    constant = jeffcott(1.5e3, spin=100.0)
    ends = [
        fm.simulate(m, 0.2, fm.StepControl.fixed(1e-3)).of("disc").position[-1] for m in (table, constant)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=1e-15)


def test_speed_that_changes_keeps_the_energy_balance() -> None:
    stiffness = np.array([1.0, 3.0])[:, None, None] * STIFFNESS * np.eye(2)
    model = fm.Model()
    disc = model.add(RigidBody(MASS, (0.2, 0.2, 0.4), (0, 0, 0), name="disc"))
    model.fix(disc, translation=(False, False, True), rotation=(True, True, False))
    model.add(LinearBearing(model.ground, disc, (0, 0, 1), stiffness, speeds=(0.0, 100.0)))
    model.add(fm.elements.Moment(disc, (0, 0, 40.0)))
    model.set_velocity(disc, (0.1, 0, 0), (0, 0, 5.0))
    result = fm.simulate(model, 0.5, fm.StepControl.fixed(1e-3))
    assert result.of("disc").angular_velocity[-1, 2] > 50.0
    assert result.summary["energy"]["relative"] < 1e-12


GENERAL = np.random.default_rng(3).normal(size=(6, 6))
SPD = GENERAL @ GENERAL.T * np.outer((17, 17, 17, 4, 4, 4), (17, 17, 17, 4, 4, 4)) + np.diag(
    (50.0,) * 3 + (5.0,) * 3
)


def two_bodies(turn=None, clamped: bool = False, **more) -> fm.Model:
    turn = np.eye(3) if turn is None else turn
    model = fm.Model(allow_redundant=clamped)
    a = model.add(RigidBody(2, (0.1, 0.2, 0.25), (0, 0, 0), rotation=turn, name="a"))
    b = model.add(
        RigidBody(
            1, (0.05, 0.06, 0.08), turn @ (0.3, 0.2, 0.1), rotation=turn, centre=(0.02, 0.01, 0.03), name="b"
        )
    )
    points = a.node.at((0.1, 0.1, 0)), b.node.at((-0.1, 0, 0.05))
    model.add(Bushing(*points, more.pop("stiffness", SPD), 1e-3 * SPD, axes=turn, name="bush", **more))
    if clamped:
        model.add(Clamp(a, b, at=turn @ (0.3, 0.2, 0.1)))
        omega, about = turn @ (5.0, -4.0, 7.0), np.zeros(3)
        for body in (a, b):
            model.set_velocity(body, omega=omega, about=about)
        return model
    model.set_velocity(a, turn @ (0, 1, 0.3), turn @ (0.5, 1, 2))
    model.set_velocity(b, turn @ (1, 0, -0.3), turn @ (-1.5, 1, 0))
    return model


CHAINS = {0: MaxwellChain([400.0, 200.0], [0.1, 0.01]), 4: MaxwellChain([5.0], [0.05])}
CURVES = {2: ([-0.1, 0.0, 0.02, 0.5], [-200.0, 0.0, 3.0, 80.0])}
PRELOAD = (1.0, 2.0, 3.0, 0.1, 0.2, 0.3)
SKEWED = SPD + 20.0 * (np.eye(6, k=1) - np.eye(6, k=-1))


def end_of(model: fm.Model, step: float) -> fm.Result:
    return fm.simulate(model, 0.5, fm.StepControl.fixed(step))


@pytest.mark.out_of_range("angular momentum lost in a step")
def test_scheme_keeps_third_order_with_chains_and_preload() -> None:
    runs = [end_of(two_bodies(chains=CHAINS, preload=PRELOAD), 0.5 / n) for n in (25, 50, 100, 800)]
    ends = [np.append(r.of("b").position[-1], r.of("b").rotation_matrix[-1]) for r in runs]
    errors = [float(np.abs(end - ends[-1]).max()) for end in ends[:-1]]
    assert np.log2(errors[1] / errors[2]) == pytest.approx(3.0, abs=0.35)


@pytest.mark.filterwarnings("ignore::fem_mbd.elements.springs.bushing.CirculatoryWarning")
@pytest.mark.parametrize(
    "more",
    [
        {"chains": CHAINS, "preload": PRELOAD},
        {"curves": CURVES, "chains": CHAINS},
        {"stiffness": SKEWED, "curves": CURVES},
    ],
)
def test_energy_balance_and_momentum_close_to_round_off(more) -> None:
    result = end_of(two_bodies(**more), 5e-3)
    assert result.summary["energy"]["relative"] < 1e-12
    assert np.ptp(result.momentum, axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
    for name in ("dissipation_scheme", "dissipation_viscous"):
        assert result.energy[name].min() >= 0.0


def test_angular_momentum_is_kept_to_the_order_of_the_scheme() -> None:
    lost = [
        np.ptp(end_of(two_bodies(chains=CHAINS), step).angular_momentum(), axis=0).max()
        for step in (5e-3, 2.5e-3)
    ]
    assert np.log2(lost[0] / lost[1]) == pytest.approx(3.0, abs=0.35)


def test_turned_model_does_the_same() -> None:
    turn = rotation_about((3, -1, 2), 2.2)
    ends = [
        end_of(two_bodies(q, chains=CHAINS, curves=CURVES), 5e-3).of("b").velocity[-1] @ q
        for q in (np.eye(3), turn)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=1e-10)


def test_nothing_is_done_between_bodies_that_are_one() -> None:
    result = end_of(two_bodies(clamped=True, chains=CHAINS), 0.01)
    assert np.abs(result.of("bush").displacement).max() < 1e-13
    assert np.abs(result.of("bush").rotation).max() < 1e-13
    assert result.energy["dissipation_viscous"].sum() < 1e-20


@pytest.mark.parametrize("angle", [0.1, 0.5, 0.9])
def test_rotation_is_the_rotation_vector(angle: float) -> None:
    """The moment K phi phi' of phi = theta + theta^7/840, about an axis along nothing."""
    direction = np.array([2.0, -1.0, 2.0]) / 3.0
    model = fm.Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0), name="body"))
    model.add(Bushing(model.ground, body, (1e3,) * 3 + (50.0,) * 3, name="bush"))
    measure, slope = angle + angle**7 / 840, 1 + angle**6 / 120
    model.add(fm.elements.Moment(body, 50.0 * measure * slope * direction))
    found = fm.find_equilibrium(model)
    turned = rotation_from_vector(angle * direction)
    next_term = angle**9 / 840  # of both series
    assert found.of("body").rotation_matrix == pytest.approx(turned, abs=next_term + 1e-9)
    assert np.linalg.norm(found.of("bush").rotation) == pytest.approx(measure, abs=next_term + 1e-9)


def test_large_rotation_is_warned_of() -> None:
    model = fm.Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0), name="body"))
    model.add(Bushing(model.ground, body, (1e3,) * 3 + (50.0,) * 3))
    model.add(fm.elements.Moment(body, (0, 0, 60.0)))
    with pytest.warns(RangeWarning, match="rotation of a bushing"):
        fm.find_equilibrium(model)


CHAIN = MaxwellChain([3e4, 2e4, 1e4], [0.2, 0.02, 0.002], static=5e4)


@pytest.mark.parametrize("frequency", np.geomspace(0.05, 200.0, 20))
def test_complex_modulus_of_a_run(frequency: float) -> None:
    """Harmonic displacement: sine, cosine and the known decays fit the force; 600 steps a period leave 2e-8."""
    omega, amplitude = 2 * np.pi * frequency, 1e-3
    model = fm.Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0), name="body"))
    model.add(
        DrivenPrismatic(
            model.ground, body, at=(0, 0, 0), axis=(1, 0, 0),
            displacement=fm.time_functions.Harmonic(amplitude, omega),
        )
    )  # fmt: skip
    model.add(Bushing(model.ground, body, (0.0,) * 6, chains={0: CHAIN}, name="bush"))
    model.set_velocity(body, (amplitude * omega, 0, 0))
    result = fm.simulate(model, 2 / frequency, fm.StepControl.fixed(1 / (600 * frequency)))
    t, force = result.time, -result.of("bush").force[:, 0] / amplitude
    decays = [np.exp(-t / tau) for tau in CHAIN.times if t[1] < 10 * tau]
    basis = np.column_stack([np.sin(omega * t), np.cos(omega * t), *decays])
    storage, loss = np.linalg.lstsq(basis, force, rcond=None)[0][:2]
    expected = CHAIN.modulus(frequency)
    assert abs(storage + 1j * loss - expected) < 1e-6 * abs(expected)


def test_a_chain_is_found_from_its_moduli_at_given_frequencies() -> None:
    f = np.geomspace(0.1, 100.0, 20)
    times = 1.0 / (2 * np.pi * np.geomspace(0.1 / 10**0.5, 100.0 * 10**0.5, 13))[[2, 6, 9]]
    made = MaxwellChain([2e4, 1e4, 4e4], times, static=3e4)
    found = MaxwellChain.fit(f, made.modulus(f))
    assert np.abs(found.modulus(f) / made.modulus(f) - 1).max() < 1e-6
    assert found.static == pytest.approx(3e4, rel=1e-5)


def test_rubber_over_three_decades_is_fitted() -> None:
    """A fractional Zener solid, order 0.4, as measured rubber has: three elements a decade leave 1 %."""
    f = np.geomspace(0.1, 100.0, 20)
    power = (2j * np.pi * f * 0.03) ** 0.4
    rubber = 1e5 * (1 + 2 * power / (1 + power))
    assert np.abs(MaxwellChain.fit(f, rubber).modulus(f) / rubber - 1).max() < 0.01


def test_gradient_of_a_run_by_stiffness_of_chain_and_bearing() -> None:
    def build(values) -> fm.Simulation:
        model = jeffcott([0.0, values["cross"]], speeds=[0.0, 200.0], spin=100.0)
        model.add(
            Bushing(
                model.ground, fm_body(model), (2e4,) * 2 + (0.0,) * 4, name="rubber",
                chains={0: MaxwellChain([values["chain"]], [0.02])},
            )
        )  # fmt: skip
        return fm.Simulation(model, 0.05, fm.StepControl.fixed(1e-3))

    def fm_body(model: fm.Model):
        return next(node for node in model.nodes if node.name == "disc.node")

    values = {"cross": 2e3, "chain": 3e4}
    found = fm.gradient(
        build, {"y": "final(disc.position[1])", "x": "final(disc.position[0])"}, values
    ).jacobian
    for column, (name, value) in enumerate(values.items()):
        step = 1e-4 * value
        ends = [
            fm.run(build(values | {name: value + s}), progress=False).of("disc").position[-1]
            for s in (step, -step)
        ]
        difference = (ends[0] - ends[1])[[1, 0]] / (2 * step)
        assert found[:, column] == pytest.approx(difference, rel=1e-6, abs=1e-6 * np.abs(difference).max())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"stiffness": np.ones((3, 3))}, "bushing 'bushing': stiffness"),
        ({"damping": (-1.0,) + (0.0,) * 5}, "negative eigenvalue"),
        ({"curves": {1: ([0.0, 0.0], [1.0, 2.0])}}, r"curves\[1\] have to ascend"),
        ({"curves": {7: ([0.0, 1.0], [1.0, 2.0])}}, "direction of a curve"),
        ({"chains": {0: 3.0}}, "give a MaxwellChain"),
        ({"axes": 2 * np.eye(3)}, "axes"),
    ],
)
def test_bushings_that_are_refused(given, message) -> None:
    values = {"stiffness": (1.0,) * 6} | given
    model = fm.Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0)))
    with pytest.raises(fm.InputError, match=message):
        model.add(Bushing(model.ground, body, **values))


def test_bearings_that_are_refused() -> None:
    model = fm.Model()
    mass = model.add(PointMass(1.0, (0, 0, 0)))
    with pytest.raises(fm.InputError, match="bearing 'bearing': speeds have to ascend"):
        LinearBearing(model.ground, mass, (0, 0, 1), np.eye(2), speeds=(2.0, 1.0))
    with pytest.raises(fm.InputError, match=r"give \(2, 2\), or speeds"):
        LinearBearing(model.ground, mass, (0, 0, 1), np.ones((3, 2, 2)))
    with pytest.raises(fm.InputError, match="has no rotation"):
        model.add(LinearBearing(mass, model.ground, (0, 0, 1), np.eye(2)))
    with pytest.raises(fm.InputError, match="no rotation"):
        model.add(Bushing(model.ground, mass, (1.0,) * 6))
    with pytest.raises(fm.InputError, match="MaxwellChain: times"):
        MaxwellChain([1.0], [0.0])
    with pytest.raises(fm.InputError, match="no loss"):
        MaxwellChain.fit([1.0, 2.0], [1e5 + 0j, 1e5 + 0j])
