"""The laws of add-a-law.md work as the page says, and the lines that it quotes are those of the package."""

import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from math import acos, exp, sin, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fem_mbd import InputError, friction
from fem_mbd.core.compiled import kernel
from fem_mbd.friction.normal.dispatch import normal_force, normal_potential
from fem_mbd.friction.records import (
    FRICTION_LAW,
    NORMAL_LAW,
    BondKernels,
    CurveKernels,
    FrictionKernels,
    LawKernels,
    friction_record,
)
from fem_mbd.friction.static.regularised import linear_curve
from fem_mbd.friction.tangential import friction_force

PAGE = (Path(__file__).parents[2] / "docs/how-to/extend/add-a-law.md").read_text(encoding="utf-8")
LAWS, MODEL = (text.split("```")[0] for text in PAGE.split("```python\n")[1:])
PACKAGE = Path(friction.__file__).parent
# of the page's model; until the bristle slips the mass of 1 kg is on a spring of f_n sigma_0
PULL, F_N, MU_K, SPRING = 3.0, 10.0, 0.2, 10.0 * 1e4


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The page's laws as a module."""
    file = tmp_path_factory.mktemp("law") / "laws_of_the_page.py"
    file.write_text(LAWS, "utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = sys.modules[file.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[file.stem]


def test_they_are_short() -> None:
    assert len(LAWS.splitlines()) <= 80


def test_the_classes(page: Any) -> None:
    friction_law, contact_law = page.Prandtl(1e4, 0.2), page.Stiffening(5e4, 5e12)
    assert friction_law.record().dtype == FRICTION_LAW and contact_law.record().dtype == NORMAL_LAW
    assert friction_law.record()["p"][:2].tolist() == [1e4, 0.2]
    assert "sigma_0 : float\n    Stiffness of the bristle, σ_0 [1/m]; above 0." in friction_law.__doc__
    for numbers, said in (
        ({"sigma_0": 1e4, "mu_k": -0.1}, "Prandtl mu_k is -0.1: it must be zero or above"),
        ({"sigma_0": 0.0, "mu_k": 0.1}, "Prandtl sigma_0 is 0: it must be above zero"),
        ({"sigma_0": 1e4, "mu": 0.1}, "Prandtl: there is no parameter 'mu'; did you mean 'mu_k'"),
    ):
        with pytest.raises(InputError, match=said):
            page.Prandtl(**numbers)


def slide(law: Any, z: float, s: complex, e: Any) -> tuple[Any, Any, complex]:
    """Coefficient, deflection and loss of a step along ``e`` under 1 N, by the package's own entry."""
    mu, z_f = np.zeros(3, complex), np.zeros((1, 3), complex)
    loss = friction_force(law.record()[()], s * e, z * e[None] + 0j, 1 + 0j, 1 + 0j, 1e-3, mu, z_f)
    return mu, z_f[0], loss


@pytest.mark.parametrize(("z", "s"), [(0.0, 1e-5), (1.5e-5, 3e-6), (1.5e-5, 3e-5), (2e-5, 1e-3)])
def test_friction(page: Any, z: float, s: float) -> None:
    """The closed form along any direction, the loss, and the derivative by complex step."""
    law, e = page.Prandtl(1e4, 0.2), np.array([0.6, -0.8, 0.0])
    most = 2e-5
    mu, z_f, loss = slide(law, z, s + 1e-40j, e)
    end = min(z + s, most)
    assert mu.real @ e == pytest.approx(1e4 * (z + end) / 2, rel=1e-12)
    assert z_f.real @ e == pytest.approx(end, rel=1e-12, abs=0.0)
    assert loss.real == pytest.approx(1e4 * (z + end) / 2 * (z + s - end), rel=1e-9, abs=1e-18)
    assert mu.imag @ e * 1e40 == pytest.approx(1e4 / 2 if z + s < most else 0.0, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize(
    ("q_i", "q_f"), [(-1e-4, -2e-4), (-1e-4, -1e-4), (1e-5, -2e-4), (-2e-4, 3e-5), (1e-4, 2e-4)]
)
def test_contact(page: Any, q_i: float, q_f: float) -> None:
    """The work of the force is the change of the potential, and the derivative by complex step that of differences."""
    law, dt = page.Stiffening(5e4, 5e12).record()[()], 1e-3
    energies = [normal_potential(law, q, 0.0, 0.0) for q in (q_i, q_f)]
    for q, energy in zip((q_i, q_f), energies, strict=True):
        d = max(-q, 0.0)
        assert energy == pytest.approx(5e4 * d**2 / 2 + 5e12 * d**4 / 4, rel=1e-14, abs=0.0)
    force, elastic = normal_force(law, q_i, q_f, dt, 0.0, 0.0)
    assert force == elastic
    assert force * (q_i - q_f) == pytest.approx(energies[1] - energies[0], rel=1e-12, abs=1e-20)
    if q_i == q_f:
        assert force == pytest.approx(10.0, rel=1e-14)
    slope = normal_force(law, q_i + 0j, q_f + 1e-30j, dt, 0j, 0j)[0].imag * 1e30
    behind, ahead = (normal_force(law, q_i, q_f + h, dt, 0.0, 0.0)[0] for h in (-1e-10, 1e-10))
    assert slope == pytest.approx((ahead - behind) / 2e-10, rel=1e-5, abs=1e-6)


def slides_at() -> tuple[float, float]:
    """When the bristle of the page's model slips first (s), and the speed of the mass then (m/s)."""
    omega = sqrt(SPRING / 1.0)
    angle = acos(1.0 - MU_K * F_N / PULL)
    return angle / omega, PULL / SPRING * omega * sin(angle)


def test_the_model(page: Any) -> None:
    found = dict(vars(page))
    exec(MODEL, found)
    result = found["result"]
    begin, speed = slides_at()
    assert np.allclose(result.of("contact").normal_force, F_N, rtol=1e-12)
    assert result.of("contact").bristle[-1, 0] == pytest.approx([2e-5, 0, 0], rel=1e-12, abs=0.0)
    assert result.of("mass").velocity[-1, 0] == pytest.approx(
        speed + (PULL - MU_K * F_N) * (0.1 - begin), rel=1e-6
    )
    assert result.summary["energy"]["relative"] < 1e-13


def test_without_numba(tmp_path: Path) -> None:
    """In a separate process: the same numbers, and one warning."""
    blocked = 'import sys\nsys.modules["numba"] = sys.modules["llvmlite"] = None\n'
    model = MODEL.replace("simulate(model, 0.1", "simulate(model, 0.005")
    assert model != MODEL
    file = tmp_path / "without.py"
    file.write_text(f"{blocked}{LAWS}\n{model}\nprint(result.of('mass').velocity[-1, 0])", "utf-8")
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=True)
    begin, speed = slides_at()
    assert float(done.stdout) == pytest.approx(speed + (0.005 - begin), rel=1e-5)
    told = re.findall(r"\w+ and other kernels of no library run as Python", done.stderr)
    assert len(told) == 1


def test_a_kernel_that_cannot_be_compiled_is_named_with_its_line(page: Any) -> None:
    def wrong(p, s_m, z_i, f_n, dt, mu, z_f):
        mu[0] = "friction" + p[0]

    with pytest.raises(
        InputError, match=r"wrong \(.*test_add_a_law.py, line \d+\) cannot be compiled: .*add"
    ):
        friction.friction_record(friction.friction_kernel(wrong), ())


def test_a_law_of_the_package_is_a_class_and_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """A curve declared here is called for its records, the others for theirs; no second kernel takes its number."""
    monkeypatch.setattr(CurveKernels, "known", dict(CurveKernels.known))
    monkeypatch.setattr(LawKernels, "_numbers", set(LawKernels._numbers))

    @kernel
    def quadratic_curve(p, v):
        return p[0] * v

    own = CurveKernels(quadratic_curve)
    slope = CurveKernels.forces(linear_curve)
    assert friction_record(own, (3.0,))["kind"] == own.number
    assert slope.in_python(own.number, [3.0], 0.5) == 1.5
    coulomb, expected = friction.Coulomb(0.1, 1e-3).record(), 0.1 / 1e-3 * (1 - exp(-1))
    assert slope.in_python(coulomb["kind"], coulomb["p"], 1e-3) == pytest.approx(expected, rel=1e-14)
    with pytest.raises(TypeError, match="two laws have kernels with the number of quadratic_curve: rename"):
        BondKernels(quadratic_curve)
    LawKernels._numbers.discard(own.number)
    with pytest.raises(
        TypeError, match="quadratic_curve takes 'v': a kernel of a law takes some of law, p, clas"
    ):
        FrictionKernels(quadratic_curve)


def test_the_page_names_what_is_there() -> None:
    declared = (PACKAGE / "records.py").read_text("utf-8")
    rows = re.findall(r"^  \| `(\w+)\(force.*?`(static|dynamic|normal)/(\w+\.py)`", PAGE, re.MULTILINE)
    assert len(rows) == 4
    for name, folder, file in rows:
        assert f"class {name}(" in declared
        assert f"= {name}(" in (PACKAGE / folder / file).read_text("utf-8")
