"""Program that `test_without_petsc` runs with petsc4py hidden: short runs, an equilibrium, modes, a resumed run.

Arguments: the file (.npz) for the results; "blocked" to make every import of petsc4py fail.
"""

import os
import signal
import sys
import tempfile
import warnings
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd import FemMbdWarning, Model, Simulation, StepControl, find_equilibrium, modes, resume, run
from fem_mbd.base.arrays import Array
from fem_mbd.case_parameters import fill
from fem_mbd.cases import load_case
from fem_mbd.elements import Beam, Force, Section
from fem_mbd.joints import Revolute

# name: case, its parameters, steps
RUNS: dict[str, tuple[str, list[str], int]] = {
    "pendulum": ("pendulum", [], 20),
    "crank": ("crank_mechanism", ["case=1"], 10),
    "crank with clearance": ("crank_mechanism", ["case=2"], 30),
    "rotor": ("supercritical_rotor", [], 20),
    "turbine blades": ("turbine_blades", [], 6),
    "lattice": ("lattice", ["cells=5"], 6),
}
BALANCE, CLOSED = 1e-11, 1e-11  # of the run's energies; m or rad


class Blocker:
    """An import hook that hides petsc4py."""

    def find_spec(self, name: str, *_: Any) -> None:
        if name.partition(".")[0] == "petsc4py":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def stepped(case: str, parameters: list[str], steps: int) -> dict[str, Array]:
    """The motion after some steps, with checks of the energy balance and the joints in each."""
    found = load_case(case)
    sim = found.build(fill(found.parameters, None, parameters, "--set"))
    assert isinstance(sim, Simulation)
    start = sim.state.u.copy()
    for record in islice(sim.steps(), steps):
        assert abs(record.energy[-1]) <= BALANCE * sim.energy_scale + record.round_off
        assert np.abs(sim.system.workspace.constraints[:, 0]).max(initial=0.0) <= CLOSED
    state = sim.state
    return {"displacement": state.u - start, "rotation": state.r, "velocity": state.v, "spin": state.omega}


def hung_beam() -> Model:
    """A flexible beam on a hinge with a force at its tip."""
    model = Model(gravity=(0, 0, -9.81))
    section = Section(np.diag([1e6, 1e6, 1e6, 1e3, 1e3, 1e3]), 1.0, np.diag([20.0, 10.0, 10.0]))
    beam = model.add(Beam(section, (0, 0, 0), (0, 0, -2), elements=3, up=(1, 0, 0)))
    model.add(Revolute(model.ground, beam.start, axis=(0, 1, 0)))
    model.add(Force(beam.end, (20.0, 0.0, 0.0)))
    return model


def resumed(folder: Path) -> tuple[Array, Array]:
    """Positions in a run, and in one that SIGINT has ended halfway and that was resumed."""
    interrupted: list[float] = []

    def build(stop: bool) -> Simulation:
        model = hung_beam()
        ready: list[Simulation] = []  # the function is sampled for its jumps while the simulation is set up

        def force(t: float) -> tuple[float, float, float]:
            if t > 0.05 and stop and ready and not interrupted:
                interrupted.append(t)
                os.kill(os.getpid(), signal.SIGINT)
            return (0.0, 0.0, 10.0 * t)

        model.add(Force(model.parts[0].end, force))
        ready.append(Simulation(model, 0.1, StepControl.fixed(2e-3)))
        return ready[0]

    whole = run(build(False), checkpoint_every=5, progress=False)
    assert (
        run(build(True), file=folder / "results.h5", checkpoint_every=5, progress=False).status != "complete"
    )
    rest = resume(folder / "results.h5", build(False), progress=False)
    assert rest.status == "complete"
    return whole.outputs["position"], rest.outputs["position"]


def main(file: str) -> None:
    """Write the results."""
    runs = {name: stepped(*words) for name, words in RUNS.items()}
    found: dict[str, Any] = {
        f"{name}: {what}": array for name, motion in runs.items() for what, array in motion.items()
    }
    found["equilibrium"] = find_equilibrium(hung_beam()).state.u
    found["modes"] = np.sort(np.abs(modes(hung_beam(), 6).eigenvalues))
    with tempfile.TemporaryDirectory() as folder:
        found["whole"], found["resumed"] = resumed(Path(folder))
    found["petsc"] = "petsc4py" in sys.modules
    np.savez(file, **found)


if __name__ == "__main__":
    warnings.simplefilter("ignore", FemMbdWarning)  # of laws and rules of the cases
    if "blocked" in sys.argv:
        sys.meta_path.insert(0, Blocker())
    main(sys.argv[1])
