"""Tests of exported linear models: read by other programs' readers and by the rules of HAWCStab2's tables."""

from pathlib import Path

import numpy as np
import pytest
from openfast_io.FAST_linearization_reader import FASTLinearizationFile

import fem_mbd as fm
from fem_mbd.elements import Beam, Material, RigidBody, Section

STEEL = Material(young=210e9, poisson=0.3, density=7850)


def bar() -> fm.Model:
    model = fm.Model(gravity=(0, 0, -9.81), name="bar")
    section = Section.rectangle(0.1, 0.05, STEEL)
    beam = model.add(Beam(section, (0, 0, 0), (4, 0, 0), up=(0, 0, 1), elements=2, damping=1e-4, name="bar"))
    model.fix(beam.start)
    model.add(RigidBody(5.0, (1, 1, 1), node=beam.end, name="tip"))
    return model


@pytest.mark.parametrize("modes", [None, 3])
def test_the_reader_of_openfast_finds_the_matrices(tmp_path: Path, modes: int | None) -> None:
    space = fm.state_space(
        bar(),
        ["tip.force[z]", "tip.moment[x]"],
        ["tip.displacement[z]", "bar@0.section_force[M2]"],
        modes=modes,
    )
    file = fm.export.write_lin(tmp_path / "bar.1.lin", space)
    read = FASTLinearizationFile(str(file))
    order = [*range(0, len(space.A), 2), *range(1, len(space.A), 2)] if modes else list(range(len(space.A)))
    assert np.array_equal(read["A"], space.A[np.ix_(order, order)])
    assert np.array_equal(read["B"], space.B[order])
    assert np.array_equal(read["C"], space.C[:, order])
    assert np.array_equal(read["D"], space.D)
    assert read["u_info"]["Description"] == ["FM tip.force[z], N", "FM tip.moment[x], Nm"]
    assert read["y_info"]["Description"] == ["FM tip.displacement[z], m", "FM bar@0.section_force[M2], Nm"]
    assert read["y"] == pytest.approx(space.output_values, rel=1e-6)
    assert read["x_info"]["DerivativeOrder"] == [2] * len(space.A)
    assert set(read["x_info"]["RotatingFrame"]) == {"F"}
    half = len(space.A) // 2
    first, rates = read["x_info"]["Description"][:half], read["x_info"]["Description"][half:]
    assert rates == [name.replace("FM ", "FM rate of ") for name in first]
    # second order as tools that look for modes expect it: the upper half of A is [0, I]
    assert read["A"][:half] == pytest.approx(np.hstack([np.zeros((half, half)), np.eye(half)]), abs=1e-12)
    assert (read["RotSpeed"], read["WindSpeed"]) == (0.0, 0.0)


def read_cmb(file: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
    """Reader like those of CampbellViewer and weio: modes numbered in the heading, groups of columns."""
    modes = int(file.read_text().splitlines()[0].split()[-1])
    table = np.loadtxt(file, skiprows=1, ndmin=2)
    groups = np.split(table[:, 1:], (table.shape[1] - 1) // modes, axis=1)
    return table[:, 0], groups[0], groups[1], groups[2] if len(groups) == 3 else None


@pytest.mark.parametrize("real_parts", [False, True])
def test_a_campbell_table_reads_back(tmp_path: Path, real_parts: bool) -> None:
    diagram = fm.campbell(bar(), [0.0, 5.0, 10.0], number=4)
    file = fm.export.write_cmb(tmp_path / "bar.cmb", diagram, real_parts)
    speed, frequencies, damping, real = read_cmb(file)
    assert speed == pytest.approx(diagram.speeds * 30 / np.pi, rel=1e-6)
    assert frequencies == pytest.approx(diagram.frequencies_hz, rel=1e-6)
    assert damping == pytest.approx(100 * diagram.damping_ratios, rel=1e-6)
    assert (real is None) is not real_parts
    if real is not None:
        assert real == pytest.approx(diagram.eigenvalues.real, rel=1e-6)
    # columns of 14 characters, as in the tables of the examples of DLR-AE/CampbellViewer
    lines = file.read_text().splitlines()
    assert {len(line) for line in lines} == {14 * (1 + 4 * (3 if real_parts else 2))}
    assert lines[0].split()[-4:] == ["1", "2", "3", "4"]


def test_bad_input(tmp_path: Path) -> None:
    space = fm.state_space(bar(), ["tip.force[z]"], [], modes=2)
    with pytest.raises(fm.InputError, match="has no outputs"):
        fm.export.write_lin(tmp_path / "bar.lin", space)
    with pytest.raises(fm.InputError, match=r"has to end in \.lin"):
        fm.export.write_lin(tmp_path / "bar.txt", space)
    with pytest.raises(fm.InputError, match=r"has to end in \.cmb"):
        fm.export.write_cmb(tmp_path / "bar.txt", fm.campbell(bar(), [0.0], number=2))
