"""A run that a range of its beams stops: what is left of it, and the exit status."""

import os
import subprocess
import sys
from pathlib import Path

import fem_mbd as fm
from tests.runs.running.fake_runs import ROOT

STUDY = '''
"""A bar of one element of two nodes, whose end is turned by 6 rad."""
from dataclasses import dataclass
from fem_mbd import Model, Simulation, StepControl, time_functions
from fem_mbd.case import Case
from fem_mbd.case_parameters import parameter
from fem_mbd.elements import Beam, Material, Section
from fem_mbd.joints import DrivenRevolute

@dataclass(frozen=True)
class Parameters:
    angle: float = parameter(6.0, "rad", "of the end after 1 s")

def build(p):
    model = Model(name="bar")
    section = Section.circle(0.002, Material(young=1e9, poisson=0.3, density=1000))
    bar = model.add(Beam(section, (0, 0, 0), (1, 0, 0), up=(0, 0, 1), order=2, damping=1e-2, name="bar"))
    model.fix(bar.start)
    turn = time_functions.SmoothStep(0.0, 1.0, 0.0, p.angle)
    model.add(DrivenRevolute(model.ground, bar.end, at=(1, 0, 0), axis=(1, 0, 0), angle=turn))
    return Simulation(model, 1.5, StepControl.fixed(5e-3))

CASE = Case("twist", "a bar that is twisted too far", Parameters, build, lambda result, p: [], lambda *_: [])
'''


def test_a_run_stopped_by_a_range_keeps_its_steps_and_ends_with_status_3(tmp_path: Path) -> None:
    folder = tmp_path / "twist"
    folder.mkdir()
    (folder / "__init__.py").write_text(STUDY)
    done = subprocess.run(
        [sys.executable, "-m", "fem_mbd", "run", "./twist", "--out", "out", "--no-plot"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert "rotation beyond interpolation by 2 nodes" in done.stderr
    result = fm.Result.open(tmp_path / "out")
    assert result.status == "failed"
    # 6 (10 s^3 - 15 s^4 + 6 s^5) rad reaches 3 rad at s = 1/2, and is at 2.99 rad a step before
    assert result.time[-1] < 0.75 and result.steps > 50
    assert result.of("bar").section_strain()[-1, 0, 3] > 0.0
