"""Derivatives by the instants at which loads begin: steps that end at kinks and jumps move with them.

A mass m on a spring k with a damper c under a load f(t). A ramp from t0 to t0 + d is F r(t - t0)/d - F r(t - t0 - d)/d
with the response to r(t) = max(t, 0) from the matrix exponential; a jump F at t0 gives 1 + F/k (1 - cos w(T - t0)).
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from scipy.optimize import least_squares

import fem_mbd as fm
from fem_mbd import time_functions as shapes
from fem_mbd.elements import Force, PointMass, RigidBody, SpringDamper
from fem_mbd.joints import DrivenPrismatic

STIFFNESS, DAMPING, LOAD, DURATION, END = 50.0, 0.1, 3.0, 0.1, 1.0
OUTPUTS = {
    "x": "final(mass.position[0])",
    "v": "final(mass.velocity[0])",
    "mean": "mean(mass.velocity[0])",
    "later": "at(mass.position[0], time=0.8)",
}


# the scheme is of third order: derivatives by an instant err by a fraction of (w h)^3 of the amplitude, h the largest
# step of the run
RATE = float(np.sqrt(STIFFNESS))


def allowed(build: Callable[[Mapping[str, float]], fm.Simulation], t0: float) -> tuple[float, float]:
    """Relative to the amplitude of the derivative, and the largest step (s)."""
    times = fm.run(build({"t0": t0}), progress=False).time
    step = float(np.diff(times, prepend=0.0).max())
    return (RATE * step) ** 3, step


def ramp(t0: float) -> shapes.TimeFunction:
    return shapes.Ramp(t0, t0 + DURATION, (0, 0, 0), (LOAD, 0, 0))


def table(t0: float) -> shapes.TimeFunction:
    values = np.array([[0, 0, 0], [0, 0, 0], [LOAD, 0, 0], [LOAD, 0, 0]])
    return shapes.Table([0.0, t0, t0 + DURATION, 2.0], values)


def pieces(t0: float) -> shapes.TimeFunction:
    return shapes.Piecewise((t0,), ((0, 0, 0), (LOAD, 0, 0)))


def step_table(t0: float) -> shapes.TimeFunction:
    return shapes.Table([0.0, t0, 3.0], np.array([[0, 0, 0], [LOAD, 0, 0], [LOAD, 0, 0]]), "step")


def short_ramp(t0: float) -> shapes.TimeFunction:
    return shapes.Ramp(t0, t0 + 1e-6, (0, 0, 0), (LOAD, 0, 0))


Shape = Callable[[float], shapes.TimeFunction]


def building(
    shape: Shape, step: float | None, damping: float = DAMPING
) -> Callable[[Mapping[str, float]], fm.Simulation]:
    def build(values: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model(name="pushed mass")
        mass = model.add(PointMass(1.0, (1, 0, 0), name="mass"))
        model.fix(mass, translation=(False, True, True), rotation=True)
        model.add(SpringDamper(model.ground, mass, STIFFNESS, damping))
        model.add(Force(mass, shape(values["t0"])))
        control = () if step is None else (fm.StepControl.fixed(step),)
        return fm.Simulation(model, END, *control)

    return build


def after_ramp(t0: float, time: float = END) -> Any:
    """(2,) displacement and velocity at a time."""
    a = np.zeros((4, 4))
    a[0, 1], a[2, 3] = 1.0, 1.0
    a[1] = -STIFFNESS, -DAMPING, LOAD / DURATION, 0.0

    def response(t: float) -> Any:
        return (scipy.linalg.expm(a * t) @ [0, 0, 0, 1.0])[:2] if t > 0.0 else np.zeros(2)

    return response(time - t0) - response(time - t0 - DURATION)


@pytest.mark.parametrize("method", ["forward", "adjoint"])
@pytest.mark.parametrize("step", [5e-3, None])
@pytest.mark.parametrize("shape", [ramp, table])
def test_start_of_a_ramp(shape: Shape, step: float | None, method: str) -> None:
    t0, h = 0.3021, 1e-5
    build = building(shape, step)
    found, (error, largest) = fm.gradient(build, OUTPUTS, {"t0": t0}, method=method), allowed(build, t0)
    exact = (after_ramp(t0 + h) - after_ramp(t0 - h)) / (2 * h)
    amplitude = np.array([LOAD / RATE, LOAD])
    assert found.jacobian[:2, 0] / amplitude == pytest.approx(exact / amplitude, abs=error)
    # The mean of the velocity is that of the trapezoidal rule, which errs by h^2/12 of the change of v' over the run.
    # By t0 the acceleration at the end changes by no more than F w + F/d, and each of the two kinks, where v'' jumps by
    # F/d, moves an end of a step, h^2/4 for the step before it and for the one after it.
    rule = largest**2 * (LOAD * RATE + LOAD / DURATION) / 12 + 4 * largest**2 / 4 * LOAD / DURATION
    assert found.of("mean", "t0") == pytest.approx(exact[0] / END, abs=rule + error * amplitude[0])
    at = (after_ramp(t0 + h, 0.8)[0] - after_ramp(t0 - h, 0.8)[0]) / (2 * h)
    assert found.of("later", "t0") == pytest.approx(at, abs=error * amplitude[0])


@pytest.mark.parametrize("method", ["forward", "adjoint"])
@pytest.mark.parametrize("step", [5e-3, None])
@pytest.mark.parametrize("shape", [pieces, step_table, short_ramp])
@pytest.mark.parametrize("t0", [0.3, 0.3021])
def test_instant_of_a_jump(t0: float, shape: Shape, step: float | None, method: str) -> None:
    of = {name: OUTPUTS[name] for name in ("x", "v")}
    build = building(shape, step, 0.0)
    found, (error, _) = fm.gradient(build, of, {"t0": t0}, method=method), allowed(build, t0)
    phase = RATE * (END - t0)
    exact, amplitude = np.array([-np.sin(phase), -np.cos(phase)]), np.array([LOAD / RATE, LOAD])
    assert found.jacobian[:, 0] / amplitude == pytest.approx(exact, abs=error)


@pytest.mark.parametrize("method", ["forward", "adjoint"])
@pytest.mark.parametrize("end", [0.99, 0.995, END])
def test_ramp_of_a_speed_that_ends_with_the_run(end: float, method: str) -> None:
    """x = w (1 - t1/2): the derivative by t1 is -w/2, also where the ramp ends when the run does, which does not
    move."""

    def build(values: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model()
        speed = shapes.Ramp(0.0, values["t1"], 0.0, 2.0)
        slider = model.add(RigidBody(1.0, (1.0, 1.0, 1.0), (0, 0, 0), name="slider"))
        model.add(DrivenPrismatic(model.ground, slider, at=(0, 0, 0), axis=(1, 0, 0), speed=speed))
        return fm.Simulation(model, END, fm.StepControl.fixed(1e-2))

    found = fm.gradient(build, {"x": "final(slider.position[0])"}, {"t1": end}, method=method)
    assert found.jacobian[0, 0] == pytest.approx(-1.0, rel=1e-10)


def test_interval_of_a_calibrated_instant_is_that_of_least_squares_on_the_closed_form() -> None:
    times = np.linspace(0.05, 1.0, 60)
    noise = np.random.default_rng(3).normal(0.0, 1e-3, 60)
    measured = np.array([1.0 + after_ramp(0.37, t)[0] for t in times]) + noise

    def residuals(x: Any) -> Any:
        return (np.array([1.0 + after_ramp(x[0], t)[0] for t in times]) - measured) / 1e-3

    exact = least_squares(residuals, [0.3], diff_step=1e-5)
    half = 2.001 * np.sqrt((exact.fun @ exact.fun) / 59 / (exact.jac.T @ exact.jac)[0, 0])
    build = building(ramp, 5e-3)
    found = fm.calibrate(build, {"mass.position[0]": (times, measured, 1e-3)}, {"t0": 0.3})
    error, _ = allowed(build, 0.37)
    # what the run errs by, over what a change of the instant does in the mean
    slope = np.sqrt(np.mean((1e-3 * exact.jac) ** 2))
    assert found.of("t0") == pytest.approx(exact.x[0], abs=error * LOAD / STIFFNESS / slope)
    low, high = found.intervals(0.95)[0]
    assert 0.5 * (high - low) == pytest.approx(half, rel=error * LOAD / RATE / slope)


def test_a_kink_that_leaves_another_one_is_refused() -> None:
    def build(values: Mapping[str, float]) -> fm.Simulation:
        return building(lambda t0: ramp(t0) + ramp(0.3), 5e-3)(values)

    with pytest.raises(fm.InputError, match=r"parameter t0 .* kinks"):
        fm.gradient(build, {"x": OUTPUTS["x"]}, {"t0": 0.3})
