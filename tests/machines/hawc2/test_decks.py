"""HAWC2 decks as they are published: nearly round rotors; what is refused, and what is read on request."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.analysis.rotors.multiblade import AnisotropyWarning
from fem_mbd.errors import InputError
from fem_mbd.machines import MachineFamily, read_hawc2_machine
from tests.machines.hawc2.decks import DECKS, iea10
from tests.machines.hawc2.htc_files import write_machine

LUMP = "1 0 0.5 0 1000 400 500 600"


@pytest.mark.filterwarnings(
    "ignore:modes. frequencies of modes:fem_mbd.analysis.statics.bordered_newton.PrecisionWarning"
)
def test_a_rotor_that_is_round_within_a_few_percent_is_read_with_a_warning() -> None:
    """The generator's rotor of the IEA 10 MW turbine has 2.003e6 and 2.017e6 kg m^2 across the axis."""
    with pytest.warns(AnisotropyWarning, match=r"its mass by up to 0\.\d+ % \(at node 'shaft"):
        family = MachineFamily(iea10())
    found = modes_of(family.at(0.5), 3)
    assert family.names(found)[1] == "first tower fore-aft"


def test_the_mean_over_a_turn_is_that_of_a_round_rotor(tmp_path: Path) -> None:
    """A lump with I and I + d across the axis has on the average what one with I + d/2 has."""
    values = []
    for pair in ("490 510", "500 500"):
        (tmp_path / pair[:3]).mkdir(exist_ok=True)
        main = write_machine(tmp_path / pair[:3], LUMP, f"1 0 0 0 1000 {pair} 600")
        machine = read_hawc2_machine(main)
        if pair == "490 510":
            with pytest.warns(AnisotropyWarning):
                family = MachineFamily(machine)
        else:
            family = MachineFamily(machine)
        values.append(modes_of(family.at(3.0), 8).eigenvalues)
    assert values[0] == pytest.approx(values[1], rel=1e-8, abs=1e-8)


@pytest.mark.parametrize(
    ("inertia", "accepted"),
    [
        ("400 500 905", True),
        ("0 0 700", True),
        ("400 500 600", True),
        ("400 500 915", False),
        ("-1 500 500", False),
    ],
)
def test_inertia_that_no_body_has(tmp_path: Path, inertia: str, accepted: bool) -> None:
    main = write_machine(tmp_path, LUMP, f"1 0 0.5 0 1000 {inertia}")
    if accepted:
        lump = read_hawc2_machine(main).member("shaft").lumps[0]
        moments = np.linalg.eigvalsh(lump.inertia)
        assert moments[2] <= moments[:2].sum() * (1 + 1e-9) or not moments[:2].any()
        return
    with pytest.raises(InputError, match=r"bodies.htc, line 19: concentrated_mass of 'shaft'"):
        read_hawc2_machine(main)


def test_names_of_files_in_another_case(tmp_path: Path) -> None:
    main = write_machine(tmp_path)
    (tmp_path / "data").rename(tmp_path / "DATA")
    (tmp_path / "DATA" / "all_st.dat").rename(tmp_path / "DATA" / "ALL_ST.dat")
    master = tmp_path / "htc" / "_master"
    master.mkdir()
    shutil.copy(main, master)
    for path in (main, master / main.name):
        machine = read_hawc2_machine(path)
        assert len(machine.members) == 5 and not any("found beside" in line for line in machine.ignored)


EXTERNAL = "begin dll;\n dll 'Mooring.dll';\n init start;\nend dll;\n"


def test_external_constraints_are_named_and_left_out_on_request(tmp_path: Path) -> None:
    main = write_machine(tmp_path, "  begin constraint;\n", "  begin constraint;\n" + EXTERNAL)
    with pytest.raises(
        InputError,
        match=r"line \d+: constraint 'dll' is computed by another program \(.*leave_out=\('dll',\)",
    ):
        read_hawc2_machine(main)
    machine = read_hawc2_machine(main, leave_out=("dll",))
    assert any(
        line.startswith("constraint 'dll' (main.htc") and "left out" in line for line in machine.ignored
    )
    system = "  begin ext_sys;\n  name line1;\n  end ext_sys;\n  begin orientation;"
    main = write_machine(tmp_path, "  begin orientation;", system)
    with pytest.raises(InputError, match="block 'ext_sys' is computed by another program"):
        read_hawc2_machine(main)
    assert any("'ext_sys'" in line for line in read_hawc2_machine(main, leave_out=["ext_sys"]).ignored)


def test_templates_are_told_from_decks(tmp_path: Path) -> None:
    main = write_machine(tmp_path, "    begin bearing1;", "    [free_shaft] begin bearing1;")
    with pytest.raises(InputError, match=r"main.htc, line \d+: '\[free_shaft\]' is a tag of a template"):
        read_hawc2_machine(main)


def test_radii_that_a_file_leaves_open_have_to_be_given() -> None:
    with pytest.raises(InputError, match="give radii_at='elastic centre' or radii_at='mass centre'"):
        read_hawc2_machine(DECKS / "iea22" / "iea_22mw_rwt_structure.htc")
