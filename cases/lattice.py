"""Case: a square lattice of steel tubes, hinged along its edges, started in its lowest mode by initial velocities.

All crossings are rigid, beams are continuous there. With the phase pi / cells from crossing to crossing the motion is
one wave, whose frequency the textbook's matrices of a single beam give (`wave`), for any number of beams. With `cells`
from 4 to hundreds it shows the cost of large plane grids: 20,200 elements at 100, 100,800 at 224.

Bloch wave in an infinite square lattice of beams, from the textbook's matrices of a beam between two crossings.

A wave exp(i (phi j + psi k)) over crossings (j, k) of an infinite lattice leaves three unknowns: deflection and the two
slopes of a crossing. Beams along x bend with the phase phi from end to end and twist with the slope along y; beams
along y conversely. So sin(phi j) sin(psi k), the motion of a lattice hinged along its edges, has a stiffness and a mass
of three by three, and a frequency, whatever the number of beams.

Source: J. S. Przemieniecki, Theory of Matrix Structural Analysis (1968): stiffness of a beam with shear, equation
(5.116); consistent mass with rotary inertia, chapter 11, here without shear, which hardly affects the mass matrix of a
slender beam. Waves over a periodic structure: L. Brillouin, Wave Propagation in Periodic Structures (1946).

"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.linalg import eigh

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import positive, whole_number
from fem_mbd.case import Case
from fem_mbd.case_parameters import parameter
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements import Beam, Material
from fem_mbd.elements.section.section import Section
from fem_mbd.joints import Revolute
from fem_mbd.output.figures.plots import Panel, draw_panels
from fem_mbd.runs.results.checks import Check, balance, near
from fem_mbd.runs.results.result import Result


@dataclass(frozen=True, eq=False)
class Wave:
    """The lowest motion with given phases: deflections are 1 times sin(phi j) sin(psi k).

    Attributes
    ----------
    omega : rad/s
    slope_x, slope_y : of sin(psi k) cos(phi j) and sin(phi j) cos(psi k), the slopes along x and y, 1/m
    """

    omega: float
    slope_x: float
    slope_y: float


def wave(section: Section, spacing: float, phi: float, psi: float) -> Wave:
    """The wave in a lattice of equal beams.

    Parameters
    ----------
    section : of all beams, the same about both axes
    spacing : m, from crossing to crossing
    phi, psi : rad, phase from one crossing to the next along x and y
    """
    stiffness, mass = _beam_stiffness(section, spacing), _beam_mass(section, spacing)
    k, m = np.zeros((3, 3), dtype=complex), np.zeros((3, 3), dtype=complex)
    for phase, slope, twist in ((phi, 1, 2), (psi, 2, 1)):
        # deflection and slope at both ends of a beam, from those of its first end
        ends = np.zeros((4, 3), dtype=complex)
        ends[0, 0] = ends[1, slope] = 1.0
        ends[2:] = np.exp(1j * phase) * ends[:2]
        k += ends.conj().T @ stiffness @ ends
        m += ends.conj().T @ mass @ ends
        k[twist, twist] += section.stiffness[3, 3] / spacing * abs(np.exp(1j * phase) - 1.0) ** 2
        m[twist, twist] += section.inertia[0, 0] * spacing * (2.0 + np.cos(phase)) / 3.0
    values, vectors = eigh(k, m)
    shape = vectors[:, 0] / vectors[0, 0]
    return Wave(float(np.sqrt(values[0])), float(shape[1].imag), float(shape[2].imag))


def _beam_stiffness(section: Section, length: float) -> Array:
    """(4, 4) stiffness for deflection and slope at both ends."""
    bending, shear = float(section.stiffness[4, 4]), float(section.stiffness[2, 2])
    soft, h = 12.0 * bending / (shear * length**2), length
    matrix = [
        [12.0, 6.0 * h, -12.0, 6.0 * h],
        [6.0 * h, (4.0 + soft) * h**2, -6.0 * h, (2.0 - soft) * h**2],
        [-12.0, -6.0 * h, 12.0, -6.0 * h],
        [6.0 * h, (2.0 - soft) * h**2, -6.0 * h, (4.0 + soft) * h**2],
    ]
    return np.array(matrix) * bending / (h**3 * (1.0 + soft))


def _beam_mass(section: Section, length: float) -> Array:
    """(4, 4) consistent mass: of the deflection, and of the rotating sections."""
    h = length
    deflected = [
        [156.0, 22.0 * h, 54.0, -13.0 * h],
        [22.0 * h, 4.0 * h**2, 13.0 * h, -3.0 * h**2],
        [54.0, 13.0 * h, 156.0, -22.0 * h],
        [-13.0 * h, -3.0 * h**2, -22.0 * h, 4.0 * h**2],
    ]
    turned = [
        [36.0, 3.0 * h, -36.0, 3.0 * h],
        [3.0 * h, 4.0 * h**2, -3.0 * h, -(h**2)],
        [-36.0, -3.0 * h, 36.0, -3.0 * h],
        [3.0 * h, -(h**2), -3.0 * h, 4.0 * h**2],
    ]
    per_length, rotary = section.mass_per_length, float(section.inertia[1, 1])
    return np.array(deflected) * per_length * h / 420.0 + np.array(turned) * rotary / (30.0 * h)


STEEL = Material(young=2.1e11, poisson=0.3, density=7850.0)
TUBE = Section.tube(0.02, 0.002, STEEL)
# with fewer cells the wave is as short as the beams, and its frequency that of their own bending
LEAST_CELLS = 4
# An edge is cut from a larger lattice: half of each beam on it belongs to the other side.
HALF_TUBE = Section(
    0.5 * np.asarray(TUBE.stiffness),
    0.5 * TUBE.mass_per_length,
    0.5 * np.asarray(TUBE.inertia),
    outline=TUBE.outline,
)
Crossings = dict[tuple[int, int], Node]


@dataclass(frozen=True)
class Parameters:
    """SI units."""

    cells: int = parameter(8, "", "squares along each edge; 2 cells (cells + 1) beams")
    per_edge: int = parameter(1, "", "elements from crossing to crossing")
    order: int = parameter(3, "", "nodes of an element: 2, 3 or 4")
    spacing: float = parameter(1.0, "m", "from crossing to crossing")
    amplitude: float = parameter(
        1e-5, "m", "of the deflection in the middle; small against the tube's radius"
    )
    steps: int = parameter(40, "", "steps of a period of the motion")
    periods: float = parameter(1.0, "", "simulated time in periods of the motion, 0.75 at least")

    def __post_init__(self) -> None:
        whole_number(self.cells, "lattice: cells", LEAST_CELLS)
        whole_number(self.per_edge, "lattice: per_edge")
        whole_number(self.steps, "lattice: steps", 8)
        whole_number(self.order, "lattice: order", 2, 4)
        positive(self.spacing, "lattice: spacing (m)")
        positive(self.amplitude, "lattice: amplitude (m)")
        positive(self.periods, "lattice: periods")


def reference(p: Parameters) -> Wave:
    """The wave that is the motion of the lattice."""
    return wave(TUBE, p.spacing, np.pi / p.cells, np.pi / p.cells)


def build_model(p: Parameters) -> tuple[Model, Crossings]:
    """The lattice in the plane z = 0 between (0, 0) and (cells, cells) times the spacing."""
    model = Model(name="lattice")
    n = p.cells
    crossings = {
        (j, k): model.node((j * p.spacing, k * p.spacing, 0.0), name=f"crossing {j} {k}")
        for j in range(n + 1)
        for k in range(n + 1)
    }
    for (j, k), node in crossings.items():
        for other, on_edge in (((j + 1, k), k in (0, n)), ((j, k + 1), j in (0, n))):
            if other in crossings:
                section = HALF_TUBE if on_edge else TUBE
                name = f"{'x' if other[0] > j else 'y'} {j} {k}"
                model.add(
                    Beam(section, node, crossings[other], elements=p.per_edge, order=p.order, name=name)
                )
        _support(model, node, j in (0, n), k in (0, n))
    return model, crossings


def _support(model: Model, node: Node, on_x: bool, on_y: bool) -> None:
    """A hinge along the edge; a corner belongs to two edges and cannot rotate."""
    if on_x and on_y:
        model.fix(node)
    elif on_x or on_y:
        axis = (0.0, 1.0, 0.0) if on_x else (1.0, 0.0, 0.0)
        model.add(Revolute(model.ground, node, at=node.position, axis=axis, name=f"hinge at {node.name}"))


def set_velocities(model: Model, p: Parameters) -> None:
    """Give all nodes the velocities of the wave at its undeflected position."""
    motion = reference(p)
    speed = p.amplitude * motion.omega
    for node in model.nodes:
        if node.index in model.fixed:
            continue
        x, y = node.position[:2] / p.spacing
        along_x = abs(y - round(y)) < 1e-9  # on a beam along x, or a crossing
        w, slope, turn = (
            _on_beam(x, round(y), np.pi / p.cells, motion.slope_x, motion.slope_y, p.spacing)
            if along_x
            else _on_beam(y, round(x), np.pi / p.cells, motion.slope_y, motion.slope_x, p.spacing)
        )
        dx, dy = (slope, turn) if along_x else (turn, slope)
        model.set_velocity(node, velocity=(0.0, 0.0, speed * w), omega=(speed * dy, -speed * dx, 0.0))


def _on_beam(
    s: float, line: int, phase: float, slope: float, across: float, spacing: float
) -> tuple[float, float, float]:
    """Deflection, slope along and slope across a beam at s (in spacings) on the given line of the lattice.

    Between crossings the deflection is cubic and the slope across, which twists the beam, is linear.
    """
    first = int(np.floor(s + 1e-9))
    t = s - first
    w = [np.sin(phase * (first + e)) * np.sin(phase * line) for e in (0, 1)]
    d = [spacing * slope * np.cos(phase * (first + e)) * np.sin(phase * line) for e in (0, 1)]
    c = [across * np.sin(phase * (first + e)) * np.cos(phase * line) for e in (0, 1)]
    value = (1 + 2 * t) * (1 - t) ** 2 * w[0] + t**2 * (3 - 2 * t) * w[1]
    value += t * (1 - t) ** 2 * d[0] - t**2 * (1 - t) * d[1]
    rate = 6 * t * (1 - t) * (w[1] - w[0]) + (1 - t) * (1 - 3 * t) * d[0] + t * (3 * t - 2) * d[1]
    return float(value), float(rate / spacing), float((1 - t) * c[0] + t * c[1])


SOURCE = "a wave in a lattice of beams (Przemieniecki 1968)"
# Discretisation error of elements of length h: (phase / per_edge)^2 / 12 with two nodes, the fourth and sixth power
# with more; of the scheme (omega dt)^3 in the amplitude: 1e-4 at 40 steps, and less than the square of the mean slope.
TOLERANCE = 2e-3


def build(p: Parameters) -> Simulation:
    """From the undeflected lattice with the velocities of its lowest motion, in equal steps."""
    model, _ = build_model(p)
    set_velocities(model, p)
    period = 2.0 * np.pi / reference(p).omega
    return Simulation(model, p.periods * period, StepControl.fixed(period / p.steps))


def _middle(result: Result, p: Parameters) -> np.ndarray:
    """(t,) deflection, m, of the crossing nearest to the middle, divided by that of the wave there."""
    half = p.cells // 2
    shape = float(np.sin(np.pi * half / p.cells) ** 2)
    return np.asarray(result.of(f"crossing {half} {half}").position[:, 2] / shape)


def _frequency(result: Result, deflection: np.ndarray) -> float:
    """rad/s, from the time at which the middle returns."""
    time = result.output_time
    back = int(np.flatnonzero((deflection[:-1] > 0.0) & (deflection[1:] <= 0.0))[0])
    share = deflection[back] / (deflection[back] - deflection[back + 1])
    return float(np.pi / (time[back] + share * (time[back + 1] - time[back])))


def checks(result: Result, p: Parameters) -> list[Check]:
    """The energy balance closes; frequency and amplitude are those of the wave."""
    checks = balance(result.summary)
    deflection = _middle(result, p)
    if p.periods < 0.75:
        return checks  # the middle has not returned
    omega, tolerance = reference(p).omega, TOLERANCE
    if p.order == 2:
        tolerance += (np.pi / p.cells / p.per_edge) ** 2 / 12.0
    checks.append(near("frequency [rad/s]", _frequency(result, deflection), omega, tolerance, SOURCE))
    swing = np.sin(omega * result.output_time)
    amplitude = float(swing @ deflection / (swing @ swing))
    checks.append(near("amplitude [m]", amplitude, p.amplitude, 2.0 * tolerance, SOURCE))
    return checks


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """Deflection of the middle, and its difference from the wave's."""
    deflection = _middle(result, p)
    expected = p.amplitude * np.sin(reference(p).omega * result.output_time)
    panels = [
        Panel("deflection [m]", {"run": deflection, "wave": expected}),
        Panel("difference [m]", {"run minus wave": deflection - expected}),
    ]
    title = f"Middle of a lattice of {p.cells} by {p.cells} cells"
    return [draw_panels(folder / "lattice.png", result.output_time, panels, title=title)]


CASE = Case(
    "lattice",
    "a square lattice of beams, 144 elements or 100,000, oscillates at the frequency of one wave",
    Parameters,
    build,
    checks,
    plot,
    model=lambda p: build_model(p)[0],
)
