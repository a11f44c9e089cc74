"""Lists of laws: impacts on contact laws against closed forms, and laws.md against the laws of the package."""

import re
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fem_mbd import InputError, friction
from fem_mbd.friction.normal.damping import actual_restitution
from fem_mbd.friction.probes import gallery, gallery_text
from fem_mbd.friction.probes.impact import impact, impact_path
from fem_mbd.friction.records import NORMAL_LAW

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "reference" / "laws.md").read_text(encoding="utf-8")
CONTACT = {entry.name: entry for entry in gallery.CONTACT_ENTRIES}
BALL: Any = CONTACT["Hertz"].law


def test_impact_on_hertz_law() -> None:
    """Johnson, Contact Mechanics, eqs. 11.22 to 11.24 and table 11.1: depth, force and time 2.9433 depth/speed."""
    found = impact(BALL, 0.01, 2.0)
    depth = (1.25 * 2.0 * 0.01**2 / BALL.stiffness) ** 0.4
    assert found.restitution == pytest.approx(1.0, abs=1e-9)
    assert found.deepest == pytest.approx(depth, rel=1e-6)
    assert found.largest == pytest.approx(BALL.stiffness * depth**1.5, rel=1e-6)
    assert found.duration == pytest.approx(2.94328 * depth / 0.01, rel=1e-3)


def test_path_of_an_impact() -> None:
    """The area of the loop is the energy lost, (1 - e**2) m v**2/2."""
    law: Any = CONTACT["LankaraniNikravesh"].law
    t, depth, force = impact_path(law, 0.02, 1.0).T
    assert np.all(np.diff(t) > 0.0) and np.all(force >= 0.0) and depth.argmax() < len(t) / 2
    lost = np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(depth))
    e = actual_restitution(law.chi)
    assert lost == pytest.approx(0.5 * (1.0 - e * e) * 0.02**2, rel=1e-3)


def test_texts_on_contact_laws() -> None:
    for entry in gallery.CONTACT_ENTRIES:
        found = gallery.rebound(entry.law)
        assert found.pulls == (entry.name in ("DMT", "Hamaker", "JKR", "Maugis"))
        # the energy dissipated by adhesion does not depend on the speed
        faster = found.slow if entry.name not in ("JKR", "Maugis") else 1.0
        assert 0.0 < found.fast <= faster + 1e-6 <= 1.0 + 2e-6
    damped = gallery.rebound(CONTACT["HuntCrossley"].law)
    assert damped.fast == pytest.approx(actual_restitution(10.0 * gallery.FASTER), abs=1e-6)
    assert gallery.rebound(CONTACT["Johnson"].law).deepest == CONTACT["Johnson"].law.deepest
    assert gallery.rebound(BALL).speed_limit == pytest.approx(1e-5 * (207e9 / 7850.0) ** 0.5)


def test_impact_refuses() -> None:
    for speed, mass in ((0.0, 1.0), (1.0, -1.0), (float("nan"), 1.0)):
        with pytest.raises(InputError, match="speed and mass must be above zero"):
            impact(BALL, speed, mass)


def test_every_contact_law_is_in_the_gallery() -> None:
    exported = {
        name
        for name, law in vars(friction).items()
        if is_dataclass(law) and law.__module__.startswith("fem_mbd.friction.normal.")
    }
    assert exported - {"CylinderLaw", "RestitutionLaw"} == set(CONTACT)
    assert all(entry.law.record().dtype == NORMAL_LAW and entry.source for entry in gallery.CONTACT_ENTRIES)


def test_the_page_shows_every_law() -> None:
    """Structure only: docstrings may be newer than the page until the next `make laws`."""
    for entry in gallery.ENTRIES:
        _, section = PAGE.split(f"\n#### {entry.name}\n")
        section = section.split("\n##")[0]
        assert entry.source in section and entry.form in section
        assert f"figures/laws/{gallery_text.file_name(entry)}" in section
        rows = dict(re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", section, re.MULTILINE))
        assert rows == {name: info.unit for name, _, info in gallery.parameters(entry.law)}, "make laws"
    for entry in gallery.CONTACT_ENTRIES:
        assert f"| `{entry.name}` |" in PAGE and f"- `{entry.name}`: {entry.source}." in PAGE
    for module in {type(entry.law).__module__ for entry in gallery.ENTRIES}:
        _, text = PAGE.split(f"\n### `{'/'.join(module.split('.')[1:])}.py`\n")
        assert text.lstrip().startswith("```text\n")


def test_the_table_of_the_page_agrees_with_the_probes() -> None:
    rows = re.findall(r"^\| \[([\w ]+)\]\(#[\w-]+\) \|(.*)\|$", PAGE, re.MULTILINE)
    assert [name for name, _ in rows] == [entry.name for entry in gallery.ENTRIES]
    for entry, (_, marks) in zip(gallery.ENTRIES, rows, strict=True):
        shown = [cell.strip() == "●" for cell in marks.split("|")]
        assert shown == list(gallery_text.features(entry.law).values()), f"make laws: {entry.name}"


def test_the_figures_of_the_page_are_those_in_its_folder() -> None:
    shown = set(re.findall(r"\]\(../figures/laws/([\w.]+)\)", PAGE))
    there = {path.name for path in (DOCS / "figures" / "laws").iterdir()}
    assert shown == there and len(there) == len(gallery.ENTRIES) + 2


def test_cautions() -> None:
    found = {entry.name: " ".join(gallery_text.cautions(entry)) for entry in gallery.ENTRIES}
    assert "LawRangeWarning" in found["Leuven original"] and "LawRangeWarning" not in found["Leuven"]
    assert "faster than 0.0459 m/s" in found["LuGre"]
    assert "any speed" in found["Gonthier"]
    assert "creeps" in found["Coulomb"] and "x_stick" in found["Karnopp"]
    assert found["Dahl"] == ""
