"""Steps without Python beside the readable step: the same runs to the last bit, and who makes which steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.scheme.ledger_names import LEDGER
from fem_mbd.core.solver import time_loop_kernels
from fem_mbd.core.solver.energy_balance import BALANCE
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.solver.step_block import Sink
from fem_mbd.core.solver.steps import Steps
from fem_mbd.core.solver.time_loop_kernels import NOTHING, REST
from fem_mbd.core.stepping.step_record import StepRecord
from fem_mbd.elements import Beam, RigidBody, Section, SpringDamper
from fem_mbd.friction import Linear, LuGre
from fem_mbd.joints import PointOnPlane, Revolute
from fem_mbd.runs.results.result import Result

CONTROL = fm.StepControl(
    fm.ErrorEstimate(1e-3), fm.Penetration(2e-5), fm.Stribeck(1.0), dt_initial=1e-3, dt_max=2e-2, growth=4.0
)
FRICTION = LuGre(sigma_0=1e5, sigma_1=5e-3, sigma_2=0.01, mu_s=0.4, mu_k=0.3, v_s=0.02)


def falling_beam() -> fm.Model:
    """A beam on a hinge, held by a spring; the body at its tip falls on a floor, slides and bounces."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    section = Section(np.diag([1e6, 1e6, 1e6, 1e3, 1e3, 1e3]), 1.0, np.diag([1e-2, 5e-3, 5e-3]))
    beam = model.add(Beam(section, (0, 0, 0.02), (1, 0, 0.02), elements=2))
    tip = model.add(RigidBody(1.0, (1e-3, 1e-3, 1e-3), position=(1, 0, 0.02)))
    model.add(Revolute(model.ground.at_global((0, 0, 0.02)), beam.start, axis=(0, 1, 0)))
    model.add(Revolute(beam.end, tip.node, axis=(0, 1, 0)))
    model.add(SpringDamper(model.ground, tip.node, 50.0, 1.0))
    model.add(PointOnPlane(model.ground, tip.node, normal=Linear(1e5), friction=FRICTION))
    return model


def simulation(control: fm.StepControl = CONTROL, **options: Any) -> Simulation:
    return Simulation(falling_beam(), 0.12, control, newton=fm.NewtonOptions(**options))


def in_place(control: fm.StepControl = CONTROL) -> Simulation:
    """A beam on a hinge whose free end falls on a floor: a chain, whose factors stand where the matrix was."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    section = Section(np.diag([1e6, 1e6, 1e6, 1e3, 1e3, 1e3]), 1.0, np.diag([1e-2, 5e-3, 5e-3]))
    beam = model.add(Beam(section, (0, 0, 0.02), (1, 0, 0.02), elements=2))
    model.add(Revolute(model.ground.at_global((0, 0, 0.02)), beam.start, axis=(0, 1, 0)))
    model.add(PointOnPlane(model.ground, beam.end, normal=Linear(1e5), friction=FRICTION))
    return Simulation(model, 0.12, control, newton=fm.NewtonOptions(linear_solver="block"))


def equal(one: Result, other: Result) -> bool:
    """Whether all that was recorded is the same to the last bit."""
    recorded = [
        [r.output_index, *(group[name] for group in (r.step, r.energy, r.outputs) for name in group)]
        for r in (one, other)
    ]
    return all(a.tobytes() == b.tobytes() for a, b in zip(*recorded, strict=True))


@pytest.mark.parametrize(
    "options", [{}, {"record_every": 3}, {"record_at": 0.007}, {"quantities": ()}, {"checkpoint_every": 7}]
)
def test_a_run_without_python_is_that_of_the_readable_step(options: Any) -> None:
    """With an impact: steps that a rule rejects, that grow, and that end on instants."""
    runs = [fm.run(simulation(compiled=compiled), progress=False, **options) for compiled in (True, False)]
    assert equal(*runs)
    assert int(runs[0].step["rejections"].sum()) > 0 and runs[0].energy["contact"].max() > 0.0


def test_with_factors_in_the_place_of_the_matrix_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the block LU, which the next tangent destroys: nothing is solved with a matrix in their place."""
    fast = fm.run(in_place(), progress=False, checkpoint_every=7)
    monkeypatch.setattr(Steps, "make_steps", lambda *_: None)
    readable = fm.run(in_place(), progress=False, checkpoint_every=7)
    assert equal(fast, readable)
    assert int(fast.step["rejections"].sum()) > 0 and fast.energy["contact"].max() > 0.0


def test_lost_factors_are_made_again_in_python() -> None:
    """Where the tangent has been made anew for something else, the march would solve with it as it stands."""
    sim = in_place(fm.StepControl.fixed(1e-3))
    assert made_without_python(sim) == 10
    sim.solver.lose_factors()
    assert sim.hooks.make_steps(sim.end_time, 10, Sink({}, 0), -1) is None
    next(sim.steps())
    assert sim.hooks.make_steps(sim.end_time, 10, Sink({}, 0), -1) is not None


class Named(fm.FixedStep):
    """A rule of a user's own."""

    def propose(self, record: StepRecord, previous_dt: float) -> float:
        return 1e-3


def made_without_python(sim: Simulation) -> int:
    """How many of up to ten steps, after the first."""
    next(sim.steps())
    block = sim.hooks.make_steps(sim.end_time, 10, Sink({}, 0), -1)
    return 0 if block is None else len(block.notes)


def test_who_makes_the_steps() -> None:
    fixed = fm.StepControl.fixed(1e-3)
    assert made_without_python(simulation(fixed)) == 10
    assert made_without_python(in_place(fixed)) == 10
    assert made_without_python(simulation(fixed, compiled=False)) == 0
    assert made_without_python(simulation(fm.StepControl(Named(1e-3), dt_initial=1e-3))) == 0


class Faulty(PartKind):
    """A kind written in Python whose end of a step fails once."""

    def __init__(self, specs: Any, work: Workspace):
        self.specs, self.nodes, self.multipliers = specs, np.array([[1]]), np.zeros(1, dtype=np.int64)

    def accept(self, work: Workspace) -> None:
        if work.t_f > 0.055:
            raise ZeroDivisionError("at the end of a step")


@dataclass(frozen=True)
class Spec:
    """Of a `Faulty`."""

    name: str = "faulty"


def test_what_python_raises_comes_behind_the_steps_that_were_made() -> None:
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    model.add(RigidBody(1.0, (1.0, 1.0, 1.0), position=(0.0, 0.0, 0.0)))
    model.registry.add(Faulty, Spec())
    sim = Simulation(model, 1.0, fm.StepControl.fixed(0.01))
    next(sim.steps())
    block = sim.hooks.make_steps(sim.end_time, 10, Sink({}, 0), -1)
    assert block is not None and [r.index for r in block.records()] == [2, 3, 4, 5]
    assert sim.time == block.time == pytest.approx(0.05)
    with pytest.raises(ZeroDivisionError, match="at the end of a step"):
        next(sim.steps())


@pytest.mark.parametrize(
    ("left", "round_off", "expected"), [(1e-12, 0.0, NOTHING), (4e-12, 0.0, REST), (4e-12, 5e-12, NOTHING)]
)
def test_a_step_that_leaves_more_than_its_forces_explain_is_left_to_python(
    left: float, round_off: float, expected: int
) -> None:
    """Python asks the tangent; J, with energies of 2 J."""
    run: Any = np.zeros(1, dtype=time_loop_kernels.RUN)
    balance: Any = np.zeros(1, dtype=BALANCE)
    balance["scale"] = 2.0
    row = np.zeros(len(LEDGER))
    row[LEDGER.index("residual")] = -left
    time_loop_kernels.check_step(run, row, np.array([round_off]), balance, np.zeros((0, 2)), np.zeros(0))
    assert run["left"] == expected
