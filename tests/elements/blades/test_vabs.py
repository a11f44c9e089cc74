"""VABS result files and SONATA tables: order of entries, directions, bad input."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd.elements.blades import BladeAxis, read_sonata_table, read_vabs_section
from tests.elements.blades.files import matrix_text
from tests.refusals import refused

M, X2, X3 = 5.0, 0.04, -0.03
I22, I33, I23 = 0.8, 1.1, 0.05  # about the reference
AXIS = BladeAxis([[0, 0, 0], [0, 0, 1], [0, 0, 2]], [0, 0, 0])
K = (
    np.diag([9e8, 3e8, 2e8, 4e7, 5e7, 6e7])
    + np.diag([1e7, 2e7, 3e6, 4e6, 5e6], 1)
    + np.diag([1e7, 2e7, 3e6, 4e6, 5e6], -1)
)
K[0, 5] = K[5, 0] = -7e6


def mass_matrix() -> np.ndarray:
    """As VABS prints it: rows and columns 4 to 6 are turns about x1, x2, x3."""
    m = np.diag([M, M, M, I22 + I33, I22, I33])
    m[0, 4] = m[4, 0] = M * X3
    m[0, 5] = m[5, 0] = -M * X2
    m[1, 3] = m[3, 1] = -M * X3
    m[2, 3] = m[3, 2] = M * X2
    m[4, 5] = m[5, 4] = -I23
    return m


def k_file(mass: np.ndarray | None = None) -> str:
    rule = " ========================================="
    shown = mass_matrix() if mass is None else mass
    return "\n".join(
        [
            " The 6X6 Mass Matrix", rule, "", matrix_text(shown), "",
            " The Mass Center of the Cross Section", rule, " Xm2 = 1.0", "",
            " The 6X6 Mass Matrix at the Mass Center", rule, matrix_text(np.eye(6)), "",
            " Timoshenko Stiffness Matrix (1-extension; 2,3-shear, 4-twist; 5,6-bending)", rule, "", matrix_text(K),
        ]
    )  # fmt: skip


def row(x: float, mu: float = 0.0, k: np.ndarray = K) -> str:
    stiffness = [k[i, j] for j in range(6) for i in range(j + 1)]
    return " ".join(f"{v:.15e}" for v in [M, M * X2, M * X3, I33, -I23, I22, *stiffness, mu, x])


def test_result_file_in_its_own_axes(tmp_path: Path) -> None:
    (tmp_path / "s.K").write_text(k_file())
    section = read_vabs_section(tmp_path / "s.K", x2=0.0)
    assert section.stiffness == pytest.approx(K, rel=1e-14)
    assert section.mass_matrix == pytest.approx(mass_matrix(), rel=1e-13, abs=1e-14)
    assert section.mass_centre == pytest.approx([X2, X3], rel=1e-13)


def test_default_is_x2_to_the_leading_edge(tmp_path: Path) -> None:
    """x' (suction side) = x3 and y' (trailing edge) = -x2."""
    (tmp_path / "s.K").write_text(k_file())
    section = read_vabs_section(tmp_path / "s.K")
    assert section.mass_centre == pytest.approx([X3, -X2], rel=1e-13)
    assert np.diag(section.stiffness) == pytest.approx([9e8, 2e8, 3e8, 4e7, 6e7, 5e7], rel=1e-13)
    assert section.stiffness[0, 4] == pytest.approx(K[0, 5], rel=1e-13)  # bending about x3 = x'
    assert section.stiffness[0, 2] == pytest.approx(-K[0, 1], rel=1e-13)


def test_sonata_table(tmp_path: Path) -> None:
    path = tmp_path / "table.dat"
    path.write_text(f"# a comment\r\n{row(0.0, 2e-3)}\r\n\r\n{row(2.0, 2e-3)}  # tip\r\n")
    blade = read_sonata_table(path, AXIS, x2=0.0)
    assert blade.sections.sections[1].stiffness == pytest.approx(K, rel=1e-14)
    assert blade.sections.sections[0].mass_matrix == pytest.approx(mass_matrix(), rel=1e-13, abs=1e-14)
    assert blade.damping == 2e-3
    assert blade.mass == pytest.approx(2 * M, rel=1e-13)


BAD = {
    "count": (row(0.0) + "\n" + row(2.0) + " 1", r"line 2: station 2: 30 entries, 29"),
    "order": (row(0.0) + "\n" + row(2.0) + "\n" + row(1.0), r"line 3: station 3 is at 1 m"),
    "one": (row(0.0), r"fewer than two stations"),
    "length": (row(0.0) + "\n" + row(3.0), r"at 3 m, but the axis is 2 m long"),
    "damping": (row(0.0) + "\n" + row(2.0, 1e-3), r"the same at all stations"),
    "indefinite": (
        row(0.0) + "\n" + row(2.0, k=K - 8e7 * np.eye(6)),
        r"line 2, station 2 \(at 2 m\): stiffness matrix",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_tables(tmp_path: Path, name: str) -> None:
    text, message = BAD[name]
    (tmp_path / "table.dat").write_text(text)
    refused(r"table\.dat.*" + message, lambda: read_sonata_table(tmp_path / "table.dat", AXIS))


def test_bad_result_files(tmp_path: Path) -> None:
    path = tmp_path / "s.K"
    path.write_text(k_file().replace("Timoshenko", "Euler"))
    refused(r"s\.K: the Timoshenko Stiffness Matrix is missing", read_vabs_section, path)
    path.write_text(k_file(np.diag([5.0, 5.0, 5.0, 3.0, 1.0, 1.0])))
    refused(r"s\.K: mass matrix: entry \(4, 4\), the polar moment", read_vabs_section, path)
