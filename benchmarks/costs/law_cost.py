"""Cost of a contact in one evaluation of the residual and of the tangent, for every law of the package.

Two hundred points of a plate that moves over the ground, each with its own law and states, are evaluated by the scheme
as in any run. There are three motions of sixty steps of 0.1 ms, of which the second half counts: presliding
(oscillation of 0.2 µm, below break-away of bristles), reversing (10 µm, through zero slip twice a period), sliding (50
mm/s). The plate also rotates slightly, so that every point has its own direction and speed of slip.

"contact" is the time of the scheme with the contacts minus that without; "law" is that minus the time of the same
contacts on a linear spring without friction. Microseconds for one contact, of the fastest of several evaluations, mean
over a motion, of which the most expensive counts. Laws have usual parameters; "largest" are those with the largest
number of states, or with parameters that make the law expensive.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.comparison.study import Settings
from benchmarks.reports.report import Goal, Report, Table
from fem_mbd import Model, friction as f
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.prescription import PrescribedMotions, Prescription
from fem_mbd.core.model.time_functions import Harmonic, Polynomial
from fem_mbd.core.scheme.array_kernels import pack
from fem_mbd.core.scheme.system import System
from fem_mbd.core.scheme.tdg import Scheme
from fem_mbd.elements import Material, RigidBody
from fem_mbd.friction.probes.gallery import ENTRIES
from fem_mbd.friction.tangential import state_count
from fem_mbd.joints import FaceOnPlane

POINTS, RADIUS = 200, 0.05
DT, SETTLING, MEASURED, STRIDE = 1e-4, 30, 30, 3
OMEGA = 2 * np.pi / (MEASURED * DT)
MOTIONS = {"presliding": 2e-7, "reversing": 1e-5, "sliding": 0.0}  # amplitude in m
SLIDING = 0.05  # m/s
DEPTH = 1e-5  # m, indentation of the points; half of it oscillates
STATIC, DYNAMIC = 5.0, 10.0  # goals: microseconds added by a contact, without and with states
COLUMNS = (
    "law", "states", "dearest motion", "law", "contact", "contact / frictionless", "law, tangent", "contact, tangent",
)  # fmt: skip
TIMED = frozenset(COLUMNS[2:])
CONTACT = COLUMNS.index("contact")
STEEL = Material(young=207e9, poisson=0.3, density=7800.0)
BORE = (5.1e-3, 5e-3, 1e-2, STEEL, STEEL)


class Cost(NamedTuple):
    """Microseconds per contact of a residual and of a tangent."""

    residual: float
    tangent: float


def friction_laws() -> list[tuple[str, Any]]:
    """Name and law: none, those of the gallery, and the most expensive ones."""
    twelve = (1e4,) * 12, (1 / 12,) * 12
    largest = {
        "Dahl": f.Dahl(0.1, 1e5, 2.0),
        "Iwan": f.Iwan(0.1, 1e5, 12),
        "Bristles": f.Bristles(4e3, 1e-6, 50),
        "GeneralisedMaxwellSlip": f.GeneralisedMaxwellSlip(0.15, 0.1, 1e-3, *twelve, 100.0),
        "Leuven": f.Leuven(0.15, 0.1, 1e-3, *twelve, 10.0, 0.1, 10.0),
    }
    named = [("Frictionless", f.Frictionless()), *((entry.name, entry.law) for entry in ENTRIES)]
    return named + [(f"{name}, largest", law) for name, law in largest.items()]


def normal_laws() -> list[Any]:
    """One of each kind, most about as stiff as the linear spring at the depth of these contacts."""
    hertz = f.Hertz(3e8)
    impact = [
        law(hertz, 0.9)
        for law in (
            f.HuntCrossleyImpact, f.HerbertMcWhannell, f.LeeWang, f.LankaraniNikravesh, f.GonthierImpact,
            f.ZhiyingQishao, f.Flores, f.ExactRestitution,
        )
    ]  # fmt: skip
    cylinders = [
        law(*BORE) for law in (f.Johnson, f.Radzimovsky, f.DubowskyFreudenstein, f.Goldsmith, f.Esdu78035)
    ]
    return [
        f.Linear(1e6), hertz, f.HuntCrossley(hertz, 0.5), f.KelvinVoigt(1e6, 100.0), f.PowerDamping(hertz, 1e6, 1.5),
        *impact, *cylinders, f.PermanentIndentation(hertz, 0.9), f.DMT(1e10, 0.02, 0.1, 1e-8), f.JKR(1e10, 0.02, 0.1),
        f.Hamaker(1e10, 0.02, 1e-19),
        f.Maugis(1e10, 0.02, 0.1, 1e7), f.ElasticAsperities(1e6, 1e-4, 0.9),
    ]  # fmt: skip


def plate(motion: str, normal: Any, friction: Any, points: int) -> tuple[Scheme, Prescription]:
    """The scheme of a plate with ``points`` contacts, and its motion."""
    model = Model(name="law cost")
    body = model.add(RigidBody(1.0, (1.0, 1.0, 1.0), position=(0, 0, -DEPTH), name="plate"))
    size = MOTIONS[motion]
    path: Any = Polynomial(((0, 0, 0), (SLIDING, 0, 0)))
    turn: Any = Polynomial((0.0, 0.2 * SLIDING / RADIUS))
    if size > 0:
        path, turn = Harmonic((size, 0.3 * size, 0.0), OMEGA), Harmonic(0.5 * size / RADIUS, OMEGA, 1.0)
    breathing = Harmonic((0.0, 0.0, 0.5 * DEPTH), 0.7 * OMEGA)
    if points:
        golden, k = np.pi * (3 - np.sqrt(5)), np.arange(points)
        radii = RADIUS * np.sqrt((k + 0.5) / points)
        places = zip(radii * np.cos(golden * k), radii * np.sin(golden * k), strict=True)
        face = [body.node.at((x, y, 0.0)) for x, y in places]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", f.ActiveLawWarning)  # these forces do not affect the motion
            warnings.simplefilter(
                "ignore", f.LawRangeWarning
            )  # the type of contact line does not affect the cost
            model.add(FaceOnPlane(model.ground, face, normal, friction))
    system = System(model)
    moved = Prescription.of(body.node.point, path + breathing, (0, 0, 1), turn, "plate")
    return Scheme(system, system.reference_state()), moved


def iterates(scheme: Scheme, moved: Prescription) -> Iterator[Array]:
    """The unknowns of the measured steps; the plate is positioned directly, without an equilibrium."""
    system, work = scheme.system, scheme.workspace
    put = PrescribedMotions([moved]).tasks(work)
    for step in range(SETTLING + MEASURED):
        y = scheme.begin((step + 1) * DT)
        for task in put:
            task()
        pack(work.x, system.equation, y)
        pack(work.multipliers, system.constraint_equation, y)
        scheme.residual(y, np.empty_like(y))
        if step >= SETTLING and step % STRIDE == 0:
            yield y
        scheme.accept(scheme.ledger())


def measure(motion: str, normal: Any, friction: Any, points: int, repeats: int) -> Cost:
    """Microseconds of one evaluation with ``points`` contacts, mean over the motion."""
    scheme, moved = plate(motion, normal, friction, points)
    residuals, tangents = [], []
    for y in iterates(scheme, moved):
        out = np.empty_like(y)
        residuals.append(fastest(lambda y=y, out=out: scheme.residual(y, out), repeats))  # type: ignore[misc]
        tangents.append(fastest(scheme.tangent, max(repeats // 4, 1)))
        scheme.residual(y, out)  # the first residual after a tangent does more work
    return Cost(1e6 * float(np.mean(residuals)), 1e6 * float(np.mean(tangents)))


def fastest(call: Callable[[], Any], repeats: int) -> float:
    """Seconds of the fastest of ``repeats`` calls."""
    best = np.inf
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def run(settings: Settings) -> Report:
    """All friction laws on a linear spring, then all normal laws without friction."""
    points, repeats = (5, 1) if settings.quick else (POINTS, 8 * settings.repeats)
    motions = ("reversing",) if settings.quick else tuple(MOTIONS)
    spring, smooth = f.Linear(1e6), f.Frictionless()

    def share(motion: str, normal: Any, friction: Any) -> Cost:
        """Of one contact, microseconds."""
        with_them = measure(motion, normal, friction, points, repeats)
        return Cost(*((a - b) / points for a, b in zip(with_them, bare[motion], strict=True)))

    bare = {motion: measure(motion, spring, smooth, 0, repeats) for motion in motions}
    base = {motion: share(motion, spring, smooth) for motion in motions}
    report = Report("law_cost", "Cost of a contact", __doc__.split("\n\n", 1)[1] if __doc__ else "")
    for title, pairs in (
        ("Friction laws", [(name, spring, law) for name, law in friction_laws()]),
        ("Normal laws", [(type(law).__name__, law, smooth) for law in normal_laws()]),
    ):
        rows = []
        for name, normal, friction in pairs:
            found = {motion: share(motion, normal, friction) for motion in motions}
            worst = max(found, key=lambda motion: found[motion].residual)
            rows.append(row(name, friction, worst, found[worst], base[worst]))
        report.tables.append(Table(title, COLUMNS, rows, TIMED, keys=2))
        report.goals += goals(title, rows)
    return report


def row(name: str, friction: Any, motion: str, cost: Cost, base: Cost) -> tuple[str | float | int, ...]:
    """A row of the tables."""
    states = int(state_count(friction.record()[()]))
    return (
        name, states, motion, cost.residual - base.residual, cost.residual, cost.residual / base.residual,
        cost.tangent - base.tangent, cost.tangent,
    )  # fmt: skip


def goals(title: str, rows: list[tuple[Any, ...]]) -> list[Goal]:
    """The most expensive law without and with states."""
    found = []
    for name, bound, dynamic in (("static", STATIC, False), ("dynamic", DYNAMIC, True)):
        mine = [r for r in rows if (r[1] > 0) == dynamic]
        if mine:
            dearest = max(mine, key=lambda r: r[CONTACT])
            found.append(
                Goal(
                    f"{title}, {name}: microseconds of a contact with the dearest, {dearest[0]}",
                    dearest[CONTACT],
                    bound,
                    True,
                )
            )
    return found
