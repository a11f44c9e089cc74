"""Tests that known parameters are recovered from noisy data, with the stated coverage of the intervals."""

import numpy as np
import pytest
from scipy.optimize import curve_fit

from fem_mbd import friction
from fem_mbd.applications.fitting import FitOptions, Free, fit_law, measured
from fem_mbd.applications.fitting.report import NOISE, demonstration, remarks
from fem_mbd.applications.fitting.search import path_of
from fem_mbd.errors import InputError
from tests.applications.fitting.made import LUGRE, NORMAL, of_law
from tests.refusals import refused

DAMPED = {"sigma_1": None, "sigma_2": None}
OPTIONS = FitOptions(substeps=2)


def test_lugre_from_its_own_data() -> None:
    """Without any start: all six parameters within their 95 % intervals; errors as SciPy's curve_fit has them."""
    data = of_law(LUGRE, seed=5, substeps=8)
    fit = fit_law(data, friction.LuGre, DAMPED)
    for p in fit.parameters:
        assert p.low < getattr(LUGRE, p.name) < p.high, p.name
    assert fit.rms == pytest.approx(0.02, rel=0.15) and abs(fit.lag_1) < 0.2 and remarks(fit) == []
    path, names = path_of(data, 8), [p.name for p in fit.parameters]
    values = np.array([p.value for p in fit.parameters])

    def force(_: np.ndarray, *factors: float) -> np.ndarray:
        return path.force(fit.form.build(dict(zip(names, factors * values, strict=True))))

    best, cov = curve_fit(force, np.arange(data.rows), data.force, np.ones(len(names)), epsfcn=1e-8)
    assert best == pytest.approx(1.0, abs=0.01 * np.sqrt(np.diag(cov)).min())
    errors = np.array([p.error for p in fit.parameters]) / values
    assert errors == pytest.approx(np.sqrt(np.diag(cov)), rel=0.02)


def test_intervals_hold_what_they_promise() -> None:
    """30 sets of noise, four parameters: 80 % intervals hold the truth in 80 % of the cases.

    120 cases, of which some four to one set are correlated: a standard deviation of about 0.05.
    """
    held = {"sigma_1": LUGRE.sigma_1, "sigma_2": LUGRE.sigma_2}
    inside = []
    for seed in range(30):
        data = of_law(LUGRE, seed=100 + seed)
        starts = {"sigma_0": 8e4, "mu_s": 0.14, "mu_k": 0.11, "v_s": 1.3e-3}
        fit = fit_law(data, friction.LuGre, starts, held, FitOptions(substeps=2, level=0.8))
        inside += [p.low < getattr(LUGRE, p.name) < p.high for p in fit.parameters]
    assert 0.7 < np.mean(inside) < 0.9


def test_another_model_than_the_data_come_from() -> None:
    """Data of a generalised Maxwell slip model: LuGre, which has a Stribeck curve, fits better than Dahl; both differ
    from noise; the model itself leaves only the noise.
    """
    data = demonstration()
    lugre, dahl = fit_law(data, friction.LuGre), fit_law(data, friction.Dahl)
    assert lugre.rms < 0.7 * dahl.rms and lugre.aic < dahl.aic - 100 and lugre.r_squared > 0.98
    values = {p.name: p for p in lugre.parameters}
    # what the two models have in common
    assert values["mu_s"].value == pytest.approx(0.15, rel=0.05) and values["mu_k"].value == pytest.approx(
        0.1, rel=0.05
    )
    for fit in (lugre, dahl):
        assert fit.rms > 10 * NOISE and any(
            "intervals, which assume independent noise" in text for text in remarks(fit)
        )
    starts = {f"k.{i}": k for i, k in enumerate((5e4, 3e4, 2e4, 1e4), 1)}
    starts |= {f"alpha.{i}": 0.25 for i in (1, 2, 3, 4)}
    own = fit_law(
        data,
        friction.GeneralisedMaxwellSlip,
        {**starts, "C": 30.0, "sigma_2": 0.5},
        options=FitOptions(substeps=8),
    )
    assert own.rms == pytest.approx(NOISE, rel=0.08)
    shares = [p for p in own.parameters if p.name.startswith("alpha")]
    assert sum(p.value for p in shares) == pytest.approx(1.0)
    assert [p.value for p in shares] == pytest.approx([0.1, 0.2, 0.3, 0.4], rel=0.03)


@pytest.mark.parametrize(
    "law",
    [
        friction.CoulombStiction(0.15, 0.1),
        friction.Karnopp(0.15, 0.1, 2e-3),
        friction.HessSoom(0.15, 0.1, 1e-3),
        friction.Liang(0.15, 0.1, 5e4, 8.0, 2e-3),
    ],
    ids=lambda law: type(law).__name__,
)
def test_laws_that_jump(law: object) -> None:
    """Sums of squares with jumps, without given starts: coefficients and thresholds are recovered."""
    fit = fit_law(of_law(law, seed=1), type(law), options=OPTIONS)
    for p in fit.parameters:
        if p.name != "sigma_1":
            assert p.value == pytest.approx(vars(law)[p.name], rel=0.06), p.name
    assert fit.rms < 0.03


def test_a_threshold_is_rough() -> None:
    """Karnopp's window causes jumps only: its interval is marked, those of the coefficients are not."""
    fit = fit_law(of_law(friction.Karnopp(0.15, 0.1, 2e-3), seed=1), friction.Karnopp, options=OPTIONS)
    assert fit.uncertainty.rough == ("D_v",)
    assert any("the force jumps as D_v changes" in text for text in remarks(fit))


def test_what_the_data_do_not_determine() -> None:
    """Steady sliding does not determine bristles; a path below break-away does not determine the Stribeck curve."""
    v = np.geomspace(1e-4, 1e-2, 12)
    steady = measured({"velocity": v, "force": NORMAL * (0.1 + 0.05 * np.exp(-((1e3 * v) ** 2)))}, NORMAL)
    with pytest.raises(
        InputError, match=r"LuGre: the data cannot determine sigma_0: the force does not .*hold it, sigma_0="
    ):
        fit_law(steady, friction.LuGre)
    fit = fit_law(steady, friction.LuGre, None, {"sigma_0": 1e5})
    assert {p.name: p.value for p in fit.parameters} == pytest.approx(
        {"mu_s": 0.15, "mu_k": 0.1, "v_s": 1e-3}, rel=1e-6
    )
    small = 1e-8 * np.sin(np.linspace(0.0, 9.0, 60))
    below = measured({"time": np.arange(60.0), "displacement": small, "force": 1e6 * small}, NORMAL)
    with pytest.raises(InputError, match="the data cannot determine"):
        fit_law(below, friction.LuGre, {"sigma_0": 9e4, "mu_s": 0.15, "mu_k": 0.1, "v_s": 1e-3})


def test_only_a_combination_is_determined() -> None:
    """A bond that never breaks: stiffness mu/x_stick, so that only the combination is determined."""
    small = 1e-8 * np.sin(np.linspace(0.0, 9.0, 60))
    data = measured({"time": np.arange(60.0), "displacement": small, "force": 1e6 * small}, NORMAL)
    with pytest.raises(
        InputError, match="cannot determine mu_s and x_stick: only a combination of them affects"
    ):
        fit_law(data, friction.CoulombStiction, {"x_stick": 1e-6, "mu_s": 0.1}, {"mu_k": 0.05})


@pytest.mark.parametrize(
    ("free", "held", "said"),
    [
        ({"mus": 0.1}, {}, "LuGre: there is no parameter 'mus'; did you mean 'mu_s'"),
        ({}, {"sigma0": 1.0}, "LuGre: there is no parameter 'sigma0'; did you mean 'sigma_0'"),
        ({"mu_s": 0.1}, {"mu_s": 0.1}, "LuGre mu_s: it cannot be both fitted and held"),
        ({"form": None}, {}, "LuGre form: only numbers can be fitted: hold it"),
        ({"mu_s": Free(0.5, 0.1, 0.2)}, {}, "LuGre mu_s: the start 0.5 is outside its bounds, 0.1 to 0.2"),
        ({"mu_s": Free(0.5, 0.2, 0.1)}, {}, "the lower must be below the upper"),
        ({"mu_s": Free(-0.2, -0.3, -0.1)}, {}, "LuGre mu_s is -0.2: it must be above zero"),
        ({"mu_s": 0.1, "mu_k": 0.2}, {"sigma_0": 1e5, "v_s": 1e-3}, "LuGre mu_s is 0.1: it must not be below mu_k"),
        ({"mu_s.1": 0.1}, {}, "'mu_s.1' is not the name of an entry"),
        ({}, {"sigma_0": 1e5, "mu_s": 0.1, "mu_k": 0.1, "v_s": 1.0}, "every parameter is held"),
    ],
)  # fmt: skip
def test_refused(free: dict, held: dict, said: str) -> None:
    refused(said, lambda: fit_law(of_law(LUGRE, seed=1), friction.LuGre, free, held, OPTIONS))


def test_refused_elements() -> None:
    data, kind = of_law(LUGRE, seed=1), friction.GeneralisedMaxwellSlip
    refused("GeneralisedMaxwellSlip k has entries of its own: give all of them", fit_law, data, kind)
    refused("k has entries of its own: give all", fit_law, data, kind, {"k.1": 1e4, "k.3": 1e4})
    k = {"k.1": 1e4, "k.2": 1e4}
    with pytest.raises(InputError, match="the shares add up to one: fit all of them or hold all"):
        fit_law(data, kind, {**k, "alpha.1": 0.5}, {"alpha.2": 0.5})
    with pytest.raises(InputError, match="shares are between 0 and 1 and cannot have other bounds"):
        fit_law(data, kind, {**k, "alpha.1": Free(0.5, 0.2), "alpha.2": 0.5})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"starts": 0}, "starts is 0: give a whole number"),
        ({"seed": -1}, "seed is -1"),
        ({"level": 95.0}, "level is 95"),
        ({"diff_step": 0.5}, "diff_step is 0.5"), ({"skip": -1.0}, "skip is -1"), ({"substeps": 0}, "substeps is 0"),
        ({"skip": 0.99}, "2 rows for 4 parameters of LuGre: give more rows"),
    ],
)  # fmt: skip
def test_refused_options(options: dict, said: str) -> None:
    refused(said, lambda: fit_law(of_law(LUGRE, seed=1), friction.LuGre, options=FitOptions(**options)))


def test_what_is_no_law_and_no_start() -> None:
    data = of_law(friction.Dahl(0.1, 1e5), seed=1)
    for kind in ("LuGre", friction.Hertz, friction.Dahl(0.1, 1e5)):
        refused("is not a friction law: give a class such as LuGre", fit_law, data, kind)
    for start in ("0.1", True, float("nan"), float("inf")):
        refused("Free start is ", fit_law, data, friction.Dahl, {"mu_k": start})
