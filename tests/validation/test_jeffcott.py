"""A rotor with one disc: whirl frequencies over speed, critical speeds, deflection by unbalance.

H. H. Jeffcott, The lateral vibration of loaded shafts in the neighbourhood of a whirling speed, Philosophical
Magazine 37 (1919) 304-314; with a disc that tilts, and its gyroscopic moment, as in G. Genta, Dynamics of
Rotating Systems, Springer 2005. A shaft without mass on two simple supports, the disc at 0.3 of its length.
With the complex deflection w = y + i z and tilt p, stiffness K from the shaft's flexibility at the disc,

    m w″ + K11 w + K12 p = 0          Jt p″ - i Jp Ω p′ + K12 w + K22 p = 0

and a whirl exp(i ω t) for every root ω, forward if positive. Critical speeds: ω = Ω. Unbalance: for an eccentricity e
the shaft has a steady deflection in the rotating frame, w = e Ω² (K - Ω² diag(m, Jt - Jp))⁻¹ (m, 0).

The flexibility includes shear of the shaft. Two 4-node elements per side; the shaft has 1e-7 of the disc's mass.
"""

import numpy as np
from scipy.sparse.linalg import spsolve

from fem_mbd import Model, Spin, campbell, critical_speeds, linearise
from fem_mbd.base.arrays import Array
from fem_mbd.elements import Beam, RigidBody, Section
from fem_mbd.joints import Spherical
from tests.validation.problem import Number, Picture, Problem, Solution, numbers, ours, reference

EI, GA, LENGTH, A = 2e3, 1e8, 1.0, 0.3
MASS, JT, JP = 10.0, 0.3, 0.5
SPEEDS = np.linspace(0.0, 300.0, 31)
AXIS = (1.0, 0.0, 0.0)


def stiffness() -> Array:
    """(2, 2) of the shaft for deflection and tilt at the disc."""
    a, b = A, LENGTH - A
    flexibility = np.array(
        [[a * a * b * b, a * b * (b - a)], [a * b * (b - a), LENGTH**2 - 3 * a * LENGTH + 3 * a * a]]
    )
    shear = np.diag([a * b, 1.0]) / (GA * LENGTH)
    return np.linalg.inv(flexibility / (3 * EI * LENGTH) + shear)


def whirl(speed: float) -> Array:
    """(4,) frequencies, rad/s, ascending; backward ones negative."""
    mass_inverse = np.diag([1 / MASS, 1 / JT])
    rates = np.diag([0.0, 1j * JP * speed / JT])
    first_order = np.block([[np.zeros((2, 2)), np.eye(2)], [-mass_inverse @ stiffness(), rates]])
    return np.sort(np.linalg.eigvals(first_order).imag)


def rotor() -> Model:
    model = Model()
    section = Section(np.diag([1e8, GA, GA, 1e4, EI, EI]), 1e-6, np.diag([2e-9, 1e-9, 1e-9]))
    left = model.add(Beam(section, (0, 0, 0), (A, 0, 0), elements=2))
    right = model.add(Beam(section, left.end, (LENGTH, 0, 0), elements=2))
    model.add(RigidBody(MASS, (JP, JT, JT), node=left.end))
    model.add(Spherical(model.ground, left.start, at=(0, 0, 0)))
    model.add(Spherical(model.ground, right.end, at=(LENGTH, 0, 0)))
    return model


def bow(speed: float) -> float:
    """Deflection of the disc in the rotating frame per eccentricity, towards the side of the unbalance."""
    linear = linearise(rotor(), spin=Spin((0, 0, 0), AXIS, speed))
    disc = next(n.index for n in linear.system.model.nodes if n.position[0] == A)
    push = np.zeros((linear.system.workspace.n, 6))
    push[disc, 1] = MASS * speed**2
    y = spsolve(linear.reduced(linear.stiffness).tocsc(), linear.basis.T @ push[~linear.system.fixed])
    return float(linear.displacements(y)[disc, 1].real)


def bow_closed(speed: float) -> float:
    dynamic = stiffness() - speed**2 * np.diag([MASS, JT - JP])
    return float(np.linalg.solve(dynamic, [MASS * speed**2, 0.0])[0])


def solve() -> Solution:
    found = campbell(rotor(), SPEEDS, axis=AXIS, number=5, frame="inertial")
    elastic = np.abs(found.eigenvalues[0]) > 1.0
    signed = found.frequencies_hz[:, elastic] * 2 * np.pi * np.sign(found.whirl[-1, elastic])
    signed = signed[:, np.argsort(signed[-1])]
    closed = np.array([whirl(s) for s in SPEEDS])
    rows: list[Number] = []
    for s in (10, 20, 30):
        for k, name in enumerate(("backward 2", "backward 1", "forward 1", "forward 2")):
            at = f"{name} at {SPEEDS[s]:g} rad/s"
            rows += numbers("", "rad/s", {at: closed[s, k]}, [signed[s, k]], 1e-6 * abs(closed[s, k]))
    critical = [speed for _, speed in found.crossings(1)]
    direct = critical_speeds(rotor(), axis=AXIS, frame="inertial", number=3)
    for k, name in enumerate(("backward", "forward", "backward")):
        value = _critical(k)
        at = f"critical speed {k + 1}, {name}"
        rows += numbers(at, "rad/s", {" (diagram)": value}, [critical[k]], 1e-6 * value)
        rows += numbers(at, "rad/s", {" (direct)": value}, [direct.speeds[k]], 1e-6 * value)
    unbalanced = {}
    for speed in (60.0, 110.0, 130.0, 300.0):
        unbalanced[speed] = bow(speed)
        value = bow_closed(speed)
        rows += numbers("", "", {f"bow/e at {speed:g} rad/s": value}, [unbalanced[speed]], 2e-5 * abs(value))
    return Solution(rows, _pictures(signed, closed, unbalanced))


def _critical(k: int) -> float:
    """Roots of det(K - w² diag(m, Jt ± Jp)) = 0: minus forward, plus backward."""
    squares: list[float] = []
    for tilt in (JT - JP, JT + JP):
        values = np.linalg.eigvals(np.linalg.solve(stiffness(), np.diag([MASS, tilt])))
        squares += [1 / v.real for v in values if v.real > 0]
    return float(np.sqrt(np.sort(squares)[k]))


def _pictures(signed: Array, closed: Array, unbalanced: dict[float, float]) -> list[Picture]:
    names = ("2, backward", "1, backward", "1, forward", "2, forward")
    diagram = [ours(SPEEDS, np.abs(signed[:, k]), names[k]) for k in (3, 0, 2, 1)]
    diagram += [
        reference(SPEEDS[::5], np.abs(closed[::5, k]), "closed form" if k == 0 else "") for k in range(4)
    ]
    below, above = np.linspace(0, 115, 60), np.linspace(126, 300, 60)
    curves = [reference(list(unbalanced), list(unbalanced.values()), "fem_mbd")]
    for n, speeds in enumerate((below, above)):
        values = [bow_closed(s) for s in speeds]
        curves.append(ours(speeds, values, "closed form" if n == 0 else ""))
    return [
        Picture("speed [rad/s]", "whirl [rad/s]", diagram),
        Picture("speed [rad/s]", "bow by unbalance / eccentricity", curves),
    ]


PROBLEM = Problem(
    name="jeffcott",
    title="Jeffcott rotor with a gyroscopic disc",
    group="Frequencies",
    source="Jeffcott 1919; Genta 2005",
    reference="closed form",
    solve=solve,
)
