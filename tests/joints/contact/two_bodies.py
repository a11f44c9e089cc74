"""Two free bodies in general position and a step with a closed contact of any kind between them."""

from typing import Any, Protocol

import numpy as np

from fem_mbd import Model, Node, Simulation
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements import RigidBody
from fem_mbd.friction import LuGre
from fem_mbd.joints.contact.contact_kind import ContactKind
from tests.core.scheme_tools import simulation

PLACE = np.array([0.4, 0.1, -0.2])  # of the contact, or of a joint on K
FRICTION = LuGre(sigma_0=1e5, sigma_1=5e-3, sigma_2=0.01, mu_s=0.4, mu_k=0.3, v_s=0.02)


class Setting(Protocol):
    """Model and bristles of a closed contact."""

    @property
    def frame(self) -> Array:
        """A rotation (3, 3) of the model."""

    def model(self, ground: bool = False) -> Model:
        """Two bodies in contact, the first one fixed or free."""

    def bristles(self, sim: Simulation, rng: np.random.Generator) -> Any:
        """Loaded bristles (contacts, 3) as stored by contacts, about 1e-6 m."""


def two_bodies(
    model: Model, ground: bool = False, turn: Array | None = None, l_first: bool = False
) -> tuple[Node, Node]:
    """Nodes K and L; mass centres and contact are eccentric. ``l_first``: L is the model's first body."""
    turn = np.eye(3) if turn is None else turn
    at_k, at_l = turn @ rotation_about((1, 2, 3), 0.7), turn @ rotation_about((1, -2, 1), 1.4)
    k = RigidBody(2.0, (0.03, 0.04, 0.05), turn @ (0.1, 0.2, 0), rotation=at_k, centre=(0.1, 0, 0.05))
    l = RigidBody(1.0, (0.02, 0.025, 0.03), turn @ (0.7, 0.2, 0.1), rotation=at_l, centre=(0, 0.2, 0.05))
    nodes = (
        (model.add(l).node, model.add(k).node)[::-1] if l_first else (model.add(k).node, model.add(l).node)
    )
    if ground:
        model.fix(nodes[0])
    return nodes


def contacts(sim: Simulation) -> ContactKind:
    return next(kind for kind in sim.system.kinds if isinstance(kind, ContactKind))


def closed_step(
    setting: Setting, dt: float, seed: int = 0, speed: float = 0.1, ground: bool = False
) -> tuple[Simulation, Array, ContactKind]:
    """A step with random velocities and loaded bristles, evaluated at unknowns off its predictor."""
    rng, turn = np.random.default_rng(seed), setting.frame
    sim = simulation(setting.model(ground), dt)
    free = ~sim.system.fixed
    sim.state.v[:] = np.where(free[:, :3], speed * (rng.normal(size=(3, 3)) @ turn.T), 0.0)
    sim.state.omega[:] = np.where(free[:, 3:], speed * rng.normal(size=(3, 3)), 0.0)
    kind = contacts(sim)
    kind.history["bristles"][:, 0] = setting.bristles(sim, rng)
    kind.history["normal_force"] = 3.0
    y = sim.scheme.begin(dt)
    offset = rng.normal(size=(sim.scheme.workspace.n, 4, 3))
    offset[:, (0, 2)] = offset[:, (0, 2)] @ turn.T
    equation = sim.system.equation
    y[equation[equation >= 0]] += (0.1 * speed * dt * offset).reshape(-1, 12)[equation >= 0]
    sim.scheme.residual(y, np.empty_like(y))
    return sim, y, kind


def restarted(sim: Simulation) -> Simulation:
    """The same run, initialised with the velocities of its state."""
    sim.scheme.load_state()
    sim.scheme.energy = sim.scheme._initial_energy()
    return sim
