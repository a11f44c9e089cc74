"""Tests of figures and Sobol indices, with tables filled from closed forms."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fem_mbd import InputError, RunTable, Sample
from fem_mbd.applications.sweeps.executors import DONE, Outcome
from fem_mbd.applications.sweeps.run_table import bifurcation, response, sweep_figures
from fem_mbd.applications.sweeps.spec import Spec
from fem_mbd.applications.sweeps.sweep import check_sweep

THREE = "tests.applications.sweeps.studies:three"
PI = (-np.pi, np.pi)
A, B = 7.0, 0.1  # of the Ishigami function


def filled(spec: Spec, function: Callable[..., Any]) -> RunTable:
    """The table of a sweep whose only output is a function of its parameters."""
    plan = check_sweep(spec)
    table = RunTable(spec, plan)
    for run in plan.runs:
        table.take(Outcome(run.tag, DONE, outputs={name: function(**run.given) for name in spec.outputs}))
    return table


def ishigami(x: float, y: float, z: float) -> float:
    """T. Ishigami and T. Homma (1990): the usual example, uniform from -pi to pi in each."""
    return float(np.sin(x) + A * np.sin(y) ** 2 + B * z**4 * np.sin(x))


def ishigami_indices() -> tuple[np.ndarray, np.ndarray]:
    """Closed forms, from its variances V1 = (1 + B pi^4/5)^2 / 2, V2 = A^2/8, V13 = 8 B^2 pi^8 / 225."""
    one, two = 0.5 * (1 + B * np.pi**4 / 5) ** 2, A**2 / 8
    both = 8 * B**2 * np.pi**8 / 225
    return np.array([one, two, 0.0]) / (one + two + both), np.array([one + both, two, both]) / (
        one + two + both
    )


def saltelli(n: int) -> Spec:
    return Spec(
        THREE, sample=Sample("saltelli", n, 1, {"x": PI, "y": PI, "z": PI}), outputs={"steps": "steps"}
    )


def test_sobol_indices_of_the_ishigami_function(tmp_path: Path) -> None:
    pytest.importorskip("SALib", reason="an extra: pip install 'fem_mbd[sensitivity]'")
    table = filled(saltelli(2048), ishigami)
    assert len(table) == 2048 * 5
    found = table.sobol_indices("steps")
    for ours, error, exact in zip(
        (found.first, found.total), (found.first_error, found.total_error), ishigami_indices(), strict=True
    ):
        # the errors are half widths of 95 % intervals: about two standard deviations
        assert np.all(np.abs(ours - exact) < 2 * error) and np.all(error < 0.1)
    assert "± " in str(found) and found.parameters == ("x", "y", "z")
    files = sweep_figures(table, tmp_path)
    assert [file.name for file in files] == ["scatter_matrix.png", "sobol_indices.png"]


def test_sobol_indices_of_other_points_are_refused() -> None:
    pytest.importorskip("SALib", reason="an extra: pip install 'fem_mbd[sensitivity]'")
    grid = filled(Spec(THREE, grid={"x": [0.0, 1.0]}, outputs={"steps": "steps"}), lambda x: x)
    with pytest.raises(InputError, match="Saltelli's points"):
        grid.sobol_indices("steps")
    constant = filled(saltelli(4), lambda x, y, z: 3.0)
    with pytest.raises(InputError, match="no variance"):
        constant.sobol_indices("steps")
    holes = filled(saltelli(4), lambda x, y, z: None if x > 0 else y)
    with pytest.raises(InputError, match="need all runs"):
        holes.sobol_indices("steps")
    assert constant.all_sobol_indices() == holes.all_sobol_indices() == []


def test_axes_have_units() -> None:
    spec = Spec(
        "pendulum",
        grid={"damping": [1e-4, 1e-3], "joint": ["ideal"]},
        outputs={"force": "max(hinge.force)", "work": "energy.totals.dissipation_scheme", "steps": "steps"},
    )
    table = RunTable(spec, check_sweep(spec))
    labels = [table.label(name) for name in ("damping", "joint", "force", "work", "steps")]
    assert labels == ["damping [s]", "joint", "force [N]", "work [J]", "steps"]
    for k, row in enumerate(table.rows):
        row |= {"force": float(k)}
    ax = response(table, ["damping"], "force").axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("damping [s]", "force [N]")
    data = table.to_xarray()
    assert data["force"].attrs["units"] == "N" and data["damping"].attrs["units"] == "s"


def test_bifurcation_diagram_has_every_point(tmp_path: Path) -> None:
    """Of the logistic map x -> r x (1 - x), which has period 1, 2 and 4 at r = 2.8, 3.2 and 3.5."""

    def orbit(x: float) -> list[float]:
        points = [0.3]
        for _ in range(600):
            points.append(x * points[-1] * (1 - points[-1]))
        return points[-64:]

    table = filled(Spec(THREE, grid={"x": [2.8, 3.2, 3.5]}, outputs={"steps": "steps"}), orbit)
    line = bifurcation(table, ["x"], "steps").axes[0].lines[0]
    drawn = [
        np.unique(np.asarray(line.get_ydata())[np.asarray(line.get_xdata()) == r].round(6))
        for r in (2.8, 3.2, 3.5)
    ]
    assert [len(points) for points in drawn] == [1, 2, 4]
    assert drawn[0] == pytest.approx([1 - 1 / 2.8], abs=1e-6)
    assert [file.name for file in sweep_figures(table, tmp_path)] == ["steps.png"]


def test_three_parameters_make_a_scatter_matrix(tmp_path: Path) -> None:
    grid = {"x": [0.0, 1.0], "y": [0.0, 1.0], "z": [0.0, 1.0]}
    table = filled(Spec(THREE, grid=grid, outputs={"steps": "steps"}), lambda x, y, z: x + 2 * y)
    assert [file.name for file in sweep_figures(table, tmp_path)] == ["scatter_matrix.png"]
