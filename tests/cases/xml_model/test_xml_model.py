"""Tests of XML model files: elements, units, and errors with file, line, element and id."""

import re
from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.applications.cli.main import main
from fem_mbd.cases.pendulum_friction import FILE
from fem_mbd.cases.xml_model.model_file import ModelFile, read_model
from fem_mbd.errors import InputError
from fem_mbd.friction import ActiveLawWarning, LuGre

TEXT = FILE.read_text(encoding="utf-8")


def read(tmp_path: Path, text: str) -> ModelFile:
    path = tmp_path / "model.xml"
    path.write_text(text, encoding="utf-8")
    return read_model(path)


def friction_line() -> int:
    return next(n for n, line in enumerate(TEXT.splitlines(), 1) if "<Force_JointFriction" in line)


def test_the_documented_example(tmp_path: Path) -> None:
    with pytest.warns(ActiveLawWarning, match="revolute joint 'Joint 0'"):
        found = read(tmp_path, TEXT)
    bob = found.model.bodies["bob"]
    assert bob.position == pytest.approx([-0.1, 0.0, 0.0], abs=1e-15)
    assert found.model.inertia[bob.index].about_centre == pytest.approx(1e-3 * np.eye(3), rel=1e-12)
    assert found.model.gravity == pytest.approx([0, 0, -9.81], rel=1e-12)
    assert (found.end_time, found.dt) == pytest.approx((5.0, 5e-3))
    joint = found.joints["301001"]
    assert joint.j.axes[:, 2] == pytest.approx([0, 1, 0])
    spec = next(s for kind in found.model.specs.values() for s in kind if s.name == "Joint 0.friction")
    law = spec.law
    assert isinstance(law, LuGre)
    # the defaults are per millimetre
    assert (law.sigma_0, law.sigma_1, law.v_s) == pytest.approx((1e5, 316.0, 0.01))
    assert spec.contributions[0].viscous == pytest.approx(0.4)
    assert [c.slip[0][1] for c in spec.contributions] == pytest.approx([5e-3, 7e-3, 5e-3, 5e-3])
    assert [r.text for r in found.requests][:2] == ["WZ(30102020,30101020,30101020)", "FRICTION(1,1)"]
    assert [name.split(" ")[0] for name in found.without_effect] == [
        "Messaging",
        "Post_Graphic",
        "H3DOutput",
        "ResOutput",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</Model>", "<Force_Bushing id='3'/><Sub/></Model>", "would be different: Force_Bushing (line"),
        ('joint_id="301001"', 'joint_id="77"', "joint_id is 77, but the file has no Constraint_Joint of that id"),
        ('j_marker_id="30101020"', 'j_marker_id="5"', "j_marker_id is 5, but the file has no Reference_Marker"),
        ('cg_id="30102030"', 'cg_id="1"', "Body_Rigid id 30102: cg_id is 1"),
        ('type="REVOLUTE"', 'type="SCREW"', "Constraint_Joint id 301001: type is 'SCREW': known are REVOLUTE"),
        ('<Param_Unit force_unit="NEWTON"', '<Param_Unit', "Param_Unit has no force_unit"),
        ('id="30102030" label', 'id="30102020" label', "this id belongs to the Reference_Marker of line"),
        ('mu_static="0.5"', 'mu_static="0.2"', "mu_s is 0.2: it must not be below mu_k"),
        ('mu_static="0.5"', '', "Force_JointFriction id 1 has no mu_static"),
        ('pin_radius="5."', 'pin_radus="5."', "it has no attribute pin_radus, without which"),
        ('mass="1."', 'mass="1." inertia_yx="0."', "it has no attribute inertia_yx"),
        ('mu_static="0.5"', 'mu_static="x"', "mu_static is 'x': give a number"),
        ('pin_radius="5."', 'pin_radius="0."', "pin_radius is 0: it must be above zero"),
        ('inputs="1111"', 'inputs="11"', "inputs is '11': give four digits"),
        ('effect="All"', 'effect="None"', "effect is 'NONE': known are ALL, STICTION, SLIDING"),
        ('a02="0." a12="1." a22="0."', 'a02="1." a12="0." a22="0."', "must be orthogonal"),
        ("FRICTION(1,6)", "FRICTION(1,7)", "give the id of a Force_JointFriction and 1 to 6"),
        ("FRICTION(1,6)", "SIN(1)", "expression 'SIN(1)' is unknown"),
        ('mass="1."', 'mass="-1."', "mass is -1.0 kg: it must be above zero"),
        ('IsGround="TRUE"', 'IsGround="FALSE"', "Body_Rigid id 30101 has no cg_id"),
        ('analysis_type="Transient"', 'analysis_type="Static"', "analysis_type is 'STATIC'"),
        ("</Model>", "</Modell>", "not well-formed XML"),
        ("<MultiBodySystem", "<!DOCTYPE a [<!ENTITY b 'c'>]><MultiBodySystem", "a document type declaration"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::fem_mbd.friction.ActiveLawWarning")
def test_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(InputError, match=re.escape(message)):
        read(tmp_path, TEXT.replace(old, new, 1))


def test_lines_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"model.xml, line {friction_line()}: Force_JointFriction id 1"):
        read(tmp_path, TEXT.replace('mu_static="0.5"', 'mu_static="?"'))


def test_friction_is_never_twice_in_a_joint(tmp_path: Path) -> None:
    again = '<Force_JointFriction id="2" joint_id="301001" mu_static="0.5" mu_dynamic="0.3"/></Model>'
    with pytest.raises(InputError, match="id 2: joint 301001 has friction already, from line"):
        read(tmp_path, TEXT.replace("</Model>", again))


def test_without_units(tmp_path: Path) -> None:
    text = re.sub(r"<Param_Unit[^>]*>", "", TEXT)
    with pytest.raises(InputError, match="has no Param_Unit: it is required for"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "give a case"),
        (["run", "pendulum", "--from-xml", "a.xml"], "not both"),
        (["run", "--from-xml", "no_such.xml"], "no_such.xml: No such file"),
        (["run", "xml_model"], "give a model file"),
    ],
)
def test_command_line_refuses(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_command_line(tmp_path: Path) -> None:
    given = ["--set", "end_time=0.02", "--out", str(tmp_path / "run"), "--quiet"]
    assert main(["run", "--from-xml", str(FILE), *given]) == 0
    assert (tmp_path / "run" / "figures" / "requests.png").exists()


@pytest.mark.filterwarnings("ignore::fem_mbd.friction.ActiveLawWarning")
def test_friction_of_a_universal_joint(tmp_path: Path) -> None:
    """Its torque along J's axes is in the plane of the two yokes, and its power is the loss in the energy balance."""
    text = TEXT.replace('type="REVOLUTE"', 'type="UNIVERSAL"').replace(
        'grav_x="0." grav_y="0." grav_z="-9810."', 'grav_x="0." grav_y="-4000." grav_z="-9810."'
    )
    head, marker, rest = text.partition('label="Joint 0-Marker I"')
    axes = 'a00="-1." a10="0." a20="0." a02="0." a12="1." a22="0."'
    assert axes in rest
    turned = rest.replace(axes, 'a00="0." a10="1." a20="0." a02="0." a12="0." a22="1."', 1)
    found = read(tmp_path, head + marker + turned)
    result = fm.simulate(found.model, 0.25, fm.StepControl.fixed(1e-3))
    torque = np.column_stack([r.history(result) for r in found.requests if r.text[:9] == "FRICTION("][3:])
    # newton millimetres, along J's axes: x to -X, y to Z, z to Y
    torque = 1e-3 * torque[:, [0, 2, 1]] * (-1.0, 1.0, 1.0)
    bob = result.of(found.model.bodies["bob"])
    yokes = np.array([0.0, 1.0, 0.0]), bob.rotation_matrix[:, :, 2]
    across = np.cross(*yokes)
    assert np.abs(np.einsum("ki,ki->k", torque, across)).max() < 1e-12 * np.abs(torque).max()
    assert (
        np.abs(bob.rotation_matrix[:, 2, 2] - 1.0).max() > 0.5
    )  # the yoke of I has moved far from its position
    power = np.einsum("ki,ki->k", torque, bob.angular_velocity)
    lost = result.energy["dissipation_friction"].sum() + result.energy["bristle"][-1]
    assert -np.sum(power * np.diff(result.time, prepend=0.0)) == pytest.approx(lost, rel=0.01)


@pytest.mark.filterwarnings("ignore::fem_mbd.friction.ActiveLawWarning")
@pytest.mark.parametrize(("inactive", "held"), [("NONE", True), ("STATIC", False)])
def test_friction_in_statics(tmp_path: Path, inactive: str, held: bool) -> None:
    """The bob starts beside its pin; a preload of 2 N m carries the moment of its weight, 0.98 N m; otherwise it
    hangs.
    """
    text = TEXT.replace('inactive="NONE"', f'inactive="{inactive}"')
    text = re.sub('torque_preload="[^"]*"', 'torque_preload="2000."', text)
    model = read(tmp_path, text).model
    found = fm.find_equilibrium(model, friction=True)
    if not held:
        assert found.of("bob").position == pytest.approx([0.0, 0.0, -0.1], abs=1e-9)
        return
    assert found.of("bob").position == pytest.approx([-0.1, 0.0, 0.0], abs=1e-3)
    weight = 9.81 * model.inertia[model.bodies["bob"].index].mass
    assert abs(found.of("Joint 0.friction").torque[2]) == pytest.approx(0.1 * weight, rel=1e-3)


@pytest.mark.filterwarnings("ignore::fem_mbd.friction.ActiveLawWarning")
@pytest.mark.parametrize(("deform", "stiffness"), [(0.01, 1e5), (0.001, 5e5)])
def test_max_stiction_deform_bounds_what_bristles_give_way(
    tmp_path: Path, deform: float, stiffness: float
) -> None:
    """mu_s 0.5 and 100 per millimetre deflect by 5 micrometres."""
    text = TEXT.replace('inactive="NONE"', f'inactive="NONE" max_stiction_deform="{deform}"')
    found = read(tmp_path, text)
    spec = next(s for kind in found.model.specs.values() for s in kind if s.name == "Joint 0.friction")
    assert spec.law.sigma_0 == pytest.approx(stiffness)
