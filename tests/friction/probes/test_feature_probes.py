"""Features found by probes, against the authors and the survey of Marques et al. (Nonlinear Dynamics 86, 2016).

Where the survey and the result differ, a comment gives the reason; docs/reference/laws.md states it for users.
"""

import math
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from fem_mbd import InputError, friction
from fem_mbd.friction.probes import feature_probes, gallery
from fem_mbd.friction.probes.slip_path import pull
from fem_mbd.friction.records import FRICTION_LAW

ENTRIES = {entry.name: entry for entry in gallery.ENTRIES}
LUGRE: Any = ENTRIES["LuGre"].law

# sticks, stiction, Stribeck, presliding, lag, rate, dwell, passive
PUBLISHED = {
    # regularised: creep at any force; those with a peak have "stiction" in the survey's sense, more force than sliding
    "Coulomb": "passive",
    "LinearRegularised": "passive",
    "TanhRegularised": "passive",
    "Threlfall": "passive",
    "LinearStiction": "stiction stribeck passive",
    "BengisuAkay": "stiction stribeck passive",
    "Ambrosio": "passive",
    "GeneralKinetic": "stiction stribeck passive",
    # multivalued at rest
    "DryCoulomb": "sticks passive",
    "CoulombStiction": "sticks stiction passive",
    "CoulombViscous": "sticks passive",
    "HessSoom": "sticks stiction stribeck passive",
    "BoPavelescu": "sticks stiction stribeck passive",
    # static friction within the window, kinetic beyond: a jump is not Stribeck's continuous fall
    "Tustin": "sticks stiction stribeck passive",
    "PoppStelter": "sticks stiction stribeck passive",
    "GivenCurve": "sticks stiction stribeck passive",
    "Makkar": "stiction stribeck passive",
    "Anisotropic": "passive",
    "Karnopp": "sticks stiction passive",
    "Switch": "sticks stiction passive",
    "Awrejcewicz": "sticks stiction stribeck passive",
    # "pre-sliding displacement, Coulomb and viscous friction, Stribeck effect and frictional lag"; static friction
    # rises with the dwell time
    "SevenParameter": "sticks stiction stribeck presliding lag dwell passive",
    "SevenParameter delay": "sticks stiction stribeck presliding lag dwell passive",
    # a spring at rest, two branches for speeding up and slowing down, range of break-away force
    "Wojewoda": "sticks stiction stribeck presliding lag rate passive",
    "ResetIntegrator": "sticks stiction presliding passive",
    # lag is not claimed by the survey: slowing down through v_d the bristle still has to stretch to the static limit
    "Liang": "sticks stiction presliding lag passive",
    "Iwan": "sticks presliding passive",
    "GeneralisedMaxwellSlip": "sticks stiction stribeck presliding lag rate passive",
    # "not capable of capturing the Stribeck effect and stiction"
    "Dahl": "sticks presliding passive",
    "Valanis": "sticks presliding passive",
    # passive up to a speed only (passivity_limit), as LuGre and Leuven with damped bristles
    "ElastoPlastic": "sticks stiction stribeck presliding lag rate",
    # the probes press with 1 N, under which the two families are the same
    "ClassicalLuGre": "sticks stiction stribeck presliding lag rate",
    "ClassicalDahl": "sticks presliding passive",
    "ClassicalElastoPlastic": "sticks stiction stribeck presliding lag rate",
    "ClassicalBlimanSorine 1": "sticks presliding passive",
    "ClassicalBlimanSorine 2": "sticks stiction presliding passive",
    "BlimanSorine 1": "sticks presliding passive",
    # the survey grants it Stribeck's effect: its peak is one over the path, steady friction is the same at all speeds
    "BlimanSorine 2": "sticks stiction presliding passive",
    "LuGre": "sticks stiction stribeck presliding lag rate",
    # without memory of the direction there is no elastic recovery, and the larger v_eps creeps
    "LuGre scalar": "stiction stribeck lag rate",
    "Leuven": "sticks stiction stribeck presliding lag rate",
    "Leuven original": "sticks stiction stribeck presliding lag rate",
    # filled quickly against mu_k, after a rest the bristles push back with mu_s
    "Gonthier": "sticks stiction stribeck presliding lag rate dwell",
    # bonds formed at the same position break at the same time: more than the mean in sliding
    "Bristles": "sticks stiction presliding passive",
    "HarnoyFriedland": "sticks stiction stribeck lag passive",
}  # fmt: skip


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, bool]]:
    return {name: feature_probes.features(entry.law) for name, entry in ENTRIES.items()}


@pytest.mark.parametrize("name", ENTRIES)
def test_features_are_those_published(name: str, found: dict[str, dict[str, bool]]) -> None:
    shown = [feature for feature in feature_probes.FEATURES if found[name][feature] and feature != "states"]
    assert shown == PUBLISHED[name].split()


def test_states(found: dict[str, dict[str, bool]]) -> None:
    """Only laws that are functions of the speed have no states; the bond of the others is a state too."""
    without = {name for name, features in found.items() if not features["states"]}
    assert without == {name for name, shown in PUBLISHED.items() if "sticks" not in shown} - {"LuGre scalar"}


def test_every_law_is_in_the_gallery() -> None:
    exported = {
        name
        for name, law in vars(friction).items()
        if is_dataclass(law) and law.__module__.split(".")[2] in ("static", "dynamic")
    }
    # no force: nothing to show
    assert exported - {"Frictionless"} == {type(entry.law).__name__ for entry in gallery.ENTRIES}
    assert all(entry.law.record().dtype == FRICTION_LAW and entry.source for entry in gallery.ENTRIES)


@pytest.mark.parametrize("size", [1e-7, 1e-5])
@pytest.mark.parametrize("name", ["DryCoulomb", "HessSoom", "Karnopp", "Switch", "Awrejcewicz"])
def test_the_numerical_creep_is_no_feature(name: str, size: float) -> None:
    features = feature_probes.features(replace(ENTRIES[name].law, x_stick=size))
    assert [f for f in feature_probes.FEATURES if features[f] and f != "states"] == PUBLISHED[name].split()


@pytest.mark.parametrize(
    "scaled",
    [
        replace(LUGRE, sigma_0=1e3, sigma_1=1.0, v_s=0.02),
        replace(LUGRE, sigma_0=1e7, sigma_1=100.0, v_s=1e-4, sigma_2=1e-3),
        replace(LUGRE, sigma_1=0.0, mu_s=0.6, mu_k=0.4),
    ],
    ids=["soft and fast", "stiff and slow", "undamped"],
)
def test_features_do_not_hang_on_the_sizes(scaled: Any) -> None:
    features = feature_probes.features(scaled)
    assert [f for f in feature_probes.FEATURES if features[f]][:6] == PUBLISHED["LuGre"].split()
    assert features["passive"] == (scaled.sigma_1 == 0.0)


def test_passive_laws_have_no_limit(found: dict[str, dict[str, bool]]) -> None:
    """Energy is generated only by laws with a passivity limit, and only at speeds above it."""
    for name, entry in ENTRIES.items():
        limit = entry.law.passivity_limit() if hasattr(entry.law, "passivity_limit") else math.inf
        assert found[name]["passive"] == (limit == math.inf), name
    of = feature_probes.scales(LUGRE)
    limit = LUGRE.passivity_limit()
    worst = {"below": 0.0, "above": 0.0}
    for slips, dts in feature_probes.cycles_to_try(of):
        work = np.cumsum(feature_probes.drive_path(LUGRE, slips, dts).mus * slips).min()
        side = "below" if np.abs(slips / dts).max() < limit else "above"
        worst[side] = min(worst[side], work / (of.level * of.length))
    assert worst["below"] > -1e-12 and worst["above"] < -1.0


@pytest.mark.parametrize("ramp", [1.0, 0.03])
def test_lugre_breaks_away_as_its_equations_do(ramp: float) -> None:
    """Mass on LuGre friction under a rising force: an independent integrator (Radau) of the published equations."""
    of = feature_probes.scales(LUGRE)
    p = LUGRE

    def bristles(z: float, v: float) -> float:
        g = p.mu_k + (p.mu_s - p.mu_k) * math.exp(-((v / p.v_s) ** 2))
        return v - p.sigma_0 * abs(v) * z / g

    def friction_of(z: float, v: float) -> float:
        return p.sigma_0 * z + p.sigma_1 * bristles(z, v) + p.sigma_2 * v

    def rates(t: float, y: Any) -> list[float]:
        _, v, z = y
        return [v, (of.level * t / ramp - friction_of(z, v)) / of.mass, bristles(z, v)]

    gone = lambda t, y: min(y[0] - 10.0 * of.length, y[1] - 10.0 * of.speed)  # noqa: E731
    gone.terminal = True  # type: ignore[attr-defined]
    answer = solve_ivp(
        rates, (0.0, 4.0 * ramp), [0.0] * 3, "Radau", events=gone, rtol=1e-8, atol=1e-13, max_step=ramp / 500
    )
    peak = max(friction_of(z, v) for _, v, z in answer.y.T)
    assert feature_probes.break_away(LUGRE, of, ramp, steps=4000) == pytest.approx(peak, rel=2e-3)


@pytest.mark.parametrize(
    "name", ["Coulomb", "LinearStiction", "BengisuAkay", "Threlfall", "DryCoulomb", "Dahl"]
)
def test_without_memory_of_sliding_there_is_no_lag(name: str) -> None:
    law = ENTRIES[name].law
    of = feature_probes.scales(law)
    assert abs(feature_probes.lag(law, of, 0.1)[0]) < 1e-12


def test_lag_of_the_memory_of_speed() -> None:
    """A first-order lag makes an ellipse of width omega tau/(1 + (omega tau)**2), falling on both sides."""
    law = ENTRIES["SevenParameter"].law
    of = feature_probes.scales(law)
    omega = np.array([0.01, 0.1, 10.0, 100.0]) / law.tau_L
    width = [feature_probes.lag(law, of, 2.0 * np.pi / o, steps=4000)[0] for o in omega]
    assert width[1] / width[0] == pytest.approx(10.0, rel=0.05)
    assert width[2] / width[3] == pytest.approx(10.0, rel=0.05)


@pytest.mark.parametrize("name", ["LuGre", "ElastoPlastic"])
def test_damped_bristles_reverse_the_lag(name: str) -> None:
    """With the sigma_1 = sqrt(sigma_0) of the survey sigma_1 z' outweighs the lag of z: z falls as the speed grows."""
    law = ENTRIES[name].law
    of = feature_probes.scales(law)
    widths = [
        feature_probes.lag(replace(law, sigma_1=sigma_1), of, 0.02)[0]
        for sigma_1 in (0.0, 10.0, math.sqrt(1e5))
    ]
    assert widths[0] > widths[1] > 0.01 * of.level > 0.0 > -0.01 * of.level > widths[2]


def test_pulled_body_against_closed_forms() -> None:
    law = friction.DryCoulomb(0.1, x_stick=1e-6)
    stuck = pull(law, np.linspace(0.001, 0.09, 90), 1.0, 1e-3)
    assert stuck.x[-1] == pytest.approx(0.9e-6, rel=1e-6)
    t = 1e-3 * np.arange(1, 101)
    sliding = pull(law, np.full(100, 0.3), 1e-3, 2.0)
    # the bond forms within a micrometre, less than the first step
    assert sliding.v[-1] == pytest.approx(0.2 * t[-1] / 2.0, rel=2e-2)
    assert np.diff(sliding.v) == pytest.approx(0.2 / 2.0 * 1e-3, rel=1e-9) or np.allclose(
        np.diff(sliding.v)[10:], 1e-4
    )
    assert sliding.mus[-1] == pytest.approx(0.1)
    assert pull(law, np.full(100, 0.3), 1e-3, 2.0, until=(1e-9, 1e-3)).x.size < 100


def test_bad_input() -> None:
    law = friction.DryCoulomb(0.1)
    with pytest.raises(InputError, match="mass and the duration"):
        pull(law, [0.1], 1.0, 0.0)
    with pytest.raises(InputError, match="mass and the duration"):
        pull(law, [0.1], 0.0, 1.0)
