"""Modes of machines in multi-blade coordinates: HAWCStab2's table of the IEA 15 MW turbine, invariance, bad input."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.analysis.rotors.campbell import follow_modes
from fem_mbd.cases.iea15mw_turbine import Parameters, family
from fem_mbd.errors import InputError
from fem_mbd.machines import MachineFamily, read_hawc2_machine
from tests.machines.hawc2.htc_files import write_machine
from tests.validation.test_iea_15mw_turbine import STATES, TABLE

# the shaft's lump in the small machine, made round
ROUND = ("1 0 0.5 0 1000 400 500 600", "1 0 0 0 1000 400 400 600")


@pytest.mark.parametrize("k", range(len(STATES)))
def test_the_bent_turbine_has_the_modes_of_the_reference(k: int) -> None:
    """Linearised about the blades bent by their rotation; the undeflected ones are a validation problem."""
    speed, pitch = STATES[k]
    made = family(Parameters(pitch=pitch, shape="equilibrium"))
    found = modes_of(made.at(speed * np.pi / 30), 12)
    names = made.names(found)
    assert names[0] == "shaft rotation" and found.frequencies_hz[0] == 0.0
    for name, values in TABLE.items():
        bound = 2e-3 if "tower" in name else 1.5e-2 if name == "drivetrain" or "second" in name else 5e-3
        assert found.frequencies_hz[names.index(name)] == pytest.approx(values[k], rel=bound), name
    for name in ("first tower fore-aft", "first tower side-side"):
        assert 100 * found.damping_ratios[names.index(name)] == pytest.approx(0.096, rel=0.1), name


def test_the_azimuth_of_an_isotropic_rotor_changes_nothing(tmp_path: Path) -> None:
    machine = read_hawc2_machine(write_machine(tmp_path, *ROUND))
    values = []
    for azimuth in (0.0, 0.4):
        made = MachineFamily(machine, {"rot": azimuth})
        found = modes_of(made.at(4.0), 8)
        values.append(found.eigenvalues)
        names = made.names(found)
        assert names[0] == "shaft rotation"
        assert {"first tower fore-aft", "first tower side-side"} <= set(names)
    assert values[1] == pytest.approx(values[0], rel=1e-6, abs=1e-6)


def test_tracks_go_by_name_and_split_from_standstill(tmp_path: Path) -> None:
    made = MachineFamily(read_hawc2_machine(write_machine(tmp_path, *ROUND)))
    found = follow_modes(made, [0.0, 2.0, 4.0], 8)
    backward, forward = (found.names.index(f"first edge {sense}") for sense in ("backward", "forward"))
    split = found.frequencies_hz[:, forward] - found.frequencies_hz[:, backward]
    # a whirl in the plane of the rotor is seen at its own frequency less and more the rotor's speed
    assert split[2] == pytest.approx(2 * 4.0 / (2 * np.pi), rel=0.25)
    assert split[2] > split[1] > split[0] >= 0.0


def test_blades_that_differ_are_named(tmp_path: Path) -> None:
    heavy = "name blade3;\n  concentrated_mass 3 0 0 0 5 0 0 0;\n"
    main = write_machine(tmp_path, *ROUND)
    bodies = tmp_path / "htc" / "bodies.htc"
    block = bodies.read_text().split("begin main_body;\n  name blade1;")[1].split("end main_body;")[0]
    text = bodies.read_text().replace("name blade3;\n  copy_main_body blade1;\n", heavy + block)
    bodies.write_text(text)
    with pytest.raises(InputError, match=r"mass is not the same for all blades.*blade"):
        MachineFamily(read_hawc2_machine(main))
    with pytest.raises(InputError, match=r"(mass|stiffness) is not the same for all blades"):
        MachineFamily(read_hawc2_machine(write_machine(tmp_path, *ROUND)), {"pitch2": 0.1})


def test_a_rotor_with_an_eccentric_mass_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"mass is not the same .* in all directions, most at node 'shaft.0'"
    ):
        MachineFamily(read_hawc2_machine(write_machine(tmp_path)))


def test_shapes_are_checked() -> None:
    with pytest.raises(InputError, match=r"shape is 'bent'; .*undeflected"):
        family(Parameters(shape="bent"))  # type: ignore[arg-type]
