"""Damping of HAWC2's bodies: it acts on what the blade itself sees; commands that are refused."""

from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.errors import InputError
from fem_mbd.machines import MachineFamily, read_hawc2_machine
from tests.machines.hawc2.decks import iea10
from tests.machines.hawc2.htc_files import write_machine

# the shaft's lump in the small machine, made round
ROUND = ("1 0 0.5 0 1000 400 500 600", "1 0 0 0 1000 400 400 600")


def test_modes_whose_damping_is_published_are_flap_edge_flap() -> None:
    """Of the IEA 10 MW blade alone; the ratios themselves are rows of `tests/validation/decks/hawc2`."""
    model = fm.Model()
    iea10().member("blade1").blade.add_to(model)
    found = fm.modes(model, 3)
    flap, edge = (np.abs(found.shapes[:, -1, k]) for k in (0, 1))
    assert list(flap > edge) == [True, False, True]


def test_damping_acts_on_what_the_blade_itself_sees(tmp_path: Path) -> None:
    """On a support that does not move, blades that whirl decay as fast as they do in their own axes.

    There a blade does not know of the others: its modes, of rate s and frequency w, are seen by those who stand still
    at w - Omega, w, w + Omega, with s unchanged. HAWCStab2 has one *ratio* s/w in all three instead (DTU 10 MW
    redesign, tower rigid, 10 rev/min: 0.4265 % at 0.4668 Hz and 0.4262 % at 0.7990 Hz).
    """
    stiff = ("2.1e11 8.0e10 0.02 0.02 0.04", "2.1e19 8.0e18 0.02 0.02 0.04", 2)
    write_machine(tmp_path, *stiff)
    bodies, st = tmp_path / "htc" / "bodies.htc", tmp_path / "data" / "all_st.dat"
    bodies.write_text(bodies.read_text().replace(*ROUND).replace("damping_aniso", "damping_posdef"))
    assert "2.1e19" in st.read_text()
    rate = 3.0
    family = MachineFamily(read_hawc2_machine(tmp_path / "htc" / "main.htc"))
    found = modes_of(family.at(rate), 12)
    by_name = dict(zip(family.names(found), found.eigenvalues, strict=True))
    middle = by_name["first flap collective"]
    assert -middle.real / abs(middle) > 0.005
    for sense, sign in (("backward", -1.0), ("forward", 1.0)):
        seen = by_name[f"first flap {sense}"]
        assert seen.real == pytest.approx(middle.real, rel=2e-3), sense
        assert abs(seen.imag) == pytest.approx(abs(middle.imag) + sign * rate, rel=2e-3), sense


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("damping_aniso 0", "damping_anisotropic 0", r"bodies.htc, line 34: 'damping_anisotropic' .*'damping_aniso"),
        ("  type timoschenko", "  type cable", "is of type 'cable': only timoschenko"),
        ("FPM 0;", "FMP 0;", r"line 2[0-9]: 'fmp' in 'timoschenko_input' of 'shaft' is not known here; .*'fpm'"),
        (
            "name shaft;",
            "name shaft; \n begin cable;\n end cable;",
            "line 1[0-9]: block 'cable' of main_body 'shaft' is not known",
        ),
        (
            "damping_aniso 0 0 0 2e-3 1e-3 1e-3;",
            "damping_aniso 0 0 0 2e-3 1e-3 1e-3;\n damping_posdef 0 0 0 0 0 0;",
            r"line 35: 'blade1' has damping already \(line 34, 'damping_aniso'\)",
        ),
        (
            "copy_main_body blade1;",
            "copy_main_body blade1;\n concentrated_mass 1 0 0 0 1 0 0 0;",
            r"'concentrated_mass' of 'blade2': it is a copy \(line [0-9]+\), which overwrites it",
        ),
        (
            "damping_posdef 0 0 0 1e-3",
            "damping_davg 0 0 0 1e-3",
            "give damping_posdef, damping_aniso or damping_aniso_v2",
        ),
    ],
)  # fmt: skip
def test_commands_of_a_body_that_are_not_known_are_refused(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_hawc2_machine(write_machine(tmp_path, old, new))
