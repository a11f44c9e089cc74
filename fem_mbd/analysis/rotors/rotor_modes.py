"""Names of the modes of a machine with a rotor (tower fore-aft, flap backward, …), by the parts that move most.

Of a mode's motion in multi-blade coordinates the mass-weighted squares of these parts are compared (`content`): the
hub's displacement, along the wind and across it, with the mass of the rotor and of the fixed parts; and the blades'
displacements relative to the hub's motion, flapwise, edgewise and in torsion, collective, forward (with the rotation)
and backward. Forward and backward are the parts (a + i b)/sqrt(2) and (a - i b)/sqrt(2) of a cosine and a sine
coordinate, motion as exp(i omega t). Where neither dominates, as at standstill, the larger of the two coordinates names
the mode: cosine moves the upright blade (flap: tilt; edge: horizontal), sine the level ones (flap: yaw; edge:
vertical). Modes of the same name are numbered by frequency (`numbered`).

A rotor that turns about its shaft relative to its carrier moves its blades collectively edgewise, however stiff they
are: of its rotation about the axis and that relative to the carrier the smaller one counts, with the rotor's moment of
inertia (on a free shaft a rolling tower does not turn it, on a stiff one it turns with the tower). The first
collective edge mode, with the shaft free or held, over-damped or not, is that of the drivetrain.

Motions without oscillation are called over-damped where they decay, growing where they grow. In some of them almost no
mass moves: inner nodes of a shaft that is a spring and a damper creep to their equilibrium.

`kinds_of` chooses the kind of each mode (flap backward, tower fore-aft, …) from these shares of its motion, also where
two shares are nearly equal.

Where modes of two kinds are close in frequency, both may have the largest share in the same kind, as the collective
and forward flap modes of the IEA 15 MW turbine near 0.52 Hz at 0.24 rad/s. By the largest share alone one kind
would be counted twice and the other not at all, and all higher modes of both would have a wrong number. Motions form
groups: a tower bends fore-aft and side-side, blades collectively, backward and forward, and each order of bending has
one mode of each. So a mode whose largest share is of a kind with more modes than others of its group gets another kind
with fewer modes whose share is not much smaller. Two modes then exchange kinds where this gives both larger shares.

Of a floating machine the motions of the platform come first (`rigid_motions`), distinguished from the modes of the
machine on it by kinetic energy. The rigid-body part of a mode's kinetic energy is that of the rigid motion with the
mode's own momentum, q = M_r^-1 Phi^T M x, including the added mass of the water; elastic modes have nearly no momentum.
Where it is most of the energy, the mode is one of the platform: surge or sway of the point at which translation and
rotation are uncoupled, heave, roll, pitch and yaw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fem_mbd.analysis.modal.linear_model import LinearModel
from fem_mbd.analysis.modal.modes import Modes
from fem_mbd.analysis.rotors.multiblade import MultiBlade
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.core.model.node import Node
from fem_mbd.core.rotations import skew

STANDING = {"flap": ("tilt", "yaw"), "edge": ("horizontal", "vertical"), "torsion": ("cosine", "sine")}
WHIRLS = ("backward", "forward")
NAMING_RATIO = 0.5  # fraction of the largest share, from which another share can name the mode


def kinds_of(shares: Sequence[dict[str, float]], oscillating: Sequence[bool]) -> list[str]:
    """The kind of each mode.

    Parameters
    ----------
    shares : of kinds in each mode, by ascending frequency
    oscillating : whether each oscillates; others are not counted
    """
    counts: Counter[str] = Counter()
    kinds = []
    for share, counted in zip(shares, oscillating, strict=True):
        ranked = sorted(share, key=lambda kind: -share[kind])
        kind = ranked[0]
        if counted and counts[kind] and not _has_fewer(kind, counts):
            candidates = [
                k for k in ranked[1:] if share[k] >= NAMING_RATIO * share[kind] and _has_fewer(k, counts)
            ]
            kind = candidates[0] if candidates else kind
        counts[kind] += counted
        kinds.append(kind)
    return _exchanged(kinds, shares)


def _has_fewer(kind: str, counts: Counter[str]) -> bool:
    """Whether there are fewer modes of a kind than of another of its group."""
    return counts[kind] < max(counts[other] for other in _group(kind))


def _group(kind: str) -> list[str]:
    part, _, motion = kind.rpartition(" ")
    if part == "tower":
        return ["tower fore-aft", "tower side-side"]
    if part not in STANDING:
        return [kind]
    pairs = [WHIRLS, STANDING[part]]
    chosen = [pair for pair in pairs if motion == "collective" or motion in pair]
    return [kind, f"{part} collective", *(f"{part} {name}" for pair in chosen for name in pair)]


def _exchanged(kinds: list[str], shares: Sequence[dict[str, float]]) -> list[str]:
    """Kinds, exchanged between two successive modes of one group where that gives both larger shares."""
    exchanged = list(kinds)
    for part in STANDING:
        indices = [k for k, kind in enumerate(kinds) if kind.startswith(f"{part} ")]
        for a, b in zip(indices[:-1], indices[1:], strict=True):
            first, second = exchanged[a], exchanged[b]
            as_is = shares[a][first] + shares[b][second]
            if shares[a].get(second, 0.0) + shares[b].get(first, 0.0) > as_is:
                exchanged[a], exchanged[b] = second, first
    return exchanged


@dataclass(frozen=True, eq=False)
class Platform:
    """Data of a floating platform that determine the names of modes.

    Attributes
    ----------
    node : node of the platform
    reference : (3,) m, global axes
    added_mass : (6, 6) added mass of the water, about the reference
    """

    node: Node
    reference: Array
    added_mass: Array


def rigid_motions(linear: LinearModel, platform: Platform, motion: Complex) -> dict[str, float]:
    """Energies of the rigid motions of a floating machine, by name; empty where most of the energy is elastic.

    Parameters
    ----------
    linear : of the machine
    platform : on which it floats
    motion : (nodes, 6) of the nodes' positions and their rotations, global axes
    """
    workspace, r = linear.system.workspace, linear.state.r
    arms = linear.state.u - platform.reference
    turns = motion[:, 3:]
    centres = motion[:, :3] + np.cross(turns, np.einsum("nij,nj->ni", r, workspace.centre))
    inertia = np.einsum("nij,njk,nlk->nil", r, workspace.inertia, r)
    water = motion[platform.node.index].copy()
    water[:3] += np.cross(water[3:], platform.reference - platform.node.position)
    # momentum and angular momentum about the reference
    momenta, angular_momenta = workspace.mass[:, None] * centres, np.einsum("nij,nj->ni", inertia, turns)
    momentum = np.concatenate([momenta.sum(axis=0), (np.cross(arms, momenta) + angular_momenta).sum(axis=0)])
    momentum += platform.added_mass @ water
    total = float((centres.conj() * momenta).sum().real + (turns.conj() * angular_momenta).sum().real)
    total += float((water.conj() @ platform.added_mass @ water).real)
    rigid = platform.added_mass + _rigid_mass(workspace.mass, arms, inertia)
    q = np.linalg.solve(rigid, momentum)
    if not float((q.conj() @ momentum).real) > 0.5 * total:
        return {}
    energies = {}
    # surge with pitch, sway with roll: at the height where they are uncoupled
    for name, turning, move, turn in (("surge", "pitch", 0, 4), ("sway", "roll", 1, 3)):
        height = rigid[move, turn] / rigid[move, move]
        energies[f"platform {name}"] = rigid[move, move] * abs(q[move] + height * q[turn]) ** 2
        energies[f"platform {turning}"] = (rigid[turn, turn] - height * rigid[move, turn]) * abs(q[turn]) ** 2
    for name, k in (("heave", 2), ("yaw", 5)):
        energies[f"platform {name}"] = rigid[k, k] * abs(q[k]) ** 2
    return {name: float(value) for name, value in energies.items()}


def _rigid_mass(mass: Array, arms: Array, inertia: Array) -> Array:
    """(6, 6) inertia of all nodes moving as one body about the point from which ``arms`` (n, 3) start."""
    total = np.zeros((6, 6))
    for m, arm, tensor in zip(mass, arms, inertia, strict=True):
        motion = np.hstack([np.eye(3), -skew(arm)])
        total += m * motion.T @ motion
        total[3:, 3:] += tensor
    return total


# permitted inclination of the axis for which "fore-aft" is along global x, as of a helicopter's rotor
UPRIGHT_TOLERANCE = 1e-3
WHIRL_SHARE = 0.6  # fraction of a pair's energy from which a mode whirls forward or backward
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
OVER_DAMPED, GROWING = ", over-damped", ", growing"
MASSLESS = "massless part"
MIXED_RATIO = 1e-3  # fraction of the largest rotation: smaller rotations in a free motion count as zero
MASSLESS_RATIO = 1e-12  # fraction of the machine's mass: parts with less count as massless


@dataclass(frozen=True, eq=False)
class RotorShape:
    """Data of a rotor that determine the names of its modes.

    Attributes
    ----------
    blades : its multi-blade coordinates
    hub : the node to which the blades are attached
    axes : (3, 3) columns flapwise (to the suction side), edgewise, along blade 1; global axes
    carrier : the node that carries the shaft; None where it is fixed
    platform : of a floating machine
    """

    blades: MultiBlade
    hub: Node
    axes: Array
    carrier: Node | None = None
    platform: Platform | None = None


def mode_names(modes: Modes, rotor: RotorShape, whirling: bool = False) -> list[str]:
    """A name for each mode, in their order.

    Parameters
    ----------
    found : in multi-blade coordinates, see `fem_mbd.analysis.rotors.multiblade.in_fixed_axes`
    rotor : the rotor
    whirling : name standing modes of a pair as the whirls that they become, the lower one backward
    """
    shares: list[dict[str, float]] = []
    endings: list[str] = []
    for value, vector in zip(modes.eigenvalues, modes.vectors.T, strict=True):
        endings.append("" if value.imag or value == 0 else OVER_DAMPED if value.real < 0.0 else GROWING)
        x = np.asarray(modes.linear.basis @ vector)
        if value == 0:
            shares.append({})
            continue
        shares.append(content(modes.linear, rotor, x))
        if endings[-1] == OVER_DAMPED and _massless(modes.linear, rotor, x, shares[-1]):
            shares[-1] = {MASSLESS: 1.0}
    zeros = modes.eigenvalues == 0
    names = iter(_rigid_names(modes.linear, rotor, np.asarray(modes.linear.basis @ modes.vectors[:, zeros])))
    shares = [share or {next(names): 1.0} for share in shares]
    oscillating = [not ending for ending in endings]
    kinds = [kind + ending for kind, ending in zip(kinds_of(shares, oscillating), endings, strict=True)]
    return numbered(_as_whirls(kinds) if whirling else kinds)


def _rigid_names(linear: LinearModel, rotor: RotorShape, x: Complex) -> list[str]:
    """Names of rigid motions (n, k), in any linear combination: of the platform, rotation of the shaft, yaw of the
    nacelle.
    """
    motions = [linear.expand(column) for column in x.T]
    rigid = [rigid_motions(linear, rotor.platform, motion) if rotor.platform else {} for motion in motions]
    names = [max(energies, key=energies.__getitem__) if energies else "shaft rotation" for energies in rigid]
    others = [k for k, energies in enumerate(rigid) if not energies]
    if rotor.carrier is not None and others:
        turns = np.array([motions[k][[rotor.hub.index, rotor.carrier.index], 3:] for k in others])
        rotations = np.stack([(turns[:, 0] - turns[:, 1]) @ rotor.blades.spin.direction, turns[:, 1, 2]])
        if np.abs(rotations[0]).max() < MIXED_RATIO * np.abs(rotations[1]).max():
            names[others[0]] = "yaw"  # the shaft turns at a given speed
        elif np.linalg.matrix_rank(rotations, tol=MIXED_RATIO * np.abs(rotations).max()) == 2:
            names[others[1]] = "yaw"
    return names


def _massless(linear: LinearModel, rotor: RotorShape, x: Complex, shares: dict[str, float]) -> bool:
    """Whether the moving parts have almost no mass compared with the machine moving as far."""
    motion, workspace = linear.expand(x), linear.system.workspace
    radius = np.abs(linear.state.u[rotor.blades.blades] - rotor.blades.spin.place).max()
    reach = max(np.abs(motion[:, :3]).max(), np.abs(motion[:, 3:]).max() * radius)
    return bool(sum(shares.values()) < MASSLESS_RATIO * workspace.mass.sum() * reach**2)


def _as_whirls(kinds: list[str]) -> list[str]:
    """Kinds, by ascending frequency, with pairs that contain a standing mode renamed backward and forward."""
    renamed = list(kinds)
    for kind, standing in STANDING.items():
        ends = ("backward", "forward", *standing)
        pair = [k for k, name in enumerate(kinds) if name.startswith(kind) and name.endswith(ends)]
        for low, high in zip(pair[::2], pair[1::2], strict=False):
            if {kinds[low], kinds[high]} & {f"{kind} {name}" for name in standing}:
                renamed[low], renamed[high] = f"{kind} backward", f"{kind} forward"
    return renamed


def numbered(kinds: list[str]) -> list[str]:
    """Names of modes from their kinds, by ascending frequency: first, second, … of each kind.

    Parameters
    ----------
    kinds : e.g. "flap backward", "flap yaw"
    """
    seen: Counter[str] = Counter()
    names = []
    for index, kind in enumerate(kinds):
        seen[kind] += 1
        number = _pairs_before(kinds[:index], kind, seen[kind])
        ordinal = ORDINALS[min(number, len(ORDINALS)) - 1]
        if kind in ("shaft rotation", "yaw"):
            names.append(kind if number == 1 else f"{ordinal} {kind}")
        elif kind.startswith("platform") and number == 1:
            names.append(kind)
        elif kind.startswith("edge collective") and not any(
            k.startswith("edge collective") for k in kinds[:index]
        ):
            names.append(kind.replace("edge collective", "drivetrain"))
        else:
            names.append(f"{ordinal} {kind}")
    return names


def _pairs_before(before: list[str], kind: str, same: int) -> int:
    """Ordinal of a mode among its kind, after ``same`` modes of the same name; at low speed some pairs whirl, others
    stand.
    """
    part, _, motion = kind.rpartition(" ")
    standing = [f"{part} {name}" for name in STANDING.get(part, ())]
    if kind in standing:
        return sum(name in (*standing, f"{part} backward", f"{part} forward") for name in before) // 2 + 1
    if motion in ("backward", "forward"):
        return same + sum(name in standing for name in before) // 2
    return same


def content(linear: LinearModel, rotor: RotorShape, x: Complex) -> dict[str, float]:
    """Shares of a motion x (n,) in the free unknowns, by kind; the largest names the mode."""
    motion, workspace = linear.expand(x), linear.system.workspace
    if rotor.platform is not None:
        rigid = rigid_motions(linear, rotor.platform, motion)
        if rigid:
            return rigid
    blades = rotor.blades
    hub = motion[rotor.hub.index]
    standing = np.ones(workspace.n, dtype=bool)
    standing[blades.blades] = False
    downwind = blades.spin.direction * [1.0, 1.0, 0.0]
    if float(np.linalg.norm(downwind)) < UPRIGHT_TOLERANCE:
        downwind = np.array([1.0, 0.0, 0.0])
    downwind = downwind / max(float(np.linalg.norm(downwind)), 1e-12)
    across = np.cross([0.0, 0.0, 1.0], downwind)
    weight = np.where(standing, workspace.mass, 0.0)
    blade_mass = float(workspace.mass[blades.blades].sum())
    shares = {
        name: float(weight @ np.abs(motion[:, :3] @ axis) ** 2 + blade_mass * abs(hub[:3] @ axis) ** 2)
        for name, axis in (("tower fore-aft", downwind), ("tower side-side", across))
    }
    shares |= _of_blades(linear, rotor, _elastic(linear, rotor, motion, hub))
    shares["edge collective"] += _shaft_energy(linear, rotor, motion, hub)
    return shares


def _shaft_energy(linear: LinearModel, rotor: RotorShape, motion: Complex, hub: Complex) -> float:
    """The rotor's moment of inertia about its axis times the square of its rotation, or of that relative to its
    carrier.
    """
    axis, workspace, state = rotor.blades.spin.direction, linear.system.workspace, linear.state
    turns = rotor.blades.spin.turns(workspace.n) > 0.0
    arms = np.linalg.norm(np.cross(state.u - rotor.blades.spin.place, axis), axis=1)
    local = np.einsum("nij,i->nj", state.r, axis)
    polar = np.einsum("ni,nij,nj->n", local, workspace.inertia, local)
    inertia = float((workspace.mass * arms**2 + polar)[turns].sum())
    turn = hub[3:] @ axis
    relative = turn if rotor.carrier is None else turn - motion[rotor.carrier.index, 3:] @ axis
    return inertia * float(min(abs(turn), abs(relative))) ** 2


def _elastic(linear: LinearModel, rotor: RotorShape, motion: Complex, hub: Complex) -> Complex:
    """(N, n, 6) motion of the blades' nodes relative to that of the hub, global axes."""
    positions = np.array([node.position for node in linear.system.model.nodes])
    of_blades = motion[rotor.blades.blades]
    arms = positions[rotor.blades.blades] - rotor.hub.position
    elastic = of_blades.copy()
    elastic[..., :3] -= hub[:3] + np.cross(np.broadcast_to(hub[3:], arms.shape), arms)
    elastic[..., 3:] -= hub[3:]
    return elastic


def _of_blades(linear: LinearModel, rotor: RotorShape, elastic: Complex) -> dict[str, float]:
    blades, workspace = rotor.blades, linear.system.workspace
    first = blades.blades[0]
    turned = blades.in_axes_of_first(elastic)
    parts = np.einsum("bc,bnk->cnk", blades.weights(0.0), turned)
    polar = np.einsum(
        "nij,i,j->n",
        np.einsum("nij,njk,nlk->nil", linear.state.r[first], workspace.inertia[first], linear.state.r[first]),
        rotor.axes[:, 2], rotor.axes[:, 2],
    )  # fmt: skip
    shares: dict[str, float] = {}
    for kind, column, offset, weight in (
        ("flap", 0, 0, workspace.mass[first]), ("edge", 1, 0, workspace.mass[first]), ("torsion", 2, 3, polar),
    ):  # fmt: skip
        amplitude = parts[:, :, offset : offset + 3] @ rotor.axes[:, column]
        shares |= _split(kind, amplitude, weight)
    return shares


def _split(kind: str, amplitude: Complex, weight: Array) -> dict[str, float]:
    """Collective and whirling parts of amplitudes (N, n) in multi-blade coordinates."""

    def size(values: Complex) -> float:
        return float(weight @ np.abs(values) ** 2)

    shares = {f"{kind} collective": size(amplitude[0])}
    cosine, sine = amplitude[1], amplitude[2]
    forward, backward = size((cosine + 1j * sine) / np.sqrt(2)), size((cosine - 1j * sine) / np.sqrt(2))
    total = forward + backward
    if max(forward, backward) >= WHIRL_SHARE * total:
        shares[f"{kind} {'forward' if forward > backward else 'backward'}"] = total
    else:
        shares[f"{kind} {STANDING[kind][0 if size(cosine) > size(sine) else 1]}"] = total
    rest = sum(size(a) for a in amplitude[3:])
    return shares | ({f"{kind} differential": rest} if len(amplitude) > 3 else {})
