"""ElastoDyn's ratio for each shape of bending, against OpenFAST's own linearisation of the WindPACT 1.5 MW turbine."""

from __future__ import annotations

from pathlib import Path

import pytest

from fem_mbd.errors import InputError
from fem_mbd.machines import MachineFamily, read_openfast_machine
from fem_mbd.modal.modes import modes_of
from tests.machines.hawc2_decks import DECKS

DECK = DECKS / "windpact15" / "WP_Stationary_Linear" / "WP_Stationary_Linear.fst"
# eigenvalues of the state matrix of WP_Stationary_Linear.1.lin (OpenFAST r-test, 2018): at standstill, shaft free;
# Hz, % of critical. The drivetrain's pair is coupled with a second edge shape, which ElastoDyn does not have.
LINEARISED = {
    "first tower fore-aft": (0.4046, 1.304), "first tower side-side": (0.4075, 1.312),
    "first flap tilt": (1.2154, 3.767), "first flap yaw": (1.2311, 3.846), "first flap collective": (1.2645, 3.966),
    "first edge vertical": (1.8594, 5.768), "first edge horizontal": (1.8799, 5.856),
    "second tower fore-aft": (2.8632, 3.235),
    "second flap yaw": (3.7540, 4.012), "second flap tilt": (3.7946, 4.071), "second flap collective": (3.8785, 4.190),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:modes. frequencies of modes:fem_mbd.statics.precision.PrecisionWarning")
def test_each_mode_has_the_damping_of_its_shape() -> None:
    """Second shapes had 8.9 % (tower) and 11.5 % (flap) when they followed the first ones."""
    family = MachineFamily(read_openfast_machine(DECK))
    found = modes_of(family.at(0.0), 14)
    names = family.names(found)
    for name, (frequency, ratio) in LINEARISED.items():
        k = names.index(name)
        bound = 0.01 if "first tower" in name else 0.015 if "first" in name else 0.03
        assert found.frequencies_hz[k] == pytest.approx(frequency, rel=bound), name
        assert 100 * found.damping_ratios[k] == pytest.approx(ratio, rel=0.05), name


def test_a_shape_that_is_missing_is_named(tmp_path: Path) -> None:
    for file in DECK.parents[1].rglob("*.*"):
        copy = tmp_path / file.relative_to(DECK.parents[1])
        copy.parent.mkdir(exist_ok=True)
        text = file.read_text(errors="replace")
        copy.write_text("\n".join(line for line in text.splitlines() if "BldFl2Sh(4)" not in line))
    with pytest.raises(InputError, match=r"Baseline_Blade.dat: keyword 'BldFl2Sh\(4\)' is missing"):
        read_openfast_machine(tmp_path / "WP_Stationary_Linear" / "WP_Stationary_Linear.fst")
