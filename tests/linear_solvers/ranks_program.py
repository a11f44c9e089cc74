"""What `test_ranks` starts by mpiexec: runs alone and runs that all ranks share, and how far apart they end."""

from __future__ import annotations

import json
import sys

import numpy as np

from fem_mbd import Model, NewtonOptions, PrescribedMotion, Simulation, StepControl
from fem_mbd.cases.lattice.grid import build_model, strike
from fem_mbd.cases.lattice.parameters import Parameters
from fem_mbd.elements import Beam, RigidBody, Section
from fem_mbd.friction import Linear
from fem_mbd.joints import PointOnPlane, Revolute
from fem_mbd.linear_solvers.petsc import rank_of


def section() -> Section:
    return Section(np.diag([1e5, 5e4, 5e4, 10.0, 10.0, 10.0]), 1.0, np.diag([2e-2, 1e-2, 1e-2]))


def chain() -> Model:
    """A limp beam of elements with three nodes, hinged at one end, with a weight at the other."""
    model = Model(gravity=(0, -9.81, 0), name="chain")
    beam = model.add(Beam(section(), (0, 0, 0), (10, 0, 0), elements=12, order=3))
    weight = model.add(RigidBody(1.0, (0.1, 0.1, 0.1), (10, 0, 0))).node
    model.add(Revolute(model.ground, beam.start, at=(0, 0, 0), axis=(0, 0, 1)))
    model.add(Revolute(beam.end, weight, at=(10, 0, 0), axis=(0, 0, 1)))
    return model


def shaken() -> Model:
    """A beam whose one end is moved in a given way and whose other one strikes a plane."""
    model = Model(gravity=(0, -9.81, 0), name="shaken")
    beam = model.add(Beam(section(), (0, 0, 0), (10, 0, 0), elements=20, order=2))
    model.add(PrescribedMotion(beam.start, lambda t: np.array([0.0, 0.1 * (np.cos(20.0 * t) - 1.0), 0.0])))
    model.add(PointOnPlane(model.ground.at((0, -0.02, 0)), beam.end, Linear(1e4), direction=(0, 1, 0)))
    return model


def lattice() -> Model:
    """Swings of a centimetre, far above the round-off of places in a step."""
    p = Parameters(cells=4, order=2, amplitude=1e-2)
    model, _ = build_model(p)
    strike(model, p)
    return model


MODELS = {"chain": chain, "shaken": shaken, "lattice": lattice}


def end(model: Model, options: NewtonOptions) -> tuple[np.ndarray, ...]:
    """Places, rotations, velocities after twenty steps, and the energies of all of them."""
    sim = Simulation(model, StepControl.fixed(5e-3), 0.1, options)
    rows = np.array([record.energy for record in sim.steps()])
    return sim.state.u, sim.state.r, sim.state.v, sim.state.omega, rows


def apart(a: tuple[np.ndarray, ...], b: tuple[np.ndarray, ...]) -> float:
    """Largest difference, relative to the largest number of each kind."""
    return max(float(np.abs(x - y).max() / np.abs(x).max()) for x, y in zip(a, b, strict=True))


def main() -> None:
    rank, ranks = rank_of()
    found = {}
    for name, build in MODELS.items():
        for reuse in (False, True):
            alone = end(build(), NewtonOptions(reuse=reuse))
            for compiled in (True, False):
                shared = end(build(), NewtonOptions(reuse=reuse, compiled=compiled, ranks=ranks))
                found[f"{name}, reuse {reuse}, compiled {compiled}"] = apart(alone, shared)
    if rank == 0:
        sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
