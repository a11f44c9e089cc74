"""Test of an element class that is not in the package: the bushing of add-an-element.md."""

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.output.export import export_modes, export_result
from fem_mbd.output.figures.modal import draw_modes
from tests.docs.pages import ROOT, blocks

PAGE = ROOT / "docs/how-to/extend/add-an-element.md"


@pytest.fixture(name="Bushing")
def bushing():
    """The class of the page's first snippet."""
    code = blocks(PAGE)[0].text
    assert len(code.splitlines()) < 80
    namespace = {"__name__": "bushing"}
    exec(compile(code, str(PAGE), "exec"), namespace)
    return namespace["Bushing"]


def test_a_foreign_kind_goes_through_everything(Bushing, tmp_path) -> None:
    model = fm.Model(gravity=(0, 0, -5.0))
    node = model.add(fm.elements.RigidBody(2.0, (1.0, 1.0, 1.0), position=(0, 0, 0), name="block")).node
    model.fix(node, translation=False)
    model.add(Bushing((model.ground, node), 50.0))
    found, modes = fm.find_equilibrium(model), fm.modes(model, 3)
    part = found.of("bushing")
    assert np.allclose([part.force, part.stretch], [(0, 0, 10.0), (0, 0, -0.2)])
    assert np.allclose(modes.frequencies_hz, 5.0 / (2 * np.pi))
    result = fm.simulate(model, 1.0, fm.StepControl.fixed(0.01), file=tmp_path / "r.h5", progress=False)
    assert np.allclose(result.of("bushing").stretch[:, 2], 0.2 * (np.cos(5 * result.time) - 1), atol=1e-5)
    assert export_result(result, tmp_path / "lines") and export_result(result, tmp_path, "csv")
    assert result.summary["energy"]["relative"] < 1e-13
    assert "bushing: z [m]" in (tmp_path / "bushing.csv").read_text()
    assert draw_modes(modes, tmp_path / "m.png").exists() and export_modes(modes, tmp_path / "m").exists()
