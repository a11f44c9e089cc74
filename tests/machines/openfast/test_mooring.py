"""Mooring lines at rest by closed forms, their symmetry, and files that are refused."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd.elements.catenary import MooringLine, line_at_rest
from fem_mbd.errors import InputError
from fem_mbd.machines.building.substructure import mooring
from fem_mbd.machines.readers.openfast.deck import Deck
from fem_mbd.machines.readers.openfast.floater import read_lines
from tests.machines.hawc2.decks import DECKS

FLOATING = DECKS / "floating"
OC3 = FLOATING / "oc3_hywind"
OC3_MAP, OC3_MOORDYN = (OC3 / f"NRELOffshrBsline5MW_OC3Hywind_{kind}.dat" for kind in ("MAP", "MoorDyn"))
OC4 = FLOATING / "oc4_semi"
OC4_MAP, OC4_MOORDYN = (
    OC4 / f"NRELOffshrBsline5MW_OC4DeepCwindSemi_{kind}.dat" for kind in ("MAP", "MoorDyn")
)


def lines(path: Path, depth: float) -> list[MooringLine]:
    return read_lines(Deck(path, "mooring file"), depth, 1025.0, 9.80665)


def one(**given: object) -> MooringLine:
    values: dict = {
        "name": "line", "anchor": np.array([800.0, 0.0, -200.0]), "fairlead": np.array([40.0, 0.0, -14.0]),
        "length": 830.0, "weight": 1000.0, "stiffness": 7e8,
    }  # fmt: skip
    return MooringLine(**(values | given))


@pytest.mark.parametrize(("path", "depth"), [(OC3_MAP, 320.0), (OC4_MOORDYN, 200.0)])
def test_equal_lines_all_around_pull_straight_down(path: Path, depth: float) -> None:
    force, stiffness = mooring(lines(path, depth), np.zeros(3))
    assert np.abs(force[:2]).max() < 1e-3 * abs(force[2])
    for across in (0, 3):
        assert stiffness[across, across] == pytest.approx(stiffness[across + 1, across + 1], rel=1e-3)


def test_one_mooring_in_two_formats_has_one_stiffness() -> None:
    given = [np.diag(mooring(lines(path, 320.0), np.zeros(3))[1]) for path in (OC3_MAP, OC3_MOORDYN)]
    assert given[1] == pytest.approx(given[0], rel=1e-3)


def test_coupling_is_that_of_the_report() -> None:
    _, stiffness = mooring(lines(OC3_MAP, 320.0), np.zeros(3))
    assert stiffness[4, 0] == pytest.approx(-2.816e6, rel=1e-3)
    assert stiffness[3, 1] == pytest.approx(2.816e6, rel=1e-3)


def test_a_line_that_does_not_stretch_is_a_catenary() -> None:
    """L^2 - z^2 = (2 a sinh(x/2a))^2 with a = H/w (Irvine, Cable Structures, 1981)."""
    line = one(length=800.0, stiffness=1e16, bed=False, anchor=np.array([740.0, 0.0, -200.0]))
    force, _ = line_at_rest(line)
    a, x, z = np.hypot(*force[:2]) / line.weight, 700.0, 186.0
    assert (2 * a * np.sinh(x / (2 * a))) ** 2 == pytest.approx(line.length**2 - z**2, rel=1e-9)


@pytest.mark.parametrize("rubbing", [0.01, 1.0])
def test_friction_on_the_sea_bed_reduces_the_tension_towards_the_anchor(rubbing: float) -> None:
    """It falls by C w per length, to zero at least; stretch and catenary are integrated here."""
    line = one(length=900.0, stiffness=2e6, rubbing=rubbing)
    force, _ = line_at_rest(line)
    h, v, w = float(np.hypot(*force[:2])), float(-force[2]), line.weight
    middle = (np.arange(200_000) + 0.5) / 200_000
    resting, hanging = line.length - v / w, v / w
    on_bed = np.maximum(h - rubbing * w * resting * middle, 0.0)
    assert (on_bed.min() == 0.0) == (rubbing == 1.0)
    tension = np.hypot(h, w * hanging * middle)
    stretched = hanging * (1.0 + tension / line.stiffness) / tension
    across = resting * np.mean(1.0 + on_bed / line.stiffness) + np.mean(h * stretched)
    assert across == pytest.approx(760.0, rel=1e-8)
    assert np.mean(w * hanging * middle * stretched) == pytest.approx(186.0, rel=1e-8)


@pytest.mark.parametrize(
    "given", [{}, {"rubbing": 0.5}, {"bed": False}, {"length": 770.0}, {"length": 790.0, "weight": 20.0}]
)
def test_stiffness_is_the_change_of_the_force(given: dict) -> None:
    line, small = one(**given), 1e-3
    _, stiffness = line_at_rest(line)
    for k, direction in enumerate(np.eye(3)):
        ends = [
            line_at_rest(one(**given, fairlead=line.fairlead + s * small * direction))[0] for s in (1, -1)
        ]
        assert stiffness[:, k] == pytest.approx(-(ends[0] - ends[1]) / (2 * small), rel=1e-5, abs=1e-2)


def test_a_tendon_is_a_rod_across_which_its_tension_holds() -> None:
    line = one(
        anchor=np.array([27.0, 0.0, -200.0]), fairlead=np.array([27.0, 0.0, -48.0]), length=151.7, weight=1e-6
    )
    force, stiffness = line_at_rest(line)
    assert -force[2] == pytest.approx(7e8 * 0.3 / 151.7, rel=1e-6)
    assert np.diag(stiffness) == pytest.approx([-force[2] / 151.7] * 2 + [7e8 / 151.7], rel=1e-6)


def test_a_moment_turns_with_the_arm_of_its_force() -> None:
    """Of a force that does not change with the place, P down at r: K = -F~ r~, P z of a mass that hangs."""
    hanging = one(
        anchor=np.array([0.0, 0.0, -2e6]), fairlead=np.array([0.0, 0.0, -70.0]), length=1.9e6, weight=1e-9
    )
    force, stiffness = mooring([hanging], np.zeros(3))
    held = np.array([force[2] / -1.9e6, 0.0]) * 70.0**2
    assert stiffness[3, 3] == pytest.approx(-force[2] * 70.0 + held[0], rel=1e-3)


def test_a_slack_tendon_is_refused() -> None:
    line = one(anchor=np.array([27.0, 0.0, -200.0]), fairlead=np.array([27.0, 0.0, -48.0]), length=153.0)
    with pytest.raises(InputError, match="'line' is vertical and slack"):
        line_at_rest(line)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("vessel     5.2", "free       5.2", r"line 16: .*'free' moves freely"),
        ("1         main     902.2", "1         chain    902.2", r"there is no line type 'chain'"),
        ("20        1         4", "20        1         9", r"NodeFair is 9: there is no such point"),
        ("20        2         5", "20        4         5", r"both ends of the line are on the platform"),
        ("77.7066   384.243E6", "77.7066   0.0", r"EA and UnstrLen have to be above zero"),
        ("77.7066   384.243E6", "heavy     1e8", r"MassDen is 'heavy': give a number"),
        ("LINE PROPERTIES", "STRINGS", r"there is no section 'LINE PROPERTIES'"),
        ("SOLVER OPTIONS", "BODIES", r"bodies and rods of a mooring are not supported"),
    ],
)
def test_what_is_not_read_is_refused_with_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = OC3_MOORDYN.read_text()
    assert old in text
    path = tmp_path / "moordyn.dat"
    path.write_text(text.replace(old, new))
    with pytest.raises(InputError, match=said):
        lines(path, 320.0)
