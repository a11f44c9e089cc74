"""Tests of Craig-Bampton reduction against the whole structure, statics and rigid motions."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.core.rotations import rotation_about, skew
from fem_mbd.elements import Beam, Force, Material, RigidBody, Section, SpringDamper
from fem_mbd.joints import Revolute
from tests.refusals import refused

STEEL = Material(young=210e9, poisson=0.3, density=7850)
HELD = tuple(f"bar.0.{c}" for c in ("ux", "uy", "uz", "rx", "ry", "rz"))


def bar(held: bool = False, damping: float = 0.0) -> tuple[fm.Model, fm.elements.BeamHandle]:
    """A flat bar in an oblique direction, with an eccentric body at its tip."""
    model = fm.Model(name="bar")
    section = Section.rectangle(0.1, 0.05, STEEL)
    beam = model.add(
        Beam(section, (0, 0, 0), (3, 1, 2), up=(0, 0, 1), elements=5, damping=damping, name="bar")
    )
    model.add(RigidBody(20.0, (1, 2, 3), node=beam.end, centre=(0.1, 0.2, 0.0), name="tip"))
    if held:
        model.fix(beam.start)
    return model, beam


def test_frequencies_converge_to_those_of_the_whole() -> None:
    """Clamped: exact for retained modes. Free: convergence from above with the number of retained modes."""
    model, beam = bar()
    clamped = fm.modes(bar(held=True)[0], 6).frequencies_hz
    free = fm.modes(model, 12).frequencies_hz[6:]
    errors = []
    for number in (2, 6, 12, 24):
        reduced = fm.craig_bampton(model, [beam.start], number)
        assert (reduced.interface, len(reduced.names)) == (6, 6 + number)
        assert reduced.frequencies(HELD)[: min(number, 6)] == pytest.approx(
            clamped[: min(number, 6)], rel=1e-8
        )
        own = reduced.frequencies()
        assert np.abs(own[:6]).max() < 1e-3 * free[0]
        errors.append((own[6:8] / free[:2] - 1.0).max())
        assert errors[-1] > -1e-8
    assert errors[0] > errors[1] > errors[2] > errors[3]
    assert errors[3] < 1e-4


def test_statics_at_the_interface_are_exact() -> None:
    """The stiffness between two ends is that of Timoshenko's beam, whatever modes are retained; zero for rigid
    motion.
    """
    model = fm.Model(name="straight")
    length, section = 2.0, Section.from_rigidities(1e8, 4e6, 5e6, 3e4, 2e4, 6e4, 10.0, (0.1, 0.05, 0.05))
    beam = model.add(Beam(section, (0, 0, 0), (length, 0, 0), up=(0, 0, 1), elements=3, name="bar"))
    reduced = fm.craig_bampton(model, [beam.start, beam.end], 1)
    at = [reduced.names.index(f"{beam.end.name}.{c}") for c in ("ux", "uy", "uz", "rx", "ry", "rz")]
    flexibility = np.linalg.inv(reduced.stiffness[np.ix_(at, at)])
    shear, bending = np.diag(np.asarray(section.stiffness))[1:3], np.diag(np.asarray(section.stiffness))[4:]
    # up is z, so axis 2 of the section is z and axis 3 is -y
    assert flexibility[0, 0] == pytest.approx(length / 1e8, rel=1e-9)
    assert flexibility[3, 3] == pytest.approx(length / 3e4, rel=1e-9)
    across = sorted([flexibility[1, 1], flexibility[2, 2]])
    expected = sorted(length**3 / (3 * bending[::-1]) + length / shear)
    assert across == pytest.approx(expected, rel=1e-9)
    rigid = np.zeros((len(reduced.names), 6))
    for n, node in enumerate((beam.start, beam.end)):
        rigid[6 * n : 6 * n + 6] = np.eye(6)
        x, y, z = node.position
        rigid[6 * n : 6 * n + 3, 3:] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
    assert np.abs(reduced.stiffness @ rigid).max() < 1e-9 * np.abs(reduced.stiffness).max()
    assert (rigid.T @ reduced.mass @ rigid)[:3, :3] == pytest.approx(
        10.0 * length * np.eye(3), rel=1e-9, abs=1e-9
    )
    tip = reduced.shapes[beam.end.index, :, at[2]]
    assert tip == pytest.approx([0, 0, 1, 0, 0, 0], abs=1e-12)
    # between interface and modes there is no stiffness
    assert np.abs(reduced.stiffness[:12, 12:]).max() < 1e-9 * np.abs(reduced.stiffness).max()


def test_damping_files_and_an_offset_mass(tmp_path: Path) -> None:
    """Stiffness-proportional damping remains so; total mass and its offset are preserved; everything is stored."""
    model, beam = bar(damping=1e-3)
    reduced = fm.craig_bampton(model, [beam.end, beam.end], 4)
    assert reduced.names[:6] == tuple(f"{beam.end.name}.{c}" for c in ("ux", "uy", "uz", "rx", "ry", "rz"))
    assert reduced.damping == pytest.approx(
        1e-3 * reduced.stiffness, rel=1e-6, abs=1e-9 * np.abs(reduced.stiffness).max()
    )
    total = sum(lump.mass for lump in model.inertia)
    assert reduced.mass[:3, :3] == pytest.approx(total * np.eye(3), rel=1e-9, abs=1e-7)
    with np.load(reduced.save(tmp_path / "bar.npz")) as data:
        assert set(data) >= {"mass", "stiffness", "damping", "names", "shapes"}
        assert np.array_equal(data["stiffness"], reduced.stiffness) and data["names"].tolist() == list(
            reduced.names
        )


def test_bad_input(tmp_path: Path) -> None:
    model, beam = bar()
    refused("give the interface", fm.craig_bampton, model, [], 3)
    with pytest.raises(fm.InputError, match="has a support"):
        clamped, held = bar(held=True)
        fm.craig_bampton(clamped, [held.start], 3)
    with pytest.raises(fm.InputError, match="belongs to a joint"):
        hinged, rod = bar()
        hinged.add(Revolute(hinged.ground, rod.start, at=(0, 0, 0), axis=(0, 1, 0)))
        fm.craig_bampton(hinged, [rod.start], 3)
    refused("several nodes", fm.craig_bampton, model, [beam], 3)
    refused("modes", fm.craig_bampton, model, [beam.start], 0)
    pushed, strut = bar(held=True)
    pushed.add(Force(strut.end, (-1e5, 0, 0), follower=True))
    refused("not symmetric", fm.craig_bampton, pushed, [strut.end], 3)
    reduced = fm.craig_bampton(model, [beam.start], 3)
    refused(r"there is no unknown 'bar\.0\.ua'", reduced.frequencies, ["bar.0.ua"])
    refused(r"has to end in \.npz", lambda: reduced.save(tmp_path / "bar.mat"))


def test_rigid_motions_have_the_mass_of_the_whole_about_the_interface() -> None:
    """The interface is a turned body's node away from its mass centre; a second body hangs on it by springs. In rigid
    motions, those of the interface's unknowns, the mass is m, m c and J about the node, global axes."""
    model = fm.Model()
    turn = rotation_about((1, 2, 3), 0.8)
    offset, inertia = np.array([0.2, -0.3, 0.5]), np.diag([0.4, 0.5, 0.7])
    first = model.add(RigidBody(3.0, inertia, (1, 0, 2), rotation=turn, centre=offset, name="first"))
    second = model.add(RigidBody(2.0, (0.1, 0.2, 0.25), (1.5, 0.4, 2.2), name="second"))
    for k, axis in enumerate(np.eye(3)):
        for arm in (axis, axis + 0.1 * np.roll(axis, 1)):
            place = np.array([1.5, 0.4, 2.2]) + 0.3 * np.roll(arm, 1)
            model.add(
                SpringDamper(
                    first.node.at_global(place + arm),
                    second.node.at_global(place),
                    1e4 * (1 + k),
                    name="spring",
                )
            )
    reduced = fm.craig_bampton(model, [first], 6)

    wanted = np.zeros((6, 6))
    about = turn @ inertia @ turn.T
    for m, arm, own in (
        (3.0, turn @ offset, about),
        (2.0, np.array([0.5, 0.4, 0.2]), np.diag([0.1, 0.2, 0.25])),
    ):
        motion = np.hstack([np.eye(3), -skew(arm)])  # of the mass centre
        wanted += m * motion.T @ motion
        wanted[3:, 3:] += own
    assert reduced.mass[:6, :6] == pytest.approx(wanted, abs=1e-9)
    assert np.abs(reduced.stiffness[:6, :6]).max() < 1e-6


def test_interface_at_a_point_beside_a_node() -> None:
    """Compliance of a point at d from the node: T C T' with the motion u - d~ phi of the point."""
    steel, offset = Material(young=210e9, poisson=0.3, density=7850), np.array([0.0, 0.5, 0.1])

    def compliance(beside: bool) -> Any:
        model = fm.Model()
        section = Section.rectangle(0.1, 0.05, steel)
        beam = model.add(Beam(section, (0, 0, 0), (4, 0, 0), up=(0, 0, 1), elements=2, name="beam"))
        end = beam.end.at(offset) if beside else beam.end
        reduced = fm.craig_bampton(model, [beam.start, end], 2)
        return np.linalg.inv(reduced.stiffness[6:12, 6:12])

    at_node, at_point = compliance(False), compliance(True)
    motion = np.block([[np.eye(3), -skew(offset)], [np.zeros((3, 3)), np.eye(3)]])
    assert at_point == pytest.approx(motion @ at_node @ motion.T, rel=1e-8, abs=1e-14)
    assert at_point[2, 2] > 1.01 * at_node[2, 2]


def test_two_points_of_one_node_are_refused() -> None:
    model = fm.Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0), name="body"))
    with pytest.raises(fm.InputError, match=r"two points on node 'body\.node'"):
        fm.craig_bampton(model, [body.node.at((1, 0, 0)), body.node.at((2, 0, 0))], 1)
