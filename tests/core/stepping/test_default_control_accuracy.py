"""Accuracy of the default step control for the spin-up of a propeller, against forty times finer steps."""

import pytest

import fem_mbd as fm
from fem_mbd.elements import Beam, Material, Section
from fem_mbd.joints import DrivenRevolute

END = 0.5
ALUMINIUM = Material(young=70e9, poisson=0.33, density=2700)


def propeller(speed: float) -> fm.Model:
    """A strip of 0.9 m, accelerated to a speed (rad/s) in 0.4 s."""
    model = fm.Model()
    strip = Section.rectangle(width=0.1, height=0.01, material=ALUMINIUM)
    blade = model.add(
        Beam(strip, (0.1, 0, 0), (1, 0, 0), up=(0, 1, 0), elements=3, damping=1e-5, name="blade")
    )
    ramp = fm.time_functions.SmoothStep(t0=0.0, t1=0.8 * END, v0=0.0, v1=speed)
    model.add(DrivenRevolute(model.ground, blade.start, at=(0, 0, 0), axis=(0, 0, 1), speed=ramp))
    return model


def root_force(control: fm.StepControl | None, speed: float) -> tuple[float, int]:
    """Force at the root, N, at the end of the run, and the number of steps."""
    result = fm.simulate(propeller(speed), END, control, progress=False)
    return float(result.of("blade").section_force(0.0)[-1, 0]), int(result.summary["steps"])


@pytest.mark.parametrize("speed", [100.0, 300.0])
def test_default_control_is_nearly_as_efficient_as_equal_steps(speed: float) -> None:
    """Root force to 1e-4, in at most three times as many steps as equal steps need for the same error."""
    exact, _ = root_force(fm.StepControl.fixed(END / 20000), speed)
    found, steps = root_force(None, speed)
    error = abs(found / exact - 1)
    assert error < 1e-4
    equal, _ = root_force(fm.StepControl.fixed(3 * END / steps), speed)
    assert abs(equal / exact - 1) > error
