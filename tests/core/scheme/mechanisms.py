"""Random mechanisms with joints, clearances, loops and extreme steps, and checks that every run must pass.

    python -m tests.core.scheme.mechanisms 0 1000

runs those with seeds 0 to 999 and prints the ones that fail.
"""

import re
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fem_mbd import FemMbdError, InputError, Model, Node, Simulation, StepControl, joints
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_from_vector, triad_with_third
from fem_mbd.core.scheme.ledger import DISSIPATIONS
from fem_mbd.elements import Beam, Force, Material, RigidBody, Section, SpringDamper
from fem_mbd.friction import Linear
from tests.core.scheme.mechanism_laws import choices
from tests.core.scheme_tools import column, worst_residual

BOUND, MOMENTUM = 1e-11, 1e-9  # of the energy scale and of the length; of the momentum
MAX_ITERATIONS = 30_000  # of Newton, for some 30 steps that were asked for: then it must be seen to get on
GOT_ON, REJECTED = 0.1, 0.25  # share of its time by then, rejections over steps: less and more are a hang
IDEAL = {
    name.lower(): getattr(joints, name)
    for name in ("Clamp", "Spherical", "Revolute", "Cylindrical", "Prismatic", "Planar", "Universal")
}
LOOSE = {
    "ball": joints.SphericalClearance,
    "pin": joints.PlanarClearance,
    "disk": joints.SpatialClearance,
    "journal": joints.JournalBearing,
}


@dataclass
class Mechanism:
    """One of them: its model, its step (s), how many steps, what it is made of, laws to draw from."""

    model: Model
    dt: float
    steps: int
    parts: list[str] = field(default_factory=list)
    friction: list[Any] = field(default_factory=list)
    normal: list[Any] = field(default_factory=list)
    isolated: bool = False  # nothing but its weight acts from outside


def join(
    rng: np.random.Generator, made: Mechanism, k: Node, l: Node, at: Array, size: float, kinds: list[str]
) -> None:
    """A random joint of one of the kinds between two nodes at a place (3,)."""
    kind, direction = str(rng.choice(kinds)), rng.normal(size=3)
    made.parts.append(kind)
    if kind in LOOSE:
        made.model.add(loose(rng, made, kind, k, l, at, size, direction))
        return
    axes: dict[str, Any] = {} if kind in ("clamp", "spherical") else {"axis": direction}
    if kind == "planar":
        axes = {"direction": direction}
    if kind == "universal":
        triad = triad_with_third(direction)
        axes = {"axis_k": triad[:, 0], "axis_l": triad[:, 1]}
    made.model.add(IDEAL[kind](k, l, at=at, **axes))


def loose(
    rng: np.random.Generator,
    made: Mechanism,
    kind: str,
    k: Node,
    l: Node,
    at: Array,
    size: float,
    direction: Array,
) -> Any:
    """A joint with a clearance of a thousandth of the size, any friction law or none, any law of the normal force."""
    radius = 0.02 * size
    normal = Linear(10 ** rng.uniform(3, 8))
    if rng.random() < 0.5:
        normal = made.normal[rng.integers(len(made.normal))]
    laws = {"normal": normal}
    if rng.random() < 0.8:
        laws["friction"] = made.friction[rng.integers(len(made.friction))]
    made.parts.append("/".join(type(law).__name__ for law in laws.values()))
    axis = {} if kind == "ball" else {"axis": direction}
    length = (radius,) if kind == "journal" else ()
    return LOOSE[kind](k.at_global(at), l.at_global(at), radius, 0.95 * radius, *length, **axis, **laws)


def link(
    rng: np.random.Generator, made: Mechanism, start: Array, end: Array
) -> tuple[Node, Node, list[Node]]:
    """A body or a beam from one place to another: its nodes at both, and all of them."""
    length = float(np.linalg.norm(end - start))
    if rng.random() < 0.5:
        mass = 10 ** rng.uniform(2, 4) * (0.05 * length) ** 2 * length
        inertia = mass * length**2 / 12 * rng.uniform(0.8, 1.2, 3)
        turn = rotation_from_vector(rng.normal(size=3))
        centre = 0.1 * length * rng.normal(size=3) * (rng.random() < 0.4)
        node = made.model.add(
            RigidBody(mass, inertia, 0.5 * (start + end), rotation=turn, centre=centre)
        ).node
        made.parts.append("body")
        return node, node, [node]
    material = Material(10 ** rng.uniform(6, 11.3), rng.uniform(0, 0.45), 10 ** rng.uniform(2.5, 4))
    section = Section.circle(length * 10 ** rng.uniform(-2.5, -1), material)
    order, elements = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    damping = float(rng.choice([0.0, 0.0, 1e-4, 1e-2]))
    beam = made.model.add(Beam(section, start, end, elements=elements, order=order, damping=damping))
    made.parts.append(f"beam {order}x{elements}")
    return beam.start, beam.end, list(beam.nodes)


def mechanism(seed: int) -> Mechanism:
    """The mechanism of a seed."""
    rng = np.random.default_rng([seed, 77])
    size = 10 ** rng.uniform(-2, 2) if rng.random() < 0.3 else 1.0
    gravity = (0, 0, -9.81) if rng.random() < 0.6 else (0, 0, 0)
    model = Model(gravity, name=f"mechanism {seed}", allow_redundant=bool(rng.random() < 0.5))
    dt = 10 ** (rng.uniform(-6, -2) if rng.random() < 0.85 else rng.uniform(-2, 1.6))
    friction, normal = choices(seed)
    made = Mechanism(model, float(dt), int(rng.integers(10, 31)), friction=friction, normal=normal)
    ends: list[tuple[Node, Array]] = [(model.ground, np.zeros(3))]
    grounded, moving = rng.random() < 0.7, list[Node]()
    for k in range(int(rng.integers(1, 5))):
        before, place = ends[int(rng.integers(len(ends)))] if grounded else ends[-1]
        end = place + size * rng.normal(size=3)
        first, last, nodes = link(rng, made, place, end)
        if grounded or k > 0:
            join(rng, made, before, first, place, size, [*IDEAL, *LOOSE])
        ends.append((last, end))
        moving += nodes
    if rng.random() < 0.3 and grounded:
        made.parts.append("loop")
        join(rng, made, model.ground, ends[-1][0], ends[-1][1], size, [*IDEAL, "ball"])
    made.isolated = not grounded
    if rng.random() < 0.3:
        made.isolated = False
        push, rate = size**3 * rng.normal(size=3) * 10 ** rng.uniform(-1, 3), rng.uniform(0.1, 50)
        model.add(Force(moving[-1], lambda t: push * np.sin(rate * t), follower=bool(rng.random() < 0.5)))
    if rng.random() < 0.2:
        made.isolated = False
        model.add(
            SpringDamper(
                model.ground.at(size * np.array([3, 1, 2])), moving[-1], 50 * size, rng.choice([0, 0.1])
            )
        )
    if rng.random() < 0.7 or not grounded:
        model.set_velocity(moving, size * rng.normal(size=3), 2 * rng.normal(size=3), about=(0, 0, 0))
    return made


def faults(made: Mechanism) -> tuple[list[str], Simulation]:
    """What went wrong with a run of the mechanism, and the run."""
    sim = Simulation(made.model, made.steps * made.dt, StepControl.fixed(made.dt))
    workspace, momentum = sim.scheme.workspace, sim.scheme.workspace.mass @ sim.state.v
    rows, round_off, found, gap, slip, way = [], list[float](), list[str](), 0.0, 0.0, 0.0
    for record in sim.steps():
        rows.append(record.energy)
        round_off.append(record.round_off)
        broken, speed = np.abs(sim.scheme.workspace.constraints), float(np.abs(sim.state.v).max())
        gap = max(gap, float(broken[:, 0].max(initial=0.0)))
        slip, way = max(slip, float(broken[:, 1].max(initial=0.0))), max(way, speed * record.dt)
        if sim.counters["newton_iterations"] > MAX_ITERATIONS:
            # steps of many turns were asked for, and the motion needs thousands of smaller ones: that is no hang
            share, rejected = sim.state.time / sim.end_time, sim.counters["rejected"]
            if share < GOT_ON or rejected > REJECTED * len(rows):
                found.append(f"hangs at {share:.2f} of its time: {rejected} rejected in {len(rows)} steps")
            break
    ledger = np.array(rows)
    if not np.isfinite(ledger).all():
        return ["an energy that is not finite"], sim
    explained = np.maximum(BOUND * sim.energy_scale, round_off)
    if (np.abs(column(ledger, "residual")) > explained).any():
        found.append(f"residual {worst_residual(sim, ledger):.1e} of {sim.energy_scale:.1e} J")
    if (column(ledger, DISSIPATIONS[0]) < -explained).any():
        found.append("the scheme makes energy")
    reach = max(float(np.abs(sim.state.u).max()), sim.system.length, 1.0)
    if gap > BOUND * reach:
        found.append(f"joint open by {gap:.1e} of {reach:.1e}")
    # in lengths of a step: one of many seconds goes far, and round-off with it
    if slip > BOUND * max(reach, way):
        found.append(f"joint's velocities times the step off by {slip:.1e} of {max(reach, way):.1e}")
    expected = momentum + workspace.mass.sum() * sim.state.time * workspace.gravity
    off = float(np.abs(workspace.mass @ sim.state.v - expected).max())
    if (
        made.isolated
        and off > MOMENTUM * (workspace.mass @ np.abs(sim.state.v)).max() + MOMENTUM * np.abs(expected).max()
    ):
        found.append(f"momentum off by {off:.1e} N s")
    if max(float(np.abs(r.T @ r - np.eye(3)).max()) for r in sim.state.r) > 1e-12:
        found.append("a rotation is none")
    return found, sim


def cause(sentence: str) -> str:
    """The kind of a fault or of the reason of a failure: its words without numbers and names."""
    for words in (
        "degrees in its cylinder",
        "attempts have failed since",
        "line search found no smaller",
        "hangs",
    ):
        if words in sentence:
            return words
    kind = re.split(r"[:;]|\d", sentence.split(" s: ", 1)[-1], maxsplit=1)[0]
    return kind.strip()


def survey(first: int, last: int) -> None:
    """Run the mechanisms of a range of seeds and print those with faults, then how many there were of which kind."""
    counts: Counter[str] = Counter()
    for seed in range(first, last):
        began, made = time.perf_counter(), None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                made = mechanism(seed)
                found, sim = faults(made)
                outcome = "faults" if found else "fine"
                counts["steps"] += sim.counters["steps"]
            except InputError:
                outcome, found = "refused", []
            except FemMbdError as error:
                outcome, found = "gave up", [str(error)]
            except Exception as error:  # a traceback is a find too, and the survey goes on
                outcome, found = "broke", [repr(error)]
        counts[outcome] += 1
        counts.update(f"{outcome}: {cause(sentence)}" for sentence in found)
        seconds = time.perf_counter() - began
        if found or seconds > 20:
            parts = f"dt {made.dt:.1e}, {', '.join(made.parts)}" if made else ""
            print(f"{seed}: {outcome} {found} after {seconds:.1f} s ({parts})", flush=True)
        if (seed + 1) % 20 == 0:
            print(f"until {seed}: {dict(counts)}", flush=True)


if __name__ == "__main__":
    survey(int(sys.argv[1]), int(sys.argv[2]))
