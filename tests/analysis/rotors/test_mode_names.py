"""Which of its kind a mode is, also where the first pair of a blade's modes whirls and the second one stands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fem_mbd.analysis.modal.mode_text import motion_of
from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.analysis.rotors.rotor_modes import numbered
from fem_mbd.machines import MachineFamily, read_hawc2_machine
from tests.machines.hawc2.htc_files import write_machine

WHIRL = ["flap backward", "flap collective", "flap forward"]
STAND = ["flap yaw", "flap collective", "flap tilt"]


@pytest.mark.parametrize("first", [WHIRL, STAND])
@pytest.mark.parametrize("second", [WHIRL, STAND])
def test_pairs_are_counted_together(first: list[str], second: list[str]) -> None:
    names = [f"first {kind}" for kind in first] + [f"second {kind}" for kind in second]
    assert numbered([*first, *second]) == names


def test_whirls_of_different_pairs_may_cross() -> None:
    kinds = ["flap backward", "flap backward", "flap forward", "flap forward"]
    assert numbered(kinds) == [
        "first flap backward", "second flap backward", "first flap forward", "second flap forward"
    ]  # fmt: skip


def test_the_first_collective_edge_mode_is_the_drivetrain() -> None:
    kinds = ["shaft rotation", "tower fore-aft", "edge collective", "edge collective", "tower fore-aft"]
    assert numbered(kinds) == [
        "shaft rotation", "first tower fore-aft", "drivetrain", "second edge collective", "second tower fore-aft"
    ]  # fmt: skip


SOFT = "$3 2 soft in torsion\n" + "".join(
    f"{r} 1.0 0 0 0.5 0.5 0 0 2.1e13 8.0e12 0.02 0.02 {{torsion:.12e}} 0.5 0.5 0.03 0 0 0\n"
    for r in (0.0, 3.0)
)


def test_a_rotor_that_swings_on_its_held_shaft_is_the_drivetrain(tmp_path: Path) -> None:
    """Stiff blades on a shaft that is soft in torsion: sqrt(GJ/(L I)); the tower's roll goes with it, no matter."""
    wanted, inertia = 2 * np.pi * 1.5, _inertia(tmp_path)
    torsion = wanted**2 * inertia * 3.0 / 8.0e12
    main = write_machine(tmp_path, "FPM 0;\n    set 1 1;", "FPM 0;\n    set 1 3;")
    table = tmp_path / "data" / "all_st.dat"
    stiff = (
        table.read_text().replace("3.0e10 1.0e10", "3.0e14 1.0e14").replace("2.1e11 8.0e10", "2.1e13 8.0e12")
    )
    table.write_text(stiff + SOFT.format(torsion=torsion))
    bodies = tmp_path / "htc" / "bodies.htc"
    bodies.write_text(bodies.read_text().replace("1 0 0.5 0 1000 400 500 600", "1 0 0 0 1000 400 400 600"))
    family = MachineFamily(read_hawc2_machine(main), locked=True)
    found = modes_of(family.at(0.0), 6)
    k = family.names(found).index("drivetrain")
    assert found.frequencies_hz[k] == pytest.approx(1.5, rel=0.01)


def _inertia(folder: Path) -> float:
    """kg m^2 about the shaft of the small machine's blades, m = 30 - 15 z/8, and of the lump of 700 at its end."""
    points, weights = np.polynomial.legendre.leggauss(5)
    z = 4.0 * (1 + points)
    across = (30.0 - 15.0 * z / 8.0) * ((z * np.cos(np.radians(3.0))) ** 2 + 0.2**2)
    return float(3 * 4.0 * weights @ across) + 700.0


def test_motions_that_do_not_swing_are_told_so(tmp_path: Path) -> None:
    """A tower with a Kelvin-Voigt time of 10 s: zeta = omega eta/2 is far above 1."""
    main = write_machine(tmp_path, "damping_posdef 0 0 0 1e-3 1e-3 1e-3", "damping_posdef 0 0 0 10 10 10")
    bodies = tmp_path / "htc" / "bodies.htc"
    bodies.write_text(bodies.read_text().replace("1 0 0.5 0 1000 400 500 600", "1 0 0 0 1000 400 400 600"))
    family = MachineFamily(read_hawc2_machine(main))
    found = modes_of(family.at(0.0), 5)
    names = family.names(found)
    damped = [name for name in names if name.endswith(", over-damped")]
    assert len(damped) >= 2 and all("tower" in name for name in damped)
    k = names.index(damped[0])
    assert found.frequencies_hz[k] == 0.0
    assert motion_of(found.eigenvalues[k]) == f"over-damped (1/e in {-1 / found.eigenvalues[k].real:.3g} s)"
    assert (
        motion_of(0j) == "0 Hz"
        and motion_of(2j * np.pi) == "1 Hz"
        and motion_of(0.5 + 0j) == "growing (e in 2 s)"
    )
