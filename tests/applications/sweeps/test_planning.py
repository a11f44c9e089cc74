"""Tests of the planning of sweeps, and of errors raised before anything starts."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd.applications.sweeps.outputs import (
    REDUCTIONS,
    check_outputs,
    evaluate,
    quantities_of,
    read_output,
)
from fem_mbd.applications.sweeps.sampling import METHODS, Sample
from fem_mbd.applications.sweeps.spec import Spec, count, planned, read_spec, study_of
from fem_mbd.applications.sweeps.sweep import check_sweep
from fem_mbd.errors import InputError
from fem_mbd.runs.results.summary import SUMMARY_KEYS

THROWN = "tests.applications.sweeps.studies:thrown"


def test_grid_table_and_sample_are_combined() -> None:
    sample = Sample("monte_carlo", 3, 1, {"speed": (1.0, 2.0)})
    spec = Spec(THROWN, {"slow": 2}, {"dt": [0.1, 0.05]}, ({"height": 1.0}, {"height": 2.0}), sample)
    runs = planned(spec, study_of(THROWN))
    assert len(runs) == count(spec) == 12
    assert len({run.tag for run in runs}) == 12
    assert [run.number for run in runs] == list(range(1, 13))
    assert all(run.given["slow"] == 2 and 1 <= run.given["speed"] <= 2 for run in runs)


def test_ten_thousand_runs_are_told_apart() -> None:
    ranges = {"friction": (0.1, 0.3), "damping": (1e-4, 1e-3)}
    spec = Spec("crank_mechanism", sample=Sample("sobol", 10_000, 1, ranges))
    assert len({run.tag for run in planned(spec, study_of("crank_mechanism"))}) == 10_000


def test_latin_hypercube_has_one_point_in_every_stratum() -> None:
    points = Sample("latin_hypercube", 50, 7, {"a": (0.0, 1.0), "b": (-1.0, 1.0)}).points()
    strata = np.floor(50 * np.array([[p["a"], (p["b"] + 1) / 2] for p in points])).astype(int)
    assert np.array_equal(np.sort(strata, axis=0), np.arange(50)[:, None] * [1, 1])


def test_sobol_points_fill_every_elementary_interval() -> None:
    """A (0, 4, 2)-net in base 2: each of the 16 intervals of area 1/16, in any shape, holds one of 16 points."""
    points = Sample("sobol", 16, 3, {"a": (0.0, 1.0), "b": (0.0, 1.0)}).points()
    values = np.array([[p["a"], p["b"]] for p in points])
    for k in range(5):
        cells = np.floor(values * (2**k, 2 ** (4 - k))).astype(int)
        assert len({tuple(cell) for cell in cells}) == 16


@pytest.mark.parametrize("method", METHODS)
def test_a_seed_gives_the_same_points(method: str) -> None:
    ranges = {"a": (0.0, 1.0)}
    assert Sample(method, 8, 5, ranges).points() == Sample(method, 8, 5, ranges).points()
    assert Sample(method, 8, 5, ranges).points() != Sample(method, 8, 6, ranges).points()


def test_reductions_have_their_closed_forms() -> None:
    """One period of 2 sin t + 1 at uneven times; constant values weighted by their steps."""
    t = 2 * np.pi * np.sort(np.concatenate([np.linspace(0, 1, 4001) ** 2, np.linspace(0, 1, 3000)[1:-1]]))
    y = 2 * np.sin(t) + 1
    wanted = {
        "max": 3,
        "min": -1,
        "absmax": 3,
        "range": 4,
        "final": 1,
        "mean": 1,
        "rms": np.sqrt(3),
        "std": np.sqrt(2),
    }
    assert {name: REDUCTIONS[name](t, y, False) for name in wanted} == pytest.approx(wanted, abs=1e-5)
    assert REDUCTIONS["mean"](np.array([0.0, 1.0, 4.0]), np.array([9.0, 2.0, 6.0]), True) == pytest.approx(
        5.0
    )


def test_outputs_of_a_thrown_body() -> None:
    """The positions are those of the parabola, at whole periods too."""
    import fem_mbd as fm
    from tests.applications.sweeps.studies import END, GRAVITY, thrown

    result = fm.run(thrown(height=1.0, speed=3.0))
    texts = {
        "last": "final(ball.position[2])",
        "speed": "max(ball.velocity)",
        "points": "poincare(ball.position[2], period=0.2)",
        "mean_rate": "mean(ball.velocity[2])",
        "energy": "energy.relative",
    }
    found = evaluate({k: read_output(k, v) for k, v in texts.items()}, result, result.summary)
    height = lambda t: 1 + 3 * t - GRAVITY * t**2 / 2  # noqa: E731
    assert found["last"] == pytest.approx(height(END))
    assert found["points"] == pytest.approx([height(0.2), height(0.4)])
    # in the first step the velocity at its end counts, which is lower by g dt/2 in the mean
    assert found["mean_rate"] == pytest.approx((height(END) - height(0.0) - GRAVITY * 0.05**2 / 2) / END)
    assert found["energy"] == result.summary["energy"]["relative"]


def test_known_paths_are_those_of_a_summary() -> None:
    import fem_mbd as fm
    from tests.applications.sweeps.studies import thrown

    summary = fm.run(thrown()).summary
    flat = {f"{k}.{m}" for k, v in summary.items() if isinstance(v, dict) for m in v} | set(summary)
    assert set(SUMMARY_KEYS) <= flat


OUTPUTS = {
    "steps": "did you mean 'steps'",
    "energy.relativ": "did you mean 'energy.relative'",
    "maxi(ball.position)": "no reduction 'maxi'",
    "max(bal.position)": "did you mean 'ball'",
    "max(ball.positon)": "did you mean 'position'",
    "max(ball.position[3])": "3 components",
    "max(ball.position, before=1)": "no option 'before'",
    "poincare(ball.position[0])": "needs period",
    "max(ball)": "REDUCTION",
}


@pytest.mark.parametrize("text", OUTPUTS)
def test_outputs_that_cannot_be_are_refused(text: str) -> None:
    name = text.replace("steps", "step")
    with pytest.raises(InputError, match=OUTPUTS[text].replace("(", "\\(")):
        check_sweep(Spec(THROWN, grid={"height": [1.0]}, outputs={"x": name}))


def test_paths_alone_need_no_model() -> None:
    paths = {"n": "steps", "loss": "energy.totals.dissipation_friction"}
    assert check_outputs(paths, quantities_of(lambda: pytest.fail("a model was built")))


SPECS = {
    'case = "pendulum"\n[grid]\ndampnig = [1.0]': "did you mean 'damping'",
    'case = "pendulum"\n[grid]\ndt = 0.1': "give a list",
    'case = "pendulum"\n[grid]\ndt = [0.1, 0.1]': "the same parameters",
    'case = "pendulum"\n[grid]\ndt = ["a"]': "run 1 of 1",
    'case = "pendulun"': "did you mean 'pendulum'",
    'case = "os:system"': "a file needs the name of a case",
    'case = "pendulum"\n[gird]\ndt = [0.1]': "did you mean 'grid'",
    'case = "pendulum"\n[set]\ndt = 0.1\n[grid]\ndt = [0.1]': "is given in \\[set\\] and in \\[grid\\]",
    'case = "pendulum"\n[sample]\nn = 4\nmethod = "sobl"\n[sample.range]\ndt = [0.1, 0.2]': "did you mean 'sobol'",
    'case = "pendulum"\n[sample]\nn = 4\n[sample.range]\ndt = [0.2, 0.1]': "first has to be less",
    'case = "pendulum"\n[sample]\nn = 0\n[sample.range]\ndt = [0.1, 0.2]': "n is 0",
    'case = "pendulum"\n[sample]\nn = 4': "it has no parameter",
    'case = "pendulum"\n[sample]\nn = 2000000\n[sample.range]\ndt = [0.1, 0.2]': "--yes",
    'case = "pendulum"\n[sample]\nn = 6\nmethod = "saltelli"\n[sample.range]\ndt = [0.1, 0.2]': "power of two",
    'case = "pendulum"\n[outputs]\nstatus = "steps"': "another column",
    'case = "pendulum"\n[outputs]\nx = 3': "give a text",
    "grid = 3": "write it as \\[grid\\]",
    "[grid]": "name the case",
    'case = "pendulum"\ntable = "none.csv"': "cannot be read",
    'case = "pendulum"\ntable = 5': "table is 5: name a file",
    'case = "pendulum"\n[record]\nkeep = "no"': "give true or false",
    'case = "pendulum"\n[record]\nquantities = 5': "quantities is 5: give a list of names",
    'case = "pendulum"\n[record]\nquantities = []': "give a list of names",
    'case = "pendulum"\n[record]\nquantities = ["position"]\n[outputs]\nf = "max(hinge.force)"': (
        "output f: 'reaction' was not recorded"
    ),
    'case = "pendulum"\n[record]\nquantities = ["positon"]': "no output 'positon'; did you mean 'position'",
    'case = "pendulum"\ntable = "t.xls"': ".csv or a .parquet",
}


@pytest.mark.parametrize("text", SPECS)
def test_specs_that_cannot_be_are_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "spec.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=SPECS[text]):
        check_sweep(read_spec(file))
    assert list(tmp_path.iterdir()) == [file]


TABLES = {
    "dt,damping\n0.1,1e-3\n0.2,\n": "row 2, column 'damping' is empty",
    "dt,damping\n0.1\n": "row 1, column 'damping' is empty",
    "dt,dt\n0.1,0.2\n": "column 'dt' occurs twice",
    "dt\n0.1,3\n": "row 1 has 2 cells",
    "dt\n": "no rows",
    "": "is empty",
}


@pytest.mark.parametrize("text", TABLES)
def test_tables_with_holes_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text)
    file = tmp_path / "spec.toml"
    file.write_text('case = "pendulum"\ntable = "t.csv"')
    with pytest.raises(InputError, match=TABLES[text]):
        read_spec(file)


def test_tables_of_both_kinds_are_the_same(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"dt": [0.1, 0.2], "damping": [1e-3, 2e-3]}), tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text("dt,damping\n0.1,1e-3\n0.2,2e-3\n")
    tables = []
    for name in ("t.parquet", "t.csv"):
        (tmp_path / "spec.toml").write_text(f'case = "pendulum"\ntable = "{name}"')
        tables.append(read_spec(tmp_path / "spec.toml").table)
    assert tables[0] == tables[1] == ({"dt": 0.1, "damping": 1e-3}, {"dt": 0.2, "damping": 2e-3})
