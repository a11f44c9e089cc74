"""Tests of the names and ordinals of rotor modes, also where pairs of modes whirl or stand."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd.analysis.modal.modes import modes_of, motion_of
from fem_mbd.analysis.rotors.rotor_modes import kinds_of, numbered
from fem_mbd.cases._blades import DATA
from fem_mbd.machines import MachineFamily, read_hawc2_machine, with_elements
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


def test_modes_of_clear_parts_keep_their_kinds_where_pairs_cross() -> None:
    kinds = ["flap backward", "flap backward", "flap forward", "flap collective", "flap forward"]
    shares = [{kind: 0.6} | {other: 0.2 for other in WHIRL if other != kind} for kind in kinds]
    assert kinds_of(shares, [True] * 5) == kinds


def test_of_nearly_equal_parts_that_one_counts_whose_turn_it_is() -> None:
    """Two modes of collective and forward motion: each is named after the one of which it has more."""
    shares = [
        {"flap backward": 0.93, "flap collective": 0.02, "flap forward": 0.01},
        {"flap backward": 0.01, "flap collective": 0.50, "flap forward": 0.48},
        {"flap backward": 0.01, "flap collective": 0.53, "flap forward": 0.38},
    ]
    assert kinds_of(shares, [True] * 3) == ["flap backward", "flap forward", "flap collective"]
    assert kinds_of(shares, [True, True, False])[1:] == ["flap collective", "flap collective"]


def test_collective_and_forward_flap_modes_that_cross_keep_their_numbers() -> None:
    """IEA 15 MW: HAWCStab2 has the first flap modes below 0.62 Hz and the second above 1.2 Hz at all speeds."""
    file = DATA / "iea15_turbine" / "IEA_15MW_RWT_FixedSubstructure.htc"
    family = MachineFamily(with_elements(read_hawc2_machine(file, "mass centre"), 6))
    for speed in (0.20, 0.24, 0.28):
        found = modes_of(family.at(speed), 13)
        hz = dict(zip(family.names(found), found.frequencies_hz, strict=True))
        for motion in ("backward", "collective", "forward"):
            assert hz[f"first flap {motion}"] < 0.62
            assert hz[f"second flap {motion}"] > 1.2


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
    """Stiff blades on a torsionally soft shaft: sqrt(GJ/(L I)), whatever the tower's roll."""
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
