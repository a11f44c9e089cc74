"""ElastoDyn's ratio for each shape of bending, against OpenFAST's own linearisation of the WindPACT 1.5 MW turbine."""

from __future__ import annotations

from pathlib import Path

import pytest

from fem_mbd.errors import InputError
from fem_mbd.machines import read_openfast_machine
from tests.machines.openfast.windpact import FOLDER, LINEARISED, allowed, modes_by_name, windpact_family


def test_each_mode_has_the_damping_of_its_shape() -> None:
    """Second shapes had 8.9 % (tower) and 11.5 % (flap) when they followed the first ones."""
    found = modes_by_name(windpact_family(), 14)
    for name, (frequency, ratio) in LINEARISED.items():
        assert found[name][0] == pytest.approx(frequency, rel=allowed(name)), name
        if ratio is not None:
            assert found[name][1] == pytest.approx(ratio, rel=0.05), name


def test_a_shape_that_is_missing_is_named(tmp_path: Path) -> None:
    for file in FOLDER.rglob("*.*"):
        copy = tmp_path / file.relative_to(FOLDER)
        copy.parent.mkdir(exist_ok=True)
        text = file.read_text(errors="replace")
        copy.write_text("\n".join(line for line in text.splitlines() if "BldFl2Sh(4)" not in line))
    with pytest.raises(InputError, match=r"Baseline_Blade.dat: keyword 'BldFl2Sh\(4\)' is missing"):
        read_openfast_machine(tmp_path / "WP_Stationary_Linear" / "WP_Stationary_Linear.fst")
