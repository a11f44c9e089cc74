"""Random chains of bodies and beams in random joints, built in a frame: the same mechanism for the same seed."""

from typing import Any

import numpy as np

import fem_mbd as fm
from fem_mbd.core.rotations import triad_with_third
from fem_mbd.elements import Beam, Force, Material, RigidBody, Section, SpringDamper
from fem_mbd.friction import Linear, LuGre
from fem_mbd.joints import (
    Clamp,
    Cylindrical,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    SphericalClearance,
    Universal,
)
from tests.symmetry.frames import Frame

JOINTS = ("clamp", "spherical", "revolute", "universal", "cylindrical", "prismatic", "planar", "clearance")


def chain(frame: Frame, seed: int) -> tuple[fm.Model, tuple[str, ...], float]:
    """Three to five members from the ground on, in gravity and motion, with a spring and a force."""
    random = np.random.default_rng(seed)
    model = fm.Model(gravity=frame.arrow(0, 0, -9.81, m=1, s=-2))
    before: Any = frame.ground(model).at_global(frame.place(0, 0, 0))
    start, nodes, names = np.zeros(3), [], []
    for k in range(int(random.integers(3, 6))):
        end = start + random.normal(size=3)
        first, last = _member(model, frame, random, (start, end), f"m{k}")
        _joint(model, frame, random, (before, first, start), f"j{k}")
        nodes += [first] if first is last else [first, last]
        names.append(last.name if first is not last else f"m{k}")
        before, start = last, end
    hook = frame.ground(model).at_global(frame.place(3, 1, 2))
    model.add(
        SpringDamper(hook, nodes[-1], frame.of(50.0, kg=1, s=-2), frame.of(0.5, kg=1, s=-1), name="spring")
    )
    model.add(Force(nodes[0], frame.arrow(*random.normal(size=3), kg=1, m=1, s=-2)))
    return model, tuple(names), frame.of(0.05, s=1)


def _member(model: fm.Model, frame: Frame, random: Any, ends: Any, name: str) -> tuple[Any, Any]:
    start, end = ends
    length, radius = float(np.linalg.norm(end - start)), float(random.uniform(0.01, 0.03))
    if random.random() < 0.5:
        mass, moments = float(random.uniform(0.5, 2.0)), np.sort(random.uniform(0.8, 1.2, 3)) * length**2 / 12
        body = model.add(
            RigidBody(
                frame.of(mass, kg=1), frame.inertia(*(mass * moments)), position=frame.place(*(0.5 * (start + end))),
                name=name,
            )
        )  # fmt: skip
        return body.node, body.node
    stuff = Material(
        frame.of(10.0 ** random.uniform(9, 11), kg=1, m=-1, s=-2), 0.3, frame.of(2e3, kg=1, m=-3)
    )
    beam = model.add(
        Beam(
            Section.circle(frame.of(radius, m=1), stuff), frame.place(*start), frame.place(*end),
            up=frame.arrow(*triad_with_third(end - start)[:, 0]), elements=int(random.integers(1, 3)),
            order=int(random.integers(2, 5)), damping=frame.of(1e-4, s=1), name=name,
        )
    )  # fmt: skip
    return beam.start, beam.end


def _joint(model: fm.Model, frame: Frame, random: Any, where: Any, name: str) -> None:
    k, l, place = where
    kind, direction = JOINTS[int(random.integers(len(JOINTS)))], random.normal(size=3)
    axes, at = triad_with_third(direction), frame.place(*place)
    if kind == "universal":
        on_k, on_l = frame.axial(*axes[:, 0]), frame.axial(*axes[:, 1])
        model.add(Universal(k, l, at=at, name=name, axis_k=on_k, axis_l=on_l))
    elif kind == "clearance":
        law = LuGre(sigma_0=frame.of(1e4, m=-1), mu_s=0.2, mu_k=0.15, v_s=frame.of(1e-2, m=1, s=-1))
        socket, ball = (one if hasattr(one, "offset") else one.at_global(at) for one in (k, l))
        outer, inner = frame.of(0.02, m=1), frame.of(0.0195, m=1)
        wall = Linear(frame.of(1e5, kg=1, s=-2))
        model.add(SphericalClearance(socket, ball, outer, inner, wall, law, name=name))
    elif kind in ("clamp", "spherical"):
        model.add({"clamp": Clamp, "spherical": Spherical}[kind](k, l, at=at, name=name))
    elif kind == "planar":
        model.add(Planar(k, l, at=at, direction=frame.arrow(*direction), name=name))
    else:
        joint = {"revolute": Revolute, "cylindrical": Cylindrical, "prismatic": Prismatic}[kind]
        model.add(joint(k, l, at=at, axis=frame.arrow(*direction), name=name))
