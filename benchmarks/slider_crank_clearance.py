"""Planar slider-crank at 2500 rpm, rigid, with play, impacts and friction between the coupler and the slider.

Source of the data: Flores et al., "A study on dynamics of mechanical systems including joints with clearance and
lubrication", Mechanism and Machine Theory 41 (2006), 247-261, and Ravn 1998: crank 50 mm, coupler 300 mm, bearing of
radius 5 mm with 0.5 mm of play, steel. Two revolutions of the crank, started with the pin in the middle of its play.

Contact is Hertz' law with damping of Hunt and Crossley, friction that of Coulomb regularised. Here the damping factor
is one number, for a coefficient of restitution of 0.9 at 2 m/s, the speed of the first impact; Exudyn finds a factor
for each impact. So either is judged by its own reference.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.exudyn_system import IN_PLANE_POINT, ExudynSystem
from benchmarks.march import march
from benchmarks.outcome import Array, Outcome
from benchmarks.study import Study
from fem_mbd import NewtonOptions, Simulation, StepControl
from fem_mbd.cases.slider_crank_clearance.mechanism import (
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
from fem_mbd.friction import Coulomb, Hertz, HuntCrossley
from fem_mbd.joints import SphericalClearance
from fem_mbd.model import Attachment
from fem_mbd.step_rules import Penetration

SPEED = 2500 * 2 * np.pi / 60
TURN = 2 * np.pi / SPEED
END = 2 * TURN
BEARING, PLAY = 5e-3, 0.5e-3
YOUNG, POISSON = 207e9, 0.3
CONTACT = 2 * YOUNG / (3 * (1 - POISSON**2)) * np.sqrt(BEARING * (BEARING - PLAY) / PLAY)  # N/m^1.5
RESTITUTION, IMPACT_SPEED = 0.9, 2.0
FRICTION, CREEP = 0.1, 1e-3  # and the speed (m/s) below which friction is regularised
ASIDE = 1e-7  # m, off the middle: a direction for the first contact
DT_MAX = 1e-5
SAMPLES = 200  # per revolution


def sample_times(end: float) -> Array:
    """Two hundred instants per revolution, up to `end`."""
    return TURN / SAMPLES * np.arange(1, round(end / TURN * SAMPLES) + 1)


def ours(eps_p: float, end: float = END) -> Outcome:
    """Steps by the gap's allowed change `eps_p` (m); samples are the slider's position (1,), m.

    In the plane, a ball in a socket is a pin in a bearing: the revolute joint of the crank keeps the coupler there.
    """
    normal = HuntCrossley.from_restitution(Hertz(CONTACT), RESTITUTION, IMPACT_SPEED)

    def joint(bearing: Attachment, pin: Attachment) -> SphericalClearance:
        return SphericalClearance(bearing, pin, BEARING, BEARING - PLAY, normal, Coulomb(FRICTION, CREEP))

    mechanism = assemble("slider", SPEED, joint, aside=ASIDE)
    model, slider = mechanism.model, mechanism.slider
    times = sample_times(end)
    control = StepControl(
        Penetration(eps_p), dt_initial=1e-6, dt_min=1e-10, dt_max=DT_MAX, output_times=times, quantise=True
    )
    sim = Simulation(model, control, end, NewtonOptions(reuse=True))
    return march(sim, eps_p, times, lambda state: state.u[slider.node.index, :1])


def exudyn(steps: int, end: float = END) -> Outcome:
    """The same by Exudyn: a sphere in a hollow sphere, generalised-alpha with spectral radius 0.6."""
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
    mbs.AddObject(
        lib.ObjectContactSphereSphere(
            markerNumbers=[system.at_body(b, (0.5 * COUPLER, 0, 0)), system.at_body(c, (0, 0, 0))],
            nodeNumber=gap, spheresRadii=[BEARING - PLAY, BEARING], isHollowSphere1=True,
            contactStiffness=CONTACT, contactStiffnessExponent=1.5, contactDamping=0.0, impactModel=1,
            restitutionCoefficient=RESTITUTION, minimumImpactVelocity=1e-3,
            dynamicFriction=FRICTION, frictionProportionalZone=CREEP,
        )
    )  # fmt: skip
    position = system.watch(slider, "Position")
    outcome = system.solve(
        steps, sample_times(end), [position], rho=0.6, sparse=False, settle=_contact_settings
    )
    return outcome.seeing([0])


def _contact_settings(settings: Any) -> None:
    """With the default tolerance of 1, in newton here, the step size collapses at this stiffness."""
    settings.timeIntegration.minimumStepSize = 1e-10
    settings.timeIntegration.discontinuous.iterationTolerance = 1e5
    settings.timeIntegration.discontinuous.useRecommendedStepSize = False


STUDY = Study(
    name="slider_crank_clearance",
    title="Slider-crank with clearance",
    problem="Largest error of the slider's position (m; the play is 5e-4) at 400 instants of two revolutions.\n"
    "Parameter: eps_p of step control (m), or number of steps.",
    ours=ours,
    parameters=(1e-5, 3e-6, 1e-6),
    fine=1e-7,
    variants={"Exudyn": {}},
    peer_steps=(6000, 12000, 24000, 48000),
    peer_fine=384000,
    short=0.1 * TURN,
    short_parameters=(1e-5, 3e-6),
    short_fine=1e-6,
)
