"""Tests of the supercritical rotor of Bauchau & Ju (section 6.2): data, critical speeds, a whole run, dry whirl."""

import dataclasses
import os
import signal
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fem_mbd import StepRecord, modes, resume, run
from fem_mbd.cases.supercritical_rotor import (
    CASE,
    QUANTITIES,
    SETTLED_RUN_END,
    Histories,
    end_turns,
    near_stated,
    undamped_histories,
)
from fem_mbd.cases.supercritical_rotor.model import Parameters, build_rotor, critical_speeds
from fem_mbd.core.scheme.system import System
from fem_mbd.runs.running.progress import Lines


@cache
def histories(end_time: float = SETTLED_RUN_END, angle: float = 90.0) -> Histories:
    p = dataclasses.replace(Parameters(), end_time=end_time, whirl_time=0.0, eccentricity_angle=angle)
    return Histories(run(CASE.build(p), progress=False, quantities=QUANTITIES), p)


def failed(h: Histories) -> list[str]:
    return [c.name for c in CASE.checks(h.result, h.parameters) if not c.passed]


def test_mass_and_inertia_are_those_given() -> None:
    p = Parameters()
    rotor = build_rotor(p)
    work = System(rotor.model).workspace
    assert work.mass.sum() == pytest.approx(6 * 0.848 + 5.0)
    polar = work.inertia[1:, 0, 0].sum()
    tube, disk = 6 * 0.848 * (0.05**2 + 0.005**2 / 4), 5.0 * 0.015**2 / 2
    # at mid-span the common mass centre of disk and eccentric shaft adds a little
    assert polar == pytest.approx(tube + disk, rel=1e-4)
    assert rotor.middle.position == pytest.approx((0, 0, 3))
    ends = work.centre[[rotor.shaft.start.index, rotor.shaft.end.index]]
    assert ends == pytest.approx(np.array([[0, 0, 1e-3]] * 2), abs=1e-18)


def test_section_of_the_papers_tube() -> None:
    """E = 14.4 GPa and G = 5.6 GPa from bending and torsion; half of G A; speeds 0.33 % off the printed ones."""
    tube = Parameters(section="tube")
    area = 2 * np.pi * 0.05 * 0.005
    assert tube.axial_stiffness / area == pytest.approx(14.4e9, rel=5e-3)
    assert tube.shear_stiffness == pytest.approx(0.5 * 5.6e9 * area, rel=5e-3)
    assert critical_speeds(tube).zone == pytest.approx((44.213, 44.601), rel=1e-4)


def test_critical_speeds_are_the_papers() -> None:
    """To 0.05 %; the frequencies at rest, with a fine mesh, to all the paper's digits."""
    coarse = critical_speeds(Parameters())
    fine = critical_speeds(dataclasses.replace(Parameters(), elements=12, order=4))
    assert coarse.zone == pytest.approx((44.069, 44.453), rel=5e-4)
    assert fine.zone == pytest.approx((44.069, 44.453), rel=2e-4)
    assert fine.at_rest == pytest.approx((44.069, 44.453), abs=5e-4)
    stiff = critical_speeds(dataclasses.replace(Parameters(), shear=1e9))
    assert stiff.zone[0] == pytest.approx(44.069, rel=1e-2) and stiff.zone[0] > 44.3


def test_critical_speeds_of_a_light_shaft_are_those_of_its_disk() -> None:
    """Clamped and pinned massless beam: the stiffness at mid-span is 768 EI / 7 L^3."""
    p = dataclasses.replace(
        Parameters(),
        mass_per_length=1e-5,
        shear=1e10,
        axial=1e10,
        disk_radius=1e-4,
        wall=1e-3,
        mean_radius=1e-3,
    )
    expected = [np.sqrt(768 * stiffness / (7 * 6.0**3) / 5.0) for stiffness in (28.2e3, 28.7e3)]
    assert critical_speeds(p).zone == pytest.approx(expected, rel=1e-5)


def test_modes_of_the_structure_at_rest() -> None:
    """The case's model for frequencies: damping of 1.8 % of critical, as the docstring says, is eta omega/2."""
    assert CASE.model is not None
    found = modes(CASE.model(Parameters()), 6)
    bending = found.damping_ratios > 0
    omega = 2 * np.pi * found.frequencies_hz[bending][:2]
    assert omega == pytest.approx((44.070, 44.455), abs=1e-3)
    assert found.damping_ratios[bending][:2] == pytest.approx(8e-4 * omega / 2, rel=1e-3)


def test_run_makes_the_papers_statements_true(tmp_path: Path) -> None:
    h = histories()
    checks = CASE.checks(h.result, h.parameters)
    assert len(checks) == 26 and not failed(h)
    names = {path.name[:5] for path in CASE.plot(h.result, h.parameters, tmp_path)}
    assert names == {"fig12", "fig13", "fig14", "fig15", "orbit"}
    # two histories of the same moment: magnitudes of its means of the step in fixed axes, and in axes that rotate by an
    # angle a in the step, which differ by a^2/24
    moment = h.root_moment
    fixed, turning = np.hypot(moment[:, 0], moment[:, 1]), np.hypot(moment[:, 2], moment[:, 3])
    assert turning == pytest.approx(fixed, rel=0.0, abs=(h.speed * h.dt).max() ** 2 / 24 * fixed.max())
    assert 30.0 < fixed.max() < 50.0


def test_checks_see_a_late_opening_and_a_soft_impact() -> None:
    """The offset along section axis 2: the second opening at 2.73 s ends in 8 N after a continuous contact of 12 N."""
    second = "intermittent contact, episode 2"
    largest = "largest impact / largest force of continuous contact"
    assert failed(histories(angle=0.0)) == [
        f"{second}, middle [s]",
        f"{second}, impact / largest force of continuous contact",
        largest,
    ]
    # a third opening beyond the assumed end of the run, which the paper does not mention
    longer = histories(end_time=3.2)
    assert failed(longer) == ["episodes of intermittent contact"]
    assert longer.open_episodes(2.7)[0] == pytest.approx((3.08, 3.14), abs=0.01)


@pytest.mark.parametrize(("stated", "inside", "outside"), [(100.0, 51.0, 160.0), (50.0, 54.0, 56.0)])
def test_a_number_given_by_one_digit(stated: float, inside: float, outside: float) -> None:
    assert (
        near_stated("x", inside, stated, "text").passed
        and not near_stated("x", outside, stated, "text").passed
    )


def test_change_of_spin_is_the_impulse_of_torque_and_contact() -> None:
    """Moment about the axis from the torque at R and the recorded contact forces at T, against the shaft's speed."""
    h = histories()
    start = 0.93
    lever = h.end - 0.08 * h.contact["normal"][:, :2]
    force = h.contact["friction_force"] + h.contact["normal_force"][:, None] * h.contact["normal"]
    moment = lever[:, 0] * force[:, 1] - lever[:, 1] * force[:, 0] + 0.825 * (1 - np.cos(2 * np.pi * start))
    impulse = h.mean(moment, h.between(start, SETTLED_RUN_END)) * (SETTLED_RUN_END - start)
    gained = 0.01331 * (h.speed[-1] - np.interp(start, h.time, h.speed))
    assert impulse < -0.05
    # the rest is the orbit's own angular momentum, 1e-3 kg m^2/s or so
    assert gained == pytest.approx(impulse, abs=2e-3)


def test_an_unfinished_run_is_checked_by_what_it_has_reached() -> None:
    p = dataclasses.replace(Parameters(), end_time=0.2)
    result = run(CASE.build(p), progress=False)
    checks = CASE.checks(result, p)
    assert len(checks) == 7 and all(c.passed for c in checks)


class Interrupting(Lines):
    """Raises Ctrl-C at a given step."""

    def __init__(self, index: int):
        super().__init__(StringIO())
        self._index = index

    def step(self, record: StepRecord, energy_scale: float) -> None:
        if record.index == self._index:
            os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupted_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    """Stopped in sliding contact: position of the contact, bristles and step control are all restored."""
    p = dataclasses.replace(Parameters(), end_time=0.6)
    options: dict[str, Any] = {"progress": False, "checkpoint_every": 50}
    whole = run(CASE.build(p), **options)
    sim, path = CASE.build(p), tmp_path / "results.h5"
    assert run(sim, file=path, **options | {"progress": Interrupting(333)}).status == "interrupted"
    resumed = resume(path, CASE.build(p), progress=False)
    assert resumed.status == "complete" and 333 < resumed.steps == whole.steps
    assert whole.contacts["normal_force"][332, 0] > 0.0
    for name in ("position", "quaternion", "omega", "contact"):
        assert np.array_equal(resumed.outputs[name], whole.outputs[name])
    for name in ("bristle", "residual"):
        assert np.array_equal(resumed.energy[name], whole.energy[name])


# the rotor whirls round the bearing by 0.7 rad in the longest of the case's steps
@pytest.mark.filterwarnings("ignore:.*rotation of a contact's normal:fem_mbd.core.model.ranges.RangeWarning")
@pytest.mark.slow
def test_without_damping_friction_drives_a_backward_whirl() -> None:
    damped, undamped = histories(), undamped_histories(Parameters())
    early = undamped.time < 0.7
    assert np.interp(undamped.time[early], damped.time, damped.speed) == pytest.approx(
        undamped.speed[early], abs=0.1
    )
    # the whirl slows the rotor to below the paper's unstable zone; with damping it stays above
    assert undamped.speed[-1] < 44.069 < 44.453 < damped.speed.min(where=damped.time > 1.0, initial=100.0)
    assert undamped.contact["normal_force"].max() > 500.0
    turns = end_turns(undamped)
    late = undamped.time > 1.05
    assert np.polyfit(undamped.time[late], turns[late], 1)[0] < -10.0  # per second, against the spin
    assert undamped.result.summary["energy"]["relative"] < 1e-11
