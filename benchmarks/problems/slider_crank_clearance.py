"""Benchmark problem "slider-crank": rigid, planar, 2500 rpm, with clearance, impacts and friction at the slider.

Source of the data: Flores et al., "A study on dynamics of mechanical systems including joints with clearance and
lubrication", Mechanism and Machine Theory 41 (2006), 247-261, and Ravn 1998: crank 50 mm, coupler 300 mm, bearing of
radius 5 mm with 0.5 mm of clearance, steel. Two revolutions of the crank, started with the pin centred.

Contact is Hertz' law with damping of Hunt and Crossley for a coefficient of restitution of 0.9 at the speed of each
impact, friction that of Coulomb regularised. Runs are chaotic after the first impacts: each program is compared with
its own reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.comparison.curves import cost_at
from benchmarks.comparison.outcome import Outcome
from benchmarks.comparison.study import Study
from benchmarks.comparison.time_loop import run_time_loop
from benchmarks.peers.exudyn_system import IN_PLANE_POINT, ExudynSystem
from benchmarks.reports.report import Curves, Goal, Report, Table
from fem_mbd import NewtonOptions, Simulation, StepControl
from fem_mbd.base.arrays import Array
from fem_mbd.cases.slider_crank_clearance.model import (
    COUPLER,
    COUPLER_INERTIA,
    COUPLER_MASS,
    CRANK,
    CRANK_INERTIA,
    CRANK_MASS,
    SLIDER_INERTIA,
    SLIDER_MASS,
    assemble,
)
from fem_mbd.core.model.node import Attachment
from fem_mbd.core.stepping.step_rules import Penetration
from fem_mbd.elements.rigid_body import BodyHandle
from fem_mbd.friction import Coulomb, Hertz, HuntCrossleyImpact
from fem_mbd.joints import SphericalClearance

SPEED = 2500 * 2 * np.pi / 60
TURN = 2 * np.pi / SPEED
END = 2 * TURN
BEARING, PLAY = 5e-3, 0.5e-3
YOUNG, POISSON = 207e9, 0.3
CONTACT = 2 * YOUNG / (3 * (1 - POISSON**2)) * np.sqrt(BEARING * (BEARING - PLAY) / PLAY)  # N/m^1.5
RESTITUTION = 0.9
FRICTION, CREEP = 0.1, 1e-3  # and the speed (m/s) below which friction is regularised
ASIDE = 1e-7  # m, from the centre: determines the direction of the first contact
DT_MAX = 2e-5
SAMPLES = 200  # per revolution
EARLY = TURN / 20
PEAK_ERROR, AFTER_ERROR = (
    2e-3,
    2.5e-3,
)  # relative, and in m/s: errors for which both programs have runs on either side


def sample_times(end: float) -> Array:
    """Two hundred times per revolution, up to `end`."""
    return TURN / SAMPLES * np.arange(1, round(end / TURN * SAMPLES) + 1)


def simulation(eps_p: float, end: float = END) -> tuple[Simulation, BodyHandle]:
    """Simulation with steps by the permitted change of the gap `eps_p` (m); and the slider.

    In the plane, a ball in a socket is equivalent to a pin in a bearing: the revolute joint of the crank constrains the
    coupler to the plane.
    """
    normal = HuntCrossleyImpact(Hertz(CONTACT), RESTITUTION)

    def joint(bearing: Attachment, pin: Attachment) -> SphericalClearance:
        return SphericalClearance(bearing, pin, BEARING, BEARING - PLAY, normal, Coulomb(FRICTION, CREEP))

    mechanism = assemble("slider", SPEED, joint, aside=ASIDE)
    control = StepControl(
        Penetration(eps_p),
        dt_initial=1e-6,
        dt_min=1e-10,
        dt_max=DT_MAX,
        output_times=sample_times(end),
        quantise=True,
    )
    return Simulation(mechanism.model, end, control, newton=NewtonOptions(reuse=True)), mechanism.slider


def ours(eps_p: float, end: float = END) -> Outcome:
    """Samples are the slider's position (1,), m."""
    sim, slider = simulation(eps_p, end)
    node = slider.node.index
    outcome, result = run_time_loop(
        sim,
        eps_p,
        sample_times(end),
        lambda t, now: now["position"][node, :1],
        ("position", "velocity", "contact"),
    )
    facts = seen(result.time, result.outputs["velocity"][:, node, 0], result.contacts["normal_force"][:, 0])
    return replace(outcome, facts=outcome.facts | facts)


def seen(time: Array, velocity: Array, force: Array) -> dict[str, float]:
    """Comparable quantities of chaotic runs, from the slider's velocity (m/s) and the contact force (N) over time (s).

    "first peak", "peak": the slider's largest acceleration (m/s^2) in the first twentieth of a revolution, which has
    one impact and is not chaotic yet, and of the whole run; "after impact": its velocity (m/s) at the end of that;
    "closed": fraction of the time in contact; "impacts": number of closures of the joint.
    """
    early, closed = time < EARLY, force > 0.0
    return {
        "first peak": largest_rate(time[early], velocity[early]),
        "peak": largest_rate(time, velocity),
        "after impact": float(np.interp(EARLY, time, velocity)),
        "closed": float(np.diff(time, prepend=0.0)[closed].sum() / time[-1]),
        "impacts": float(np.count_nonzero(closed[1:] & ~closed[:-1])),
    }


def largest_rate(time: Array, value: Array) -> float:
    """Largest magnitude of the rate between the samples: of a quartic through the five about the steepest step.

    Mean rates of steps would reduce a peak by half a percent where a step is a tenth of the impact.
    """
    rates = np.diff(value) / np.diff(time)
    k = min(max(int(np.argmax(np.abs(rates))), 2), len(rates) - 3)
    near = slice(k - 2, k + 3)
    t = time[near] - time[k]
    scale = float(np.abs(t).max())
    slope = np.polyder(np.polyfit(t / scale, value[near], 4))
    fine = np.linspace(t[1], t[3], 400) / scale
    return float(np.abs(np.polyval(slope, fine)).max() / scale)


def exudyn(steps: int, end: float = END) -> Outcome:
    """The same with Exudyn: a sphere in a hollow sphere, generalised-alpha with spectral radius 0.6."""
    system = ExudynSystem()
    lib, mbs = system.lib, system.mbs
    turning = -SPEED * CRANK / COUPLER
    half = 0.5 * SPEED * CRANK
    crank, a = system.body((0.5 * CRANK, 0, 0), CRANK_MASS, (CRANK_INERTIA,) * 3, (0, half, 0), SPEED)
    coupler, b = system.body(
        (CRANK + 0.5 * COUPLER, 0, 0), COUPLER_MASS, (COUPLER_INERTIA,) * 3, (0, half, 0), turning
    )
    slider, c = system.body((CRANK + COUPLER - ASIDE, 0, 0), SLIDER_MASS, (SLIDER_INERTIA,) * 3)
    system.hold(crank, 2, 3, 4)
    system.hold(coupler, 2, 3, 4)
    system.hold(slider, 1, 2, 3, 4, 5)
    system.join(system.ground, system.at_body(a, (-0.5 * CRANK, 0, 0)), IN_PLANE_POINT)
    system.join(
        system.at_body(a, (0.5 * CRANK, 0, 0)), system.at_body(b, (-0.5 * COUPLER, 0, 0)), IN_PLANE_POINT
    )
    system.drive(crank, 5, lambda t: SPEED * t, lambda t: SPEED)
    gap = mbs.AddNode(lib.NodeGenericData(initialCoordinates=[PLAY, 0, 0, 0], numberOfDataCoordinates=4))
    contact = mbs.AddObject(
        lib.ObjectContactSphereSphere(
            markerNumbers=[system.at_body(b, (0.5 * COUPLER, 0, 0)), system.at_body(c, (0, 0, 0))],
            nodeNumber=gap, spheresRadii=[BEARING - PLAY, BEARING], isHollowSphere1=True,
            contactStiffness=CONTACT, contactStiffnessExponent=1.5, contactDamping=0.0, impactModel=1,
            restitutionCoefficient=RESTITUTION, minimumImpactVelocity=1e-3,
            dynamicFriction=FRICTION, frictionProportionalZone=CREEP,
        )
    )  # fmt: skip
    force = mbs.AddSensor(
        lib.SensorObject(
            objectNumber=contact, outputVariableType=system.exu.OutputVariableType.Force, storeInternal=True
        )
    )
    sensors = [system.watch(slider, "Position"), system.watch(slider, "Velocity"), force]
    outcome = system.solve(steps, sample_times(end), sensors, rho=0.6, sparse=False, settle=_contact_settings)
    _, velocity, forces = system.histories
    facts = seen(velocity[1:, 0], velocity[1:, 1], np.linalg.norm(forces[1:, 1:], axis=1))
    return replace(outcome.seeing([0]), facts=outcome.facts | facts)


def _contact_settings(settings: Any) -> None:
    """Set the tolerance: with the default of 1, here in newton, the step size collapses at this stiffness."""
    settings.timeIntegration.minimumStepSize = 1e-10
    settings.timeIntegration.discontinuous.iterationTolerance = 1e5
    settings.timeIntegration.discontinuous.useRecommendedStepSize = False


def compare(report: Report, runs: Mapping[str, list[Outcome]], references: Mapping[str, Outcome]) -> None:
    """Add the comparable quantities of chaotic runs, and the goal."""
    rows = []
    for label, group in runs.items():
        for run in (*group, references[label]):
            f, exact = run.facts, references[label].facts
            name = f"{label}, reference" if run is references[label] else label
            rows.append((
                name, run.parameter, f["first peak"], f["first peak"] / exact["first peak"] - 1.0,
                f["after impact"] - exact["after impact"], f["peak"], f["closed"], int(f["impacts"]), run.cpu_seconds,
            ))  # fmt: skip
    report.tables.append(Table("Peaks and contact", SEEN, rows, frozenset({"CPU s"}), keys=2))
    if "Exudyn" in runs:
        _compare_at_equal_error(report, runs, references)


def _compare_at_equal_error(
    report: Report, runs: Mapping[str, list[Outcome]], references: Mapping[str, Outcome]
) -> None:
    """CPU seconds of both programs to the same error of the first peak, and of the velocity after the impact."""
    for what, of, size, error, most in (
        ("first peak", "of the first peak", references["fem_mbd"].facts["first peak"], PEAK_ERROR, 1.0),
        ("after impact", "after impact [m/s]", 1.0, AFTER_ERROR, 0.2),
    ):
        errors = {
            label: [abs(run.facts[what] - references[label].facts[what]) / size for run in group]
            for label, group in runs.items()
        }
        seconds = {label: [run.cpu_seconds for run in group] for label, group in runs.items()}
        ours, theirs = (cost_at(error, errors[label], seconds[label]) for label in ("fem_mbd", "Exudyn"))
        lines = {label: (errors[label], seconds[label]) for label in runs}
        report.curves.append(Curves("", f"error {of}", lines))
        name = f"CPU seconds to an error of {error:g} of '{what}' over those of Exudyn"
        report.goals.append(Goal(name, ours / theirs, most, True))


SEEN = (
    "program", "parameter", "first peak", "its error", "error after impact", "largest peak", "closed", "impacts",
    "CPU s",
)  # fmt: skip
STUDY = Study(
    name="slider_crank_clearance",
    title="Slider-crank with clearance",
    problem="Largest error of the slider's position (m; the play is 5e-4) at 400 instants of two revolutions.\n"
    "Parameter: eps_p of step control (m), or number of steps. The motion is chaotic: what can be compared is the\n"
    "peak of the slider's acceleration (m/s^2) in the first impact, its velocity (m/s) after it, the time in contact.",
    ours=ours,
    parameters=(1e-5, 6e-6, 3e-6, 1e-6),
    fine=3e-7,
    variants={"Exudyn": {}},
    peer_steps=(6000, 12000, 24000, 48000),
    peer_fine=384000,
    compare=compare,
    short=0.1 * TURN,
    short_parameters=(1e-5, 3e-6),
    short_fine=1e-6,
)
