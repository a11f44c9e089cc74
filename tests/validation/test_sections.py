"""Sections from meshes and layers against published ones.

BECAS: J. P. Blasques, User's manual for BECAS, DTU Wind Energy (2012), as quoted in GXBeam.jl, test/section.jl (square,
orthotropic square, half cylinder). ANBA4: github.com/ANBA4/anba4, examples. Tube: Chen, Yu, Capellaro, Wind Energy 13
(2010); its torsion in closed form. Pipe: Yu, Ho, Hodges, Comp. Struct. 94 (2012), VABS.

Blades: layers and matrices of the same windIO files (examples of the package windIO). IEA 22 MW: matrices of BECAS; on
ten stations, worst of each quantity. Arcs are fractions of the outline with its flat back. Of the blade with these
sections, the first eight frequencies.

IEA 15 MW: matrices of SONATA, which rounds the ends of layers: over 1.2 thicknesses t, by a quadratic Bezier curve
whose middle point is t/2 before the full thickness (ptrbortolotti/SONATA, cbm/topo/cutoff.py, style 2, its default).
Each end loses the area t^2 (1.2 - 23/30) = 13/30 t^2 of a layer, of the spar caps 7 %. With layers shortened by 13/30 t
at their ends, axial stiffness and flapwise bending are the file's. Mass and edgewise bending are not: towards the tip
the file has a trailing edge reinforcement that its layers lack (IEAWindTask37/IEA-15-240-RWT, issues 179 and 207).
"""

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

import fem_mbd as fm
from fem_mbd.base.arrays import Array
from fem_mbd.elements import Material, Orthotropic, Section
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.machines import LeftOutWarning, read_windio_machine
from fem_mbd.machines.readers.windio.file import reference_points
from fem_mbd.machines.readers.windio.layers import BladeLayers, read_blade_layers
from fem_mbd.machines.readers.windio.machine import STATIONS
from tests.elements.section.section_meshes import arc, second_order, square, two_layer_pipe
from tests.validation.problem import Number, Picture, Problem, Solution, numbers, ours, reference

windIO = pytest.importorskip("windIO")
EXAMPLES = Path(windIO.__file__).parent / "examples" / "turbine"
IEA22, IEA15 = EXAMPLES / "IEA-22-280-RWT.yaml", EXAMPLES / "IEA-15-240-RWT.yaml"
TEN = np.linspace(0.05, 0.95, 10)
ROUNDED = 13 / 30  # of the square of a layer's thickness, the area that SONATA takes from each end
CAPS = (
    0.15,
    0.25,
    0.35,
    0.45,
    0.55,
    0.65,
)  # where the IEA 15 MW layers have all reinforcements of the matrices
DIAGONAL = ("EA", "GA2", "GA3", "GJ", "EI2", "EI3")
BECAS = Material(100.0, 0.2, 1.0)
BECAS_FIBRE = Orthotropic(480.0, 120.0, 60.0, 0.19, 1.0, 120.0, 50.0, 60.0, 0.26, 0.19)


def relative(
    what: str, names: tuple[str, ...], published: list[float], found: np.ndarray, allowed: float
) -> list[Number]:
    rows: list[Number] = []
    for name, value, own in zip(names, published, found, strict=True):
        rows += numbers(f"{what}, ", "", {name: value}, [own], allowed * abs(value))
    return rows


def blades(file: Path) -> tuple[Blade, BladeLayers, Callable[[ArrayLike], Array]]:
    """The blade with a file's matrices, its layers, and lengths along the axis by fractions of the file's grid."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        blade = read_windio_machine(file).member("blade1").blade
    layers = read_blade_layers(file)
    grid = reference_points(layers.reference_axis)[0]
    return blade, layers, lambda at: np.interp(np.asarray(at), grid, blade.axis.bounds)


def closed_and_published() -> list[Number]:
    def diagonal(section: Section) -> np.ndarray:
        return np.diag(section.stiffness)

    rows = relative(
        "square, BECAS", DIAGONAL, [1.0, 0.34899, 0.34899, 5.9084e-4, 8.3384e-4, 8.3384e-4],
        diagonal(Section.from_mesh(*square(0.1, 10), BECAS)), 2e-5,
    )  # fmt: skip
    unit = diagonal(Section.from_mesh(*second_order(*square(1.0, 16)), Material(1.0, 0.33, 1.0)))
    rows += relative("square, ANBA4", ("GA2", "GA3"), [0.311064401] * 2, unit[1:3], 2e-5)
    rows += relative("square, closed form", ("GJ", "EI2"), [0.140577015 / 2.66, 1 / 12], unit[3:5], 2e-5)
    for angle, values in (
        (0.0, [4.8, 0.5039, 0.4201, 7.737e-4, 4.001e-3, 4.001e-3]),
        (90.0, [1.2, 0.50202, 0.50406, 8.5081e-4, 1.0004e-3, 1.0002e-3]),
    ):
        found = diagonal(Section.from_mesh(*square(0.1, 10), BECAS_FIBRE, (angle, 0.0)))
        rows += relative(f"orthotropic square at {angle:g}°, BECAS", DIAGONAL, values, found, 1e-3)
    half = Section.from_mesh(*arc(np.linspace(0.09, 0.1, 4), np.linspace(np.pi / 2, 1.5 * np.pi, 61)), BECAS)
    values = [0.2982, 0.04964, 0.06244, 9.12e-4, 1.349e-3, 1.349e-3]
    rows += relative("half cylinder, BECAS", DIAGONAL, values, diagonal(half), 3e-3)
    centres = np.array([half.shear_centre[0], half.tension_centre[0]])
    rows += relative(
        "half cylinder, BECAS", ("shear centre", "tension centre"), [-0.1206, -0.06051], centres, 3e-3
    )
    metal = Material(73e9, 0.33, 2800.0)
    tube = diagonal(Section.from_mesh(*arc(np.linspace(0.1, 0.3, 9), np.linspace(0, 2 * np.pi, 193)), metal))
    values = [1.835e10, 4.682e9, 4.682e9, metal.shear * np.pi * (0.3**4 - 0.1**4) / 2, 4.587e8, 4.587e8]
    rows += relative("thick tube", DIAGONAL, values, tube, 2e-3)
    points, cells, angles = two_layer_pipe(50, 50, 12)
    pipe = np.asarray(
        Section.from_mesh(points, cells, Orthotropic(20.59e6, 1.42e6, 0.87e6, 0.42, 1.0), angles).stiffness
    )
    values = [1.03892e7, 7.85310e5, 3.29279e5, 6.87275e5, 1.88238e6, 5.38987e6]
    rows += relative("multi-layer pipe, VABS", DIAGONAL, values, np.diag(pipe), 5e-3)
    couplings = [9.84575e4, -8.21805e3, -5.20981e4]
    return rows + relative(
        "multi-layer pipe, VABS", ("K14", "K25", "K36"), couplings, pipe[[0, 1, 2], [3, 4, 5]], 1e-2
    )


def iea_22() -> tuple[list[Number], Array]:
    """Ten stations, the worst of each quantity; frequencies; ratios (10, 6) of the stiffnesses."""
    blade, layers, along = blades(IEA22)
    pairs = [(layers.section(float(at)), blade.sections(float(along(at)))) for at in TEN]
    ratios = np.array([np.diag(one.stiffness) / np.diag(two.stiffness) for one, two in pairs])
    mass = np.array([[one.mass_per_length / two.mass_per_length] for one, two in pairs])
    rows = []
    for name, values, allowed in zip(
        ("mass", *DIAGONAL),
        np.hstack([mass, ratios]).T,
        (0.02, 0.02, 0.1, 0.1, 0.05, 0.02, 0.02),
        strict=True,
    ):
        worst = values[np.argmax(np.abs(values - 1.0))]
        rows += numbers("IEA 22 MW, worst ratio, ", "", {name: 1.0}, [worst], allowed)
    chords = np.interp(TEN, layers.shape["chord"]["grid"], layers.shape["chord"]["values"])
    for name in ("mass", "tension", "shear"):
        apart = [np.subtract(*(getattr(s, f"{name}_centre") for s in pair)) for pair in pairs]
        worst = np.max(np.linalg.norm(apart, axis=1) / chords)
        rows += numbers(
            "IEA 22 MW, largest distance, ", "of the chord", {f"{name} centre": 0.0}, [worst], 0.01
        )
    table = layers.table(np.linspace(0.0, 1.0, STATIONS))
    ours = replace(blade, sections=SectionTable(along(table.s), table.sections))
    theirs, found = frequencies(blade), frequencies(ours)
    names = [f"frequency {k + 1}" for k in range(len(theirs))]
    for name, value, own in zip(names, theirs, found, strict=True):
        rows += numbers("IEA 22 MW, ", "Hz", {name: value}, [own], 0.015 * value)
    return rows, ratios


def frequencies(blade: Blade) -> Array:
    """The first eight of a clamped blade, Hz."""
    model = fm.Model()
    blade.add_to(model, damping=0.0)
    return np.asarray(fm.modes(model, 8).frequencies_hz)


def rounded(layers: BladeLayers, at: float) -> Section:
    """A section whose layers end as SONATA rounds them."""
    outline, leading = layers.outline(at)
    length = float(np.linalg.norm(np.diff(outline, axis=0, append=outline[:1]), axis=1).sum())
    stack, webs = layers.laminate(at, leading, length)
    shorter = []
    for layer in stack:
        lost = ROUNDED * layer.thickness / length
        start, end = layer.start + lost * (layer.start > 0.0), layer.end - lost * (layer.end < 1.0)
        shorter.append(replace(layer, start=start, end=end))
    return Section.from_laminate(outline, shorter, webs)


def iea_15() -> list[Number]:
    blade, layers, along = blades(IEA15)
    rows = []
    for at in CAPS:
        known, found = (
            np.diag(blade.sections(float(along(at))).stiffness),
            np.diag(rounded(layers, at).stiffness),
        )
        rows += relative(f"IEA 15 MW at {at:g}", ("EA", "EI3"), [known[0], known[5]], found[[0, 5]], 0.02)
    return rows


def solve() -> Solution:
    larger, ratios = iea_22()
    curves = [ours(TEN, column, name) for name, column in zip(DIAGONAL, ratios.T, strict=True)]
    line = reference(TEN, np.ones(len(TEN)), "BECAS")
    picture = Picture("fraction of the length", "IEA 22 MW blade, layers over BECAS", [*curves, line])
    return Solution(closed_and_published() + larger + iea_15(), [picture])


PROBLEM = Problem(
    name="sections",
    title="Cross-sections from meshes and layers",
    group="Blades",
    source="Blasques 2012; Yu, Ho, Hodges 2012; Chen, Yu, Capellaro 2010; IEA 15 and 22 MW",
    reference="BECAS, ANBA4, VABS; closed forms; matrices of the blade's authors",
    solve=solve,
)
