"""Small motions of a turbine in the shapes of its ElastoDyn files: what ElastoDyn's few degrees of freedom leave.

ElastoDyn bends tower and blades in the polynomials of its files: two shapes of the tower in each direction, two flap
and one edge shape of a blade, whose curvature lies in the twisted sections. The matrices of the whole structure, seen
in these shapes alone (Rayleigh, Ritz), have its frequencies, where the elements' own motions are free to be lower.
"""

from pathlib import Path

import numpy as np
from scipy.integrate import cumulative_trapezoid
from scipy.linalg import eigh

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.node import Node
from fem_mbd.machines import MachineFamily
from fem_mbd.machines.readers.openfast.deck import Deck

POWERS = np.arange(2, 7)
X, Y, Z = np.eye(3)
FINE = np.linspace(0.0, 1.0, 4001)


def polynomial(deck: Deck, name: str) -> Array:
    """(5,) coefficients of x^2 … x^6."""
    return np.array([deck.number(f"{name}({p})") for p in POWERS])


def ritz_frequencies(
    family: MachineFamily, tower: Path, blade: Path, generator: float = 0.0, gear: float = 1.0
) -> Array:
    """Hz, ascending, at standstill, of a turbine of three blades with a drivetrain that twists.

    Parameters
    ----------
    family : its linear models
    tower, blade : the files that have the shapes
    generator, gear : kg m^2 of the generator as the rotor feels it, and the ratio of the gearbox that carries it with
        the nacelle: J (q' + r'/N)^2/2, q its turn against the nacelle and r the nacelle's about the shaft, takes the
        place of J (q' + r')^2/2 (a gearbox of ratio 1)
    """
    linear = family.at(0.0)
    nodes = {node.index: node for handle in family.assembly.beams.values() for node in handle.nodes}
    columns = []
    for field in _fields(family, Deck(tower, "tower"), Deck(blade, "blade")):
        motion = np.zeros((linear.system.workspace.n, 6))
        for node in nodes.values():
            moved, turned = field(node)
            # unknowns are those of the mass centre, turns in node axes
            arm = node.rotation @ linear.system.workspace.centre[node.index]
            motion[node.index] = np.concatenate([moved + np.cross(turned, arm), node.rotation.T @ turned])
        columns.append(motion[~linear.system.fixed])
    shapes = np.stack(columns, axis=1)
    stiffness, mass = (shapes.T @ (m @ shapes) for m in (linear.stiffness, linear.mass))
    mass = mass + generator * _geared(family, columns, gear)
    values = eigh(0.5 * (stiffness + stiffness.T), 0.5 * (mass + mass.T), eigvals_only=True)
    return np.sqrt(np.abs(values)) / (2 * np.pi)


def _geared(family: MachineFamily, columns: list[Array], gear: float) -> Array:
    """What a gearbox changes of the mass matrix, for a unit of the generator's inertia."""
    made, linear = family.assembly, family.at(0.0)
    rows = np.cumsum(~linear.system.fixed.reshape(-1)) - 1

    def about_shaft(node: Node) -> Array:
        at = rows[6 * node.index + 3 : 6 * node.index + 6]
        return np.array([made.rotor.axis @ node.rotation @ column[at] for column in columns])

    turned, carried = about_shaft(made.beams["shaft"].start), about_shaft(made.beams["nacelle"].end)
    geared = turned - carried + carried / gear
    return np.outer(geared, geared) - np.outer(turned, turned)


def _fields(family: MachineFamily, tower: Deck, blade: Deck):
    """Each a function of a node: displacement and turn (3,) by a unit of one degree of freedom, global axes."""
    made = family.assembly
    places = {node.index: name for name, handle in made.beams.items() for node in handle.nodes}
    above = {"nacelle", "shaft", "hub1", "hub2", "hub3", "blade1", "blade2", "blade3"}
    for kind, name in (("FA", "TwFAM1Sh"), ("FA", "TwFAM2Sh"), ("SS", "TwSSM1Sh"), ("SS", "TwSSM2Sh")):
        yield _tower_field(made, places, above, polynomial(tower, name), X if kind == "FA" else Y)
    axis, point = made.rotor.axis, made.rotor.point
    turning = {node.index for node in made.rotor.nodes}
    generator = made.beams["shaft"].start.index
    length = np.linalg.norm(made.beams["shaft"].end.position - made.beams["shaft"].start.position)

    def whole(node: Node) -> tuple[Array, Array]:
        share = float(node.index in turning)
        return share * np.cross(axis, node.position - point), share * axis

    def twist(node: Node) -> tuple[Array, Array]:
        share = float(node.index in turning and node.index != generator)
        if places[node.index] == "shaft":
            share = float(np.linalg.norm(node.position - made.beams["shaft"].start.position) / length)
        return share * np.cross(axis, node.position - point), share * axis

    yield whole
    yield twist
    for k in (1, 2, 3):
        for name, section in (("BldFl1Sh", 0), ("BldFl2Sh", 0), ("BldEdgSh", 1)):
            yield _blade_field(made, places, f"blade{k}", polynomial(blade, name), section)


def _tower_field(made, places, above, c, direction):
    handle = made.beams["tower"]
    foot, top = handle.start.position, handle.end.position
    height = top[2] - foot[2]
    turn = np.cross(Z, direction)

    def shape(x: float) -> tuple[float, float]:
        return float(c @ x**POWERS), float((c * POWERS) @ x ** (POWERS - 1)) / height

    def field(node: Node) -> tuple[Array, Array]:
        if places[node.index] == "tower":
            moved, slope = shape((node.position[2] - foot[2]) / height)
            return moved * direction, slope * turn
        moved, slope = shape(1.0)
        return moved * direction + np.cross(slope * turn, node.position - top), slope * turn

    return field


def _blade_field(made, places, name, c, section):
    handle, frame = made.beams[name], made.frames[name]
    blade = made.machine.member(name).blade
    length = blade.length
    # curvature in the twisted section's x' (flap) or y' (edge), integrated twice
    stations = np.asarray(blade.sections.s)
    angles = np.interp(FINE, stations, [np.arctan2(*blade.axis.at(float(s))[1][[1, 0], 1]) for s in stations])
    across = (np.cos(angles), np.sin(angles)) if section == 0 else (-np.sin(angles), np.cos(angles))
    bent = ((c * POWERS * (POWERS - 1)) * FINE[:, None] ** (POWERS - 2)).sum(axis=1) / length**2
    curvature = np.stack([bent * across[0], bent * across[1]], axis=1)
    slope = cumulative_trapezoid(curvature, FINE * length, axis=0, initial=0.0)
    moved = cumulative_trapezoid(slope, FINE * length, axis=0, initial=0.0)
    own = {node.index for node in handle.nodes}

    def field(node: Node) -> tuple[Array, Array]:
        if node.index not in own:
            return np.zeros(3), np.zeros(3)
        at = float((frame.rotation.T @ (node.position - frame.origin))[2]) / length
        w, dw = (np.array([np.interp(at, FINE, a[:, i]) for i in (0, 1)]) for a in (moved, slope))
        local = np.array([w[0], w[1], 0.0]), np.array([-dw[1], dw[0], 0.0])
        return frame.rotation @ local[0], frame.rotation @ local[1]

    return field
