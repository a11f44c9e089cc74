"""Test of the stability limit of whirl: rotating damping drives it, non-rotating damping opposes it.

A disc of mass m in the middle of a shaft of stiffness k, whose own damping c_i rotates with it, and dampers c_e between
the disc and the ground. With w = y + i z

    m w'' + (c_e + c_i) w' + (k - i speed c_i) w = 0,

which grows above the speed sqrt(k/m) (1 + c_e/c_i). G. Genta, Dynamics of Rotating Systems, Springer 2005, chapter 2.
"""

import numpy as np
import pytest

from fem_mbd import Model, Point, campbell
from fem_mbd.elements import Beam, RigidBody, Section, SpringDamper
from fem_mbd.joints import Spherical

MASS, EI, SPAN = 10.0, 2e3, 1.0
STIFFNESS = 48 * EI / SPAN**3
INNER = 2e-4 * STIFFNESS  # N s/m: the shaft's damping is 2e-4 s times its stiffness


def rotor(outer: float) -> Model:
    model = Model()
    stiffness = np.diag([1e8, 1e9, 1e9, 1e4, EI, EI])
    section = Section(stiffness, 1e-6, np.diag([2e-9, 1e-9, 1e-9]), damping=2e-4 * stiffness)
    left = model.add(Beam(section, (0, 0, 0), (0.5 * SPAN, 0, 0), elements=2))
    right = model.add(Beam(section, left.end, (SPAN, 0, 0), elements=2))
    model.add(RigidBody(MASS, (0.5, 0.3, 0.3), node=left.end))
    model.add(Spherical(model.ground, left.start, at=(0, 0, 0)))
    model.add(Spherical(model.ground, right.end, at=(SPAN, 0, 0)))
    if outer > 0.0:
        for name, far in {"damper y": (0.5, 1.0, 0.0), "damper z": (0.5, 0.0, 1.0)}.items():
            model.add(SpringDamper(Point(model.ground, np.array(far)), left.end, 0.0, outer, name=name))
    return model


@pytest.mark.parametrize("share", [0.0, 0.5, 1.5])
def test_whirl_grows_above_the_speed_that_both_kinds_of_damping_set(share: float) -> None:
    limit = np.sqrt(STIFFNESS / MASS) * (1.0 + share)
    model = rotor(share * INNER)
    speeds = limit * np.array([0.99, 1.01])
    found = campbell(model, speeds, axis=(1, 0, 0), number=5, frame="inertial")
    # besides the rotation of the rotor, which is neither damped nor driven
    growth = [max(e.real for e in values if abs(e) > 1.0) for values in found.eigenvalues]
    crossing = np.interp(0.0, growth, speeds)
    assert growth[0] < 0.0 < growth[1]
    assert crossing == pytest.approx(limit, rel=1e-4)


def test_torsion_does_not_whirl() -> None:
    """Two discs on a shaft that is free to turn: 0 and sqrt(2 GJ/(L I)) are torsion, the bending modes whirl."""
    inertia = 1.0
    model = Model()
    stiffness = np.diag([1e8, 1e9, 1e9, 1e4, EI, EI])
    section = Section(stiffness, 1e-6, np.diag([2e-9, 1e-9, 1e-9]))
    shaft = model.add(Beam(section, (0, 0, 0), (SPAN, 0, 0), elements=4))
    for node in (shaft.start, shaft.end):
        model.add(RigidBody(MASS, (inertia, 0.6, 0.6), node=node))
        model.fix(node, translation=(node is shaft.start, True, True), rotation=(False, False, False))
    speeds = [10.0, 100.0]
    found = campbell(model, speeds, axis=(1, 0, 0), number=6, frame="inertial")
    wanted = np.sqrt(2.0 * stiffness[3, 3] / (SPAN * inertia)) / (2.0 * np.pi)
    for row in range(len(speeds)):
        frequencies, whirl = found.frequencies_hz[row], found.whirl[row]
        torsion = int(np.abs(frequencies - wanted).argmin())
        assert frequencies[torsion] == pytest.approx(wanted, rel=1e-5)
        rigid = int(frequencies.argmin())
        assert whirl[torsion] == 0.0 and whirl[rigid] == 0.0
        others = np.delete(np.abs(whirl), [torsion, rigid])
        assert others == pytest.approx(1.0, abs=1e-6)  # of a round rotor on round supports
