"""Sections from meshes and layers against published ones.

BECAS: J. P. Blasques, User's manual for BECAS, DTU Wind Energy (2012), as quoted in GXBeam.jl, test/section.jl (square,
orthotropic square, half cylinder). ANBA4: github.com/ANBA4/anba4, examples. Tube: Chen, Yu, Capellaro, Wind Energy 13
(2010); its torsion in closed form. Pipe: Yu, Ho, Hodges, Comp. Struct. 94 (2012), VABS.

Blades: layers and matrices of the same windIO files (examples of the package windIO). IEA 22 MW: matrices of BECAS; on
ten stations, worst of each quantity. Arcs are fractions of the outline with its flat back. Of the blade with these
sections, the first eight frequencies.

IEA 15 MW: matrices of SONATA and ANBA4. The meshes that they come from are drawn in the turbine's repository
(IEAWindTask37/IEA-15-240-RWT, CAD/SONATA/blade_section_*.pdf, commit deef925 of 29 November 2021, which has the same
matrices). Their elements, read as triangles by Section.from_mesh, have the mass, EA and bending stiffness of the
matrices within .25 % at the seven stations from .35 to .95. They are not what the file's layers say:

- the outline lies between two airfoils in proportion to its place (SONATA/classBlade.py; the file has `rthick`);
- layers end rounded: over 1.2 thicknesses t, by a quadratic Bezier curve whose middle point is t/2 before the full
  thickness (ptrbortolotti/SONATA, cbm/topo/cutoff.py, style 2, its default): each end loses the area
  t^2 (1.2 - 23/30) = 13/30 t^2, of the spar caps 7 %;
- the cores of webs are 1.7 to 2.2 times as thick up to 65 % of the length (converter_WT.py places their faces one
  thickness from the middle); their skins go on over a hundredth of the outline on the shell;
- from 25 % of the length the trailing edge is filled with unidirectional glass over .2 m (converter_WT.py, "adhesive"),
  and its reinforcements reach .71 m from the edge; in the file they reach .75 m and end at 80 % of the length.

as_sonata makes sections with these differences: thicknesses and lengths measured in the figures, the filling a rod,
which adds neither torsional nor shear stiffness.
"""

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.interpolate import interp1d

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
# measured in SONATA's figures: of webs' cores, m; of the filling, fraction of the chord; of reinforcements, m
DRAWN_AT = (0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)
CORES = (0.0873, 0.0806, 0.0664, 0.0528, 0.0424, 0.0338, 0.0243, 0.0174, 0.0140)
FILLED_AT, FILLED = (
    (0.2, *DRAWN_AT[1:]),
    (0.0, 0.0337, 0.0334, 0.0416, 0.0493, 0.0585, 0.0700, 0.0821, 0.1040),
)
REINFORCED, FLANGE = 0.71, 0.01  # FLANGE: fraction of the outline
ALLOWED = {"mass": 0.02, "EA": 0.02, "GA2": 0.1, "GA3": 0.1, "GJ": 0.05, "EI2": 0.02, "EI3": 0.02}
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
    rows = worst_ratios("IEA 22 MW", pairs, tuple(ALLOWED))
    chords = np.interp(TEN, layers.shape["chord"]["grid"], layers.shape["chord"]["values"])
    for name in ("mass", "tension", "shear"):
        apart = [np.subtract(*(getattr(s, f"{name}_centre") for s in pair)) for pair in pairs]
        worst = np.max(np.linalg.norm(apart, axis=1) / chords)
        rows += numbers(
            "IEA 22 MW, largest distance, ", "of the chord", {f"{name} centre": 0.0}, [worst], 0.01
        )
    table = layers.table(np.linspace(0.0, 1.0, STATIONS))
    ratios = np.array([np.diag(one.stiffness) / np.diag(two.stiffness) for one, two in pairs])
    return rows + frequency_rows("IEA 22 MW", blade, table, along), ratios


def worst_ratios(what: str, pairs: list[tuple[Section, Section]], names: tuple[str, ...]) -> list[Number]:
    """Of quantities of sections to those of the file, the ratio that is farthest from 1."""
    rows: list[Number] = []
    columns = np.array(
        [
            np.append(one.mass_per_length, np.diag(one.stiffness))
            / np.append(two.mass_per_length, np.diag(two.stiffness))
            for one, two in pairs
        ]
    )
    for name, values in zip(ALLOWED, columns.T, strict=True):
        if name in names:
            worst = values[np.argmax(np.abs(values - 1.0))]
            rows += numbers(f"{what}, worst ratio, ", "", {name: 1.0}, [worst], ALLOWED[name])
    return rows


def frequency_rows(
    what: str, blade: Blade, table: SectionTable, along: Callable[[ArrayLike], Array]
) -> list[Number]:
    """The first eight frequencies with sections over fractions of the file's grid, to those with the file's."""
    ours = replace(blade, sections=SectionTable(along(table.s), table.sections))
    rows: list[Number] = []
    for k, (value, own) in enumerate(zip(frequencies(blade), frequencies(ours), strict=True)):
        rows += numbers(f"{what}, ", "Hz", {f"frequency {k + 1}": value}, [own], 0.015 * value)
    return rows


def frequencies(blade: Blade) -> Array:
    """The first eight of a clamped blade, Hz."""
    model = fm.Model()
    blade.add_to(model, damping=0.0)
    return np.asarray(fm.modes(model, 8).frequencies_hz)


def as_sonata(layers: BladeLayers, at: float) -> Section:
    """A section of the IEA 15 MW blade as SONATA has meshed it, with the filling of its trailing edge as a rod."""
    relative = float(np.interp(at, *layers.airfoils))
    profile = interp1d(layers.thickness, layers.profiles, axis=0)(relative)
    outline, leading = replace(layers, thickness=np.array([relative]), profiles=profile[None]).outline(at)
    length = float(np.linalg.norm(np.diff(outline, axis=0, append=outline[:1]), axis=1).sum())
    found, webs = layers.laminate(at, leading, length)
    reach = (REINFORCED + 0.5 * float(np.linalg.norm(outline[0] - outline[-1]))) / length
    stack = []
    for layer in found:
        start, end, lost = layer.start, layer.end, ROUNDED * layer.thickness / length
        if "TE_reinforcement" in layer.name:
            start, end = (0.0, reach) if start < 0.5 else (1.0 - reach, 1.0)
        stack.append(replace(layer, start=start + lost * (start > 0.0), end=end - lost * (end < 1.0)))
    thicker = []
    for web in webs:
        skin, core, _ = web.layers
        core = replace(core, thickness=float(np.interp(at, DRAWN_AT, CORES)))
        thicker.append(replace(web, layers=[skin, core, skin]))
        foot = (0.55 * core.thickness + skin.thickness) / length  # they meet the outline at an angle
        for place in (web.start, web.end):
            for start, end in ((place - FLANGE, place - foot), (place + foot, place + FLANGE)):
                stack += [replace(skin, start=start, end=end)] if start < end else []
    section = Section.from_laminate(outline, stack, thicker)
    behind = float(np.interp(at, FILLED_AT, FILLED)) * float(np.ptp(outline[:, 1]))
    if behind == 0.0:
        return section
    front = reach - (REINFORCED - behind) / length
    walls = sum(each.thickness for each in stack for s in (front, 1 - front) if each.start <= s <= each.end)
    glass = layers.materials["glass_uni"]
    assert isinstance(glass, Orthotropic)
    return with_filling(section, outline, behind, walls, glass)


def with_filling(
    section: Section, outline: Array, behind: float, walls: float, glass: Orthotropic
) -> Section:
    """With the hollow of the last ``behind`` m, between ``walls`` m of both sides, filled: a rod in its centre."""
    part = outline[outline[:, 1] >= outline[:, 1].max() - behind]
    y, z = part.T
    turned = y * np.roll(z, -1) - np.roll(y, -1) * z
    y2, y3 = ((part + np.roll(part, -1, axis=0)).T @ turned) / (3.0 * turned.sum())
    area = max(abs(turned.sum()) / 2.0 - behind * walls, 0.0)
    stretch = np.array([1.0, 0.0, 0.0, 0.0, y3, -y2])
    velocities = np.array([[1, 0, 0, 0, y3, -y2], [0, 1, 0, -y3, 0, 0], [0, 0, 1, y2, 0, 0]])
    return Section.from_mass_matrix(
        section.stiffness + glass.E1 * area * np.outer(stretch, stretch),
        section.mass_matrix + glass.density * area * velocities.T @ velocities,
    )


def iea_15() -> list[Number]:
    """Worst ratios on ten stations and frequencies, of sections as SONATA has meshed them."""
    blade, layers, along = blades(IEA15)
    s = np.linspace(0.0, 1.0, STATIONS)
    table = SectionTable(s, [as_sonata(layers, float(at)) for at in s])
    pairs = [(as_sonata(layers, float(at)), blade.sections(float(along(at)))) for at in TEN]
    what = "IEA 15 MW as meshed by SONATA"
    rows = worst_ratios(f"{what}, at 5 % of the length", pairs[:1], tuple(ALLOWED))
    rows += worst_ratios(f"{what}, to 55 % of the length", pairs[:6], ("GA2", "GA3", "GJ"))
    rows += worst_ratios(what, pairs, ("mass", "EA", "EI3"))
    return rows + frequency_rows(what, blade, table, along)


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
