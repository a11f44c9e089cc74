"""Fixtures of the animation tests: runs, and a browser."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import Arc, Beam, Material, RigidBody, Section
from fem_mbd.friction import Linear
from fem_mbd.joints import Clamp, Revolute, SphereOnPlane
from tests.output.animation.browser import Browser, find_browser

RADIUS, TUBE, WEIGHT, STIFFNESS = 1.0, 0.02, 2.0 * 9.81, 1e5
HOSTILE = (
    "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>&amp; <!-- @@STYLE@@"
)


@pytest.fixture(scope="session")
def swing() -> fm.Result:
    """A heavy arc of tube in a revolute joint with a box at its end, and a ball at rest on a plane; a hostile name."""
    model = fm.Model(gravity=(0, 0, -9.81), name=HOSTILE)
    tube = Section.tube(TUBE - 0.001, 0.002, Material(young=70e9, poisson=0.3, density=2700))
    arc = model.add(
        Beam(
            tube, line=Arc((0, 0, 0), (1, 0, 0), (0, 1, 0), radius=RADIUS, angle=1.0), elements=2, name="arc"
        )
    )
    box = model.add(RigidBody(1.2, (0.013, 0.01, 0.005), position=arc.end.position, name=HOSTILE))
    model.add(Clamp(arc.end, box.node, name="weld"))
    model.add(Revolute(model.ground, arc.start, axis=(0, 1, 0), name="pin"))
    ball = model.add(
        RigidBody(2.0, (8e-4, 8e-4, 8e-4), position=(0, -1, 0.03 - WEIGHT / STIFFNESS), name="ball")
    )
    model.add(
        SphereOnPlane(
            model.ground.at((0, -1, 0)), ball.node, normal=Linear(STIFFNESS), radius=0.03, name="floor"
        )
    )
    return fm.simulate(model, 0.3, fm.StepControl.fixed(0.01))


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium; without one the tests are skipped, except in continuous integration."""
    program = find_browser()
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("no Chromium here: make browser")
        pytest.skip("no Chromium here: make browser, or name one in the variable CHROMIUM")
    with Browser(program, Path(tmp_path_factory.mktemp("profile"))) as opened:
        yield opened


def close(found: object, wanted: object, tolerance: float) -> bool:
    """Whether all numbers agree to an absolute tolerance."""
    return bool(np.abs(np.asarray(found, dtype=float) - np.asarray(wanted, dtype=float)).max() <= tolerance)
