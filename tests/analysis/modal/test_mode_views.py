"""Tests of modal amplitudes of parts against closed forms of cantilevers, springs and pendulums, and against shapes."""

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import Beam, PointMass, RigidBody, RotationalSpringDamper, Section, SpringDamper
from fem_mbd.joints import Revolute, Spherical

G, MASS, ARM, INERTIA = 9.81, 2.0, 0.5, 0.3


def test_a_cantilever() -> None:
    """Moment at the root, EI k^2 times the tip's motion in the Euler-Bernoulli shape; positions are those of the
    shape.
    """
    model = fm.Model()
    section = Section.from_rigidities(1e8, 1e8, 1e8, 1.0, 1.0, 2.0, 1.0, (0, 0, 0))
    beam = model.add(Beam(section, (0, 0, 0), (1, 0, 0), elements=10, name="beam"))
    model.fix(beam.start)
    found = fm.modes(model, 2)
    seen, k = found.of(beam), 1.875104068711961
    tip = seen.position(at=1.0)
    assert tip == pytest.approx(found.shapes[:, beam.end.index, :3], rel=1e-7, abs=1e-9)
    assert seen.position().shape == (2, 31, 3)
    # cosh kx - cos kx - s (sinh kx - sin kx): the curvature at the root over the motion at the tip is k^2
    for mode, (across, about, stiffness) in enumerate(((2, 1, 1.0), (1, 2, 2.0))):
        moment = seen.section_force(at=0.0)[mode, 3 + about]
        assert abs(moment) == pytest.approx(stiffness * k**2 * abs(tip[mode, across]), rel=2e-3)


def pendulum(joint: type) -> tuple[fm.Model, fm.elements.BodyHandle, object]:
    """A body that hangs below its joint."""
    model = fm.Model(gravity=(0, 0, -G))
    body = model.add(RigidBody(MASS, (INERTIA,) * 3, position=(0, 0, -ARM), name="bob"))
    axis = {"axis": (0, 1, 0)} if joint is Revolute else {}
    pin = model.add(joint(model.ground, body.node, at=(0, 0, 0), name="pin", **axis))
    return model, body, pin


def test_a_pendulum() -> None:
    """Rotation phi about y: the bob moves by -ARM phi along x, and the pin force is -m omega^2 times that."""
    model, body, pin = pendulum(Revolute)
    found = fm.modes(model, 1)
    omega = np.sqrt(MASS * G * ARM / (INERTIA + MASS * ARM**2))
    assert found.eigenvalues == pytest.approx([1j * omega], rel=1e-12)
    phi = found.shapes[0, body.node.index, 4]
    seen = found.of("bob")
    assert seen.displacement[0] == pytest.approx([-ARM * phi, 0, 0], rel=1e-8, abs=1e-8)
    assert seen.velocity[0] == pytest.approx([-ARM * phi * 1j * omega, 0, 0], rel=1e-8, abs=1e-8)
    assert abs(found.of(pin).angle[0]) == pytest.approx(abs(phi), rel=1e-8)
    reaction = found.of(pin).reaction.force[0]
    assert reaction == pytest.approx([MASS * omega**2 * ARM * phi, 0, 0], rel=1e-7, abs=1e-7 * MASS * G)


def test_a_spring_with_a_damper() -> None:
    """Length, rate and force of the spring follow the mass."""
    model = fm.Model()
    body = model.add(PointMass(1.0, position=(1, 0, 0), name="mass"))
    model.add(SpringDamper(model.ground, body.node, stiffness=25.0, damping=0.3, length=1.0, name="spring"))
    found = fm.modes(model, 3)
    mode = int(np.argmax(np.abs(found.eigenvalues)))
    x = found.of("mass").displacement[mode, 0]
    assert abs(x) > 0.9
    value, spring = found.eigenvalues[mode], found.of("spring")
    assert spring.length[mode] == pytest.approx(x, rel=1e-9)
    assert spring.rate[mode] == pytest.approx(value * x, rel=1e-9)
    assert spring.force[mode] == pytest.approx((25.0 + 0.3 * value) * x, rel=1e-9)


def test_what_modes_do_not_tell() -> None:
    model, _, _ = pendulum(Spherical)
    found = fm.modes(model, 2)
    for bad, said in (
        (lambda: found.of("bobb"), "did you mean 'bob'"),
        (lambda: found.of("bob").rotation, "choose rotation_matrix"),
        (lambda: found.of("bob").force, "has no 'force'"),
    ):
        with pytest.raises(fm.InputError, match=said):
            bad()


def test_quantities_without_amplitudes_are_not_there() -> None:
    model = fm.Model()
    body = model.add(RigidBody(1.0, (0.1, 0.1, 0.1), (0, 0, -0.5), name="body"))
    model.add(Revolute(model.ground, body, at=(0, 0, 0), axis=(0, 1, 0)))
    model.add(RotationalSpringDamper(model.ground, body, (0, 1, 0), 3.0))
    view = fm.modes(model, 1).of(body)
    assert not hasattr(view, "rotation") and hasattr(view, "rotation_matrix")
    with pytest.raises(fm.InputError, match="rotation_matrix"):
        _ = view.rotation
