"""Random nets of taut beams and cables under gravity, wind and impacts: no part is longer than its strain says.

Each net is a random tree with further ties between its points, some of them fixed; its members are beams of 2, 3 or 4
nodes, with N h^2/EI from 1 to 1e6, or cables. The length of the curve through the nodes of each member is compared with
its natural length times one plus its largest strain. A run may stop by a range of its parts, but not pass silently.
"""

import warnings

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.core.model.ranges import RangeWarning
from fem_mbd.elements import Beam, Cable, Force, PointMass, Section
from fem_mbd.joints import Spherical

STRAIN = 2e-3  # of the members at the start, as tension
ALLOWED = 0.01  # of the length: rotation within the elements makes them longer than their strain by less
NETS, SHARES = 40, 10


def _section(rng: np.random.Generator, tension: float, length: float) -> Section:
    stretching = tension / STRAIN
    bending = tension * length**2 / 10 ** rng.uniform(0.0, 6.0)
    return Section(
        np.diag([stretching, 0.4 * stretching, 0.4 * stretching, bending, bending, bending]),
        1.0,
        1e-5 * length**2 * np.diag([2.0, 1.0, 1.0]),
    )


def _net(seed: int, mesh: int) -> tuple[fm.Model, list, list, dict[str, float]]:
    """Model, beams, cables and their EA: corners of a plane grid with random heights, tied to their neighbours."""
    rng, counts = np.random.default_rng(seed), np.random.default_rng((seed, mesh))
    model = fm.Model(gravity=(0, 0, -9.81))
    size = 3
    points = {
        (i, j): np.array([2.0 * i, 2.0 * j, 0.0]) + rng.uniform(-0.4, 0.4, 3)
        for i in range(size)
        for j in range(size)
    }
    masses = {}
    for key, position in points.items():
        masses[key] = model.add(PointMass(rng.uniform(0.5, 5.0), position, name=f"mass {key}"))
        if key[0] in (0, size - 1) or key[1] in (0, size - 1):
            model.fix(masses[key])
    beams, cables, stiffnesses = [], [], {}
    for (i, j), start in points.items():
        for other in ((i + 1, j), (i, j + 1)):
            if other not in points or (start[2] == points[other][2]):
                continue
            ends = masses[i, j], masses[other]
            tension = 10 ** rng.uniform(2.0, 4.0)
            if rng.uniform() < 0.3:
                count = int(counts.integers(1, 7))
                cables.append(model.add(Cable(tension / STRAIN, 1.0, *ends, elements=count, tension=tension)))
                stiffnesses[cables[-1].name] = tension / STRAIN
            else:
                beams.append(_member(model, rng, counts, ends, tension))
    centre = masses[1, 1]
    wind = fm.time_functions.SmoothStep(0.0, 0.05, np.zeros(3), rng.normal(0.0, 300.0, 3))
    model.add(Force(centre, wind))
    if rng.uniform() < 0.5:
        model.set_velocity(centre, rng.normal(0.0, 2.0, 3))  # an impact
    return model, beams, cables, stiffnesses


def _member(
    model: fm.Model, rng: np.random.Generator, counts: np.random.Generator, ends: tuple, tension: float
):
    """A beam between two masses, hinged to them, under tension: its natural length is shorter than their distance."""
    a, b = (end.node.position for end in ends)
    length = float(np.linalg.norm(b - a))
    order, count = int(counts.integers(2, 5)), int(counts.integers(1, 7))
    section = _section(rng, tension, length / count)
    beam = model.add(Beam(section, a, b, elements=count, order=order, damping=1e-3))
    for end, node in zip(ends, (beam.start, beam.end), strict=True):
        model.add(Spherical(end, node))
    axis = (b - a) / length
    model.add(Force(beam.start, -tension * axis))
    model.add(Force(beam.end, tension * axis))
    return beam


def _curve(result: fm.Result, handle) -> np.ndarray:
    """(k,) m, length of the polygon through the nodes."""
    places = np.array([result.of(node).position for node in handle.nodes])
    return np.linalg.norm(np.diff(places, axis=0), axis=2).sum(axis=0)


@pytest.mark.parametrize("share", range(SHARES))
def test_no_member_is_longer_than_its_strain(share: int) -> None:
    """Each net on one of its ten meshes."""
    for seed in range(share, NETS, SHARES):
        check_net(seed, mesh=seed % 10)


def check_net(seed: int, mesh: int) -> None:
    """Run a net on one of its meshes and compare lengths."""
    model, beams, cables, stiffnesses = _net(seed, mesh)
    what = f"net {seed}, mesh {mesh}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = fm.simulate(model, 0.3, fm.StepControl.fixed(5e-3))
        except fm.SolverFailure as error:
            assert "beyond" in str(error), f"{what}: {error}"
            return
    named = " ".join(str(w.message) for w in caught if issubclass(w.category, RangeWarning))
    for handle in beams:
        strains = result.of(handle).section_strain()[..., :3]
        stretch = np.linalg.norm(strains + (1.0, 0.0, 0.0), axis=2).max(axis=1)  # with shear
        over = (_curve(result, handle) / (handle.line.length * stretch)).max() - 1
        assert over <= ALLOWED or f"'{handle.name}'" in named, f"{what}, {handle.name}: {over:.3g} too long"
    for handle in cables:
        stretch = 1 + result.of(handle).tension.max(axis=1) / stiffnesses[handle.name]
        over = (result.of(handle).length.sum(axis=1) / (handle.length * stretch)).max() - 1
        assert over <= ALLOWED or f"'{handle.name}'" in named, f"{what}, {handle.name}: {over:.3g} too long"
