"""Machines from windIO files: the IEA 15 MW example against its BeamDyn and HAWC2 files, the IEA 22 MW one by hand."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.cases._blades import DATA
from fem_mbd.cases.iea15mw_turbine import machine
from fem_mbd.elements.blades import read_beamdyn
from fem_mbd.errors import InputError
from fem_mbd.machines import Machine, MachineFamily, read_windio_machine
from tests.machines.windio.windio_files import write_turbine
from tests.refusals import refused

windIO = pytest.importorskip("windIO")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::fem_mbd.machines.LeftOutWarning")]
EXAMPLES = Path(windIO.__file__).parent / "examples" / "turbine"


@pytest.fixture(scope="module")
def iea15() -> Machine:
    return read_windio_machine(EXAMPLES / "IEA-15-240-RWT.yaml")


def test_the_blade_is_that_of_its_beamdyn_file(iea15: Machine) -> None:
    """Two files of one blade from different tools: they show the axes and signs that windIO's words leave open."""
    ours = iea15.member("blade1").blade
    other = read_beamdyn(DATA / "iea15" / "IEA-15-240-RWT_BeamDyn.dat")
    assert ours.mass == pytest.approx(other.mass, rel=1e-3)
    assert ours.length == pytest.approx(other.length, rel=1e-3)
    for s in (0.3, 0.5, 0.8):
        for what in ("stiffness", "mass_matrix"):
            one, two = getattr(ours.sections(s), what), getattr(other.sections(s), what)
            assert one == pytest.approx(two, abs=0.01 * np.abs(two).max())
        place, axes = ours.axis.at(s)
        wanted, along = other.axis.at(s)
        assert place == pytest.approx(wanted, abs=0.05)
        assert axes == pytest.approx(along, abs=5e-3)


def test_the_turbine_stands_and_weighs_as_in_its_hawc2_file(iea15: Machine) -> None:
    """HAWC2's hub height is 149.8 m with 5 m + 6.1 m of shaft; windIO says 150 m and 12.03 m of overhang."""
    frames = iea15.frames()
    assert frames["hub1"].origin == pytest.approx([-12.0313, 0.0, 150.0], abs=1e-3)
    for name in ("tower", "blade1"):
        other = machine().member(name).blade
        assert iea15.member(name).blade.mass == pytest.approx(other.mass, rel=0.02)
    # blade 1 leans upwind and bends upwind
    tip = iea15.member("blade1").blade.axis.at(1.0)[0]
    assert tip[0] < -2.0
    assert frames["blade1"].rotation[:, 2] @ [-1.0, 0.0, 0.0] == pytest.approx(
        np.sin(np.radians(4.0 - 6.0)), abs=1e-6
    )


@pytest.mark.slow
def test_modes_agree_with_those_from_the_hawc2_file(iea15: Machine) -> None:
    """Other tools, other years: the same turbine within 1 %."""
    rate, found = 0.7, {}
    for name, family in (("windIO", MachineFamily(iea15)), ("HAWC2", MachineFamily(machine()))):
        modes = modes_of(family.at(rate), 12)
        found[name] = dict(zip(family.names(modes), modes.frequencies_hz, strict=True))
    assert set(found["windIO"]) == set(found["HAWC2"])
    for name, frequency in found["HAWC2"].items():
        assert found["windIO"][name] == pytest.approx(frequency, rel=0.01), name


def test_bad_files_are_refused(tmp_path: Path) -> None:
    refused(r"'.*no.yaml' cannot be read", lambda: read_windio_machine(tmp_path / "no.yaml"))
    (tmp_path / "other.yaml").write_text("name: nothing\n")
    with pytest.raises(InputError, match=r"other.yaml: there is no 'components.blade'"):
        read_windio_machine(tmp_path / "other.yaml")
    (tmp_path / "text.yaml").write_text("a: [1, 2\n")
    refused(r"text.yaml' cannot be read", lambda: read_windio_machine(tmp_path / "text.yaml"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("values: [0.0, 35.1,", "values: [0.0,", "z: 'values' has to be 4 finite numbers"),
        ("values: [0.0, 35.1,", "values: [0.0, .nan,", "z: 'values' has to be 4 finite numbers"),
        ("values: [0.0, 35.1,", "values: [0.0, ~,", "violates windIO's schema"),
        ("&id001 [0.0, 0.3, 0.7", "&id001 [0.0, 0.8, 0.7", "'grid' has to be two numbers or more that ascend"),
    ],
)  # fmt: skip
def test_tables_that_cannot_be_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    refused(message, lambda: read_windio_machine(write_turbine(tmp_path, old, new)))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("            uptilt: 6.0\n", "", r"drivetrain\.outer_shape: there is no 'uptilt'"),
        ("damping_coefficient: ", "damping_coefficient: x", "'damping_coefficient' has to be finite numbers, 1"),
        ("damping_coefficient: ", "damping_coefficient: .inf # ", "'damping_coefficient' has to be finite"),
        ("mu: [", "mu: [0.0, ", r"blade\.structure.*'mu' has to be finite numbers, 6 of them"),
    ],
)  # fmt: skip
def test_what_the_schema_leaves_open_is_looked_at(tmp_path: Path, old: str, new: str, message: str) -> None:
    refused(message, lambda: read_windio_machine(write_turbine(tmp_path, old, new)))


def test_files_that_grow_without_bound_are_refused(tmp_path: Path) -> None:
    """Aliases of aliases, a mapping that holds itself, a file that includes itself: each in a moment."""
    levels = [f"a{k + 1}: &a{k + 1} [{', '.join([f'*a{k}'] * 10)}]" for k in range(9)]
    (tmp_path / "aliases.yaml").write_text("\n".join(["a0: &a0 [1, 2]", *levels]))
    (tmp_path / "circle.yaml").write_text("a: &a {b: *a}\n")
    for name in ("aliases.yaml", "circle.yaml"):
        with pytest.raises(InputError, match=f"{name}: more than 2,000,000 values"):
            read_windio_machine(tmp_path / name)
    (tmp_path / "itself.yaml").write_text("a: !include itself.yaml\n")
    refused(r"itself.yaml' cannot be read", lambda: read_windio_machine(tmp_path / "itself.yaml"))
