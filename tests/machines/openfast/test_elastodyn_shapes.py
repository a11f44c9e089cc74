"""Where frequencies differ from OpenFAST's, and why: seen in ElastoDyn's own shapes, with its gearbox, they agree.

WindPACT 1.5 MW (`WP_Stationary_Linear.1.lin`): the drivetrain is 5.9 % lower here, since a beam bends edgewise as it
likes where ElastoDyn has one shape; second side-side motions of the tower 2.8 % higher, since ElastoDyn's gearbox turns
the generator 88 times as fast against the nacelle that carries it, where it turns with the rotor here. First blade
modes are up to 2 % higher in the shapes: ElastoDyn sums over 15 places along a blade, by which its edge stiffness is
2.1 % less and that of flap 0.2 %.
"""

from pathlib import Path

import pytest

from fem_mbd.errors import InputError
from fem_mbd.machines import read_openfast_machine
from tests.machines.openfast.elastodyn_shapes import ritz_frequencies
from tests.machines.openfast.windpact import BLADE, FOLDER, GEAR, GENERATOR, TOWER, windpact_family


def test_first_modes_agree_but_for_elastodyn_s_sums() -> None:
    found = ritz_frequencies(windpact_family(), TOWER, BLADE, GENERATOR, GEAR)
    assert found[1:3] == pytest.approx([0.40459, 0.40751], rel=0.01)
    assert found[3:6] * 0.997 == pytest.approx([1.21540, 1.23111, 1.26448], rel=0.01)
    # midpoints of 15 pieces instead of the table: factor 0.988 for the edge shape
    assert found[6:8] * 0.988 == pytest.approx([1.85941, 1.87992], rel=0.01)


def test_a_shape_that_is_missing_is_named(tmp_path: Path) -> None:
    for file in FOLDER.rglob("*.*"):
        copy = tmp_path / file.relative_to(FOLDER)
        copy.parent.mkdir(exist_ok=True)
        text = file.read_text(errors="replace")
        copy.write_text("\n".join(line for line in text.splitlines() if "BldFl2Sh(4)" not in line))
    with pytest.raises(InputError, match=r"Baseline_Blade.dat: keyword 'BldFl2Sh\(4\)' is missing"):
        read_openfast_machine(tmp_path / "WP_Stationary_Linear" / "WP_Stationary_Linear.fst")
