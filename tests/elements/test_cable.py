"""Cables against the catenary, Irvine's cable, chains of masses, free fall; what is refused."""

import numpy as np
import pytest
from scipy.optimize import brentq

import fem_mbd as fm
from fem_mbd.core.model.ranges import RangeWarning
from fem_mbd.elements import Cable, PointMass, RigidBody

G = 9.81


def hung(span, gravity=(0.0, 0.0, -G), **cable):
    """A model with a cable of EA 1e7 N, 1 kg/m from the origin to ``span``, and its handle."""
    model = fm.Model(gravity=gravity)
    part = model.add(Cable(1e7, 1.0, (0, 0, 0), span, **cable))
    model.fix(part.start)
    model.fix(part.end)
    return model, part


def heights(part) -> np.ndarray:
    return np.array([point.position[2] for point in part.points])


def test_chain_hangs_in_the_catenary() -> None:
    """Level ends 80 m apart, 100 m long: L = 2 a sinh(d/2a), sag a (cosh(d/2a) - 1), tension at the middle w a."""
    a = brentq(lambda a: 2 * a * np.sinh(40 / a) - 100.0, 10.0, 1e3)
    model, part = hung((80.0, 0, 0), length=100.0)
    found = fm.find_equilibrium(model)
    tension = found.of(part).tension
    assert -heights(part).min() == pytest.approx(a * (np.cosh(40 / a) - 1), rel=1e-2)
    assert tension.min() == pytest.approx(G * a, rel=1e-2)
    assert np.abs(found.of(part.nodes[10]).displacement).max() < 1e-9  # it was in its equilibrium already


def test_sag_converges_with_the_square_of_the_elements() -> None:
    a = brentq(lambda a: 2 * a * np.sinh(40 / a) - 100.0, 10.0, 1e3)
    errors = [
        -heights(hung((80.0, 0, 0), length=100.0, elements=n)[1]).min() - a * (np.cosh(40 / a) - 1)
        for n in (10, 20)
    ]
    stretched = 2e-4  # m: the catenary does not stretch, T L/EA is 6e-3 m
    assert abs(errors[0]) / abs(errors[1]) == pytest.approx(4.0, abs=0.3 + stretched / abs(errors[1]))


def test_taut_cable_sags_as_irvines() -> None:
    """Irvine (1981): horizontal force H of a flat cable, H = H0 + EA/l (w l/H)^2 l/24; sag w l^2/(8 H)."""
    span, h0 = 50.0, 2e3
    h = brentq(lambda h: h - h0 - 1e7 / 24 * (G * span / h) ** 2, h0, 1e6)
    model, part = hung((span, 0, 0), tension=h0)
    tension = fm.find_equilibrium(model).of(part).tension
    assert tension.min() == pytest.approx(h, rel=1e-2)
    assert -heights(part).min() == pytest.approx(G * span**2 / (8 * h), rel=1e-2)


@pytest.mark.parametrize(
    "end", [(30.0, 20.0, -15.0), (5.0, 0, -90.0), (0, 0, -101.0), (0, 0, 101.0), (60, 0, 30)]
)
def test_start_is_the_equilibrium_of_the_elements(end) -> None:
    model, part = hung(end, length=100.0)
    result = fm.simulate(model, 0.5)
    moved = [np.abs(result.of(node).displacement).max() for node in part.nodes]
    assert max(moved) < 1e-6  # m, of 100 m; round-off of EA
    assert result.of(part).tension.min() > 0.0


def test_taut_chain_has_the_frequencies_of_masses_on_a_string() -> None:
    """Masses m apart by l under the tension T: omega = 2 sqrt(T/(m l)) sin(k pi/2n), exactly."""
    n, tension = 8, 3e4
    model, part = hung((10.0, 0, 0), gravity=(0, 0, 0), tension=tension, elements=n)
    mass, apart = part.length / n, 10.0 / n
    omega = 2 * np.sqrt(tension / (mass * apart)) * np.sin(np.arange(1, 4) * np.pi / (2 * n))
    found = 2 * np.pi * fm.modes(model, 6).frequencies_hz
    assert found == pytest.approx(np.repeat(omega, 2), rel=1e-8)


@pytest.mark.out_of_range("elongation of a cable")
def test_mass_falls_freely_until_its_rope_is_taut() -> None:
    """Green strain: m g (l - d) = EA L E^2/2, E = (l^2/L^2 - 1)/2, at the lowest point l."""
    mass, first, natural, stiffness = 80.0, 2.0, 10.0, 2e4
    model = fm.Model(gravity=(0, 0, -G))
    body = model.add(PointMass(mass, (0, 0, -first)))
    rope = model.add(Cable(stiffness, 1e-9, (0, 0, 0), body, length=natural, elements=1, name="rope"))
    model.fix(rope.start)
    until = np.sqrt(2 * (natural - first) / G)
    result = fm.simulate(model, 3.0, fm.StepControl.fixed(2e-3))
    fallen = first + result.of(body).displacement[:, 2] * -1.0
    taut = result.time > until
    free = ~taut
    assert fallen[free] == pytest.approx(first + 0.5 * G * result.time[free] ** 2, abs=1e-9)
    assert not np.any(result.of(rope).tension[free])
    lowest = brentq(
        lambda l: mass * G * (l - first) - stiffness * natural / 8 * ((l / natural) ** 2 - 1) ** 2,
        natural,
        30.0,
    )
    assert fallen.max() == pytest.approx(lowest, rel=1e-5)  # steps of 2 ms: dt^2 l''/8 is 1e-5 m
    assert abs(result.energy["residual"]).max() < 1e-9 * mass * G * lowest


def test_released_chain_keeps_its_length_and_loses_no_energy_unseen() -> None:
    model = fm.Model(gravity=(0, 0, -G))
    part = model.add(Cable(1e6, 1.0, (0, 0, 0), (8.0, 0, 0), length=10.0, damping=1e-3))
    model.fix(part.start)
    result = fm.simulate(model, 3.0)
    chord = np.linalg.norm(result.of(part.end).position, axis=1)
    reach = result.of(part).length.sum(axis=1)
    assert np.all(chord <= reach * (1 + 1e-12))
    stretch = 10.0 * (1 + result.of(part).tension.max() / 1e6)
    assert reach.max() <= stretch * (1 + 1e-6)
    assert abs(result.energy["residual"]).max() < 1e-9 * 10.0 * G * 10.0


def tethered(step: float) -> fm.Result:
    """Two free bodies, the cable at points off their mass centres."""
    model = fm.Model()
    bodies = [
        model.add(RigidBody(m, j, x, name=name))
        for m, j, x, name in ((2.0, (0.1, 0.2, 0.25), (0, 0, 0), "a"), (3.0, (0.3, 0.2, 0.2), (4, 1, 0), "b"))
    ]
    ends = bodies[0].node.at((0.2, 0.1, 0)), bodies[1].node.at((-0.3, 0, 0.1))
    part = model.add(Cable(1e4, 0.05, *ends, elements=1, length=3.5))
    model.set_velocity(bodies[0], (0, 1.0, 0.3), (0.5, 1.0, 2.0))
    result = fm.simulate(model, 2.0, fm.StepControl.fixed(step))
    assert result.of(part).tension.max() > 1.0
    return result


def test_tethered_bodies_keep_their_momentum() -> None:
    """Linear momentum to round-off; angular momentum to the third order of the scheme, as free bodies."""
    coarse, fine = tethered(5e-3), tethered(2.5e-3)
    assert np.ptp(fine.momentum, axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
    lost = [np.ptp(run.angular_momentum(), axis=0).max() for run in (coarse, fine)]
    assert np.log2(lost[0] / lost[1]) == pytest.approx(3.0, abs=0.2)


def test_chain_of_links_pushes_where_it_may() -> None:
    """A bar of one element under its own shortening: tension EA (s^2 - 1) s/2 below zero; none in a rope."""
    tension = {}
    for compression in (True, False):
        model = fm.Model()
        part = model.add(
            Cable(1e4, 1.0, (0, 0, 0), (0.98, 0, 0), length=1.0, elements=1, compression=compression)
        )
        model.fix(part.start)
        model.fix(part.end)
        tension[compression] = float(fm.simulate(model, 1e-3).of(part).tension[-1, 0])
    assert tension[True] == pytest.approx(1e4 * (0.98**2 - 1) / 2 * 0.98, rel=1e-12)
    assert tension[False] == 0.0


def test_elongation_beyond_its_range_is_warned_of() -> None:
    model, _ = hung((10.0, 0, 0), gravity=(0, 0, 0), length=8.0)
    with pytest.warns(RangeWarning, match="elongation of a cable"):
        fm.simulate(model, 1e-3)


def test_compression_beyond_its_range_is_warned_of() -> None:
    model, _ = hung((10.0, 0, 0), gravity=(0, 0, 0), length=13.0, elements=1, compression=True)
    with pytest.warns(RangeWarning, match="elongation of a cable"):
        fm.simulate(model, 1e-3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"stiffness": 0.0}, "stiffness"),
        ({"mass": -1.0}, "mass"),
        ({"tension": -5.0}, "cannot push"),
        ({"tension": 5.0, "length": 3.0}, "not both"),
        ({"length": 0.0}, "length"),
        ({"elements": 0}, "elements"),
        ({"end": (0, 0, 0)}, "coincide"),
        ({"length": 20.0}, "no weight"),
        ({"end": (0, 0)}, "end"),
    ],
)
def test_what_is_refused(given, message) -> None:
    values = {"stiffness": 1e6, "mass": 1.0, "start": (0, 0, 0), "end": (10, 0, 0)} | given
    with pytest.raises(fm.InputError, match=rf"cable 'cable'.*{message}|{message}"):
        fm.Model().add(Cable(**values))


def test_a_fold_is_refused() -> None:
    with pytest.raises(fm.InputError, match="fold"):
        hung((0, 0, -5.0), length=8.0)
