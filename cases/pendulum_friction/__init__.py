"""Case: a pendulum with friction in its hinge, from Python or XML: MotionSolve's example of joint friction.

A bob of 1 kg starts from rest at the end of a horizontal arm of 0.1 m; the normal force of LuGre friction in the
revolute joint is the joint's own reaction. `--set source=xml` reads the same model from its XML file, as `fem-mbd run
--from-xml`. The defaults for bristles are in the source's model units: 100/mm and 0.316 s/mm are 1e5 1/m and 316 s/m.
With them the law is not passive at all speeds, of which a run warns once.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.case import Case
from fem_mbd.cases.pendulum_friction.model import HINGE, Parameters, build
from fem_mbd.cases.pendulum_friction.results import angle, checks
from fem_mbd.output.figures.plots import Panel, draw_panels
from fem_mbd.runs.results.result import Result


def plot(result: Result, parameters: Parameters, folder: Path) -> list[Path]:
    """Figure of the source's requests: speed of the joint and its friction, with the angle and normal force."""
    friction, joint = result.of(HINGE).friction, result.of(HINGE)
    panels = [
        Panel("angle [°]", {"bob": np.degrees(angle(result))}),
        Panel("joint speed [rad/s]", {"omega": joint.angular_velocity[:, 2]}),
        Panel("friction torque [N mm]", {"on the bob": 1e3 * friction.torque[:, 2]}),
        Panel("normal force [N]", {"pin": friction.normal_force[:, 0]}),
    ]
    return [
        draw_panels(
            folder / "pendulum_friction.png", result.output_time, panels, title="Friction in the hinge"
        )
    ]


CASE = Case(
    "pendulum_friction",
    "a pendulum with LuGre friction in its hinge, from Python or from XML",
    Parameters,
    build,
    checks,
    plot,
)
