"""Natural frequencies of a rotating cantilever: out of the plane of rotation (flap) and in it (lag).

A. D. Wright, C. E. Smith, R. W. Thresher, J. L. C. Wang, Vibration modes of centrifugally stiffened beams, Journal of
Applied Mechanics 49 (1982) 197-202: uniform, clamped at the axis of rotation. Frequency and speed as multiples of
sqrt(EI/(m L⁴)). The digits below are from a boundary value problem of the inextensible beam without rotary inertia;
they agree with the publication.

Eight 4-node elements. The beam here is extensible and shear-flexible and has rotary inertia: EA L²/EI = 1e8, GA L²/EI =
1e7 and an inertia of 1e-8 m L² per length reduce the frequencies by up to 5e-6 (relative), the discretisation by 6e-6.
All speeds are in one Campbell diagram, which tracks modes by their shapes: at rest flap and lag have the same
frequencies.
"""

import numpy as np

from fem_mbd import Campbell, Model, campbell
from fem_mbd.elements import Beam, Section
from tests.validation.problem import Number, Picture, Problem, Solution, numbers, ours, reference

# speed: flap 1, 2, 3 and lag 1
FREQUENCIES = {
    0: (3.51602, 22.03449, 61.69721, 3.51602),
    2: (4.13732, 22.61492, 62.27318, 3.62180),
    4: (5.58500, 24.27335, 63.96676, 3.89772),
    6: (7.36037, 26.80908, 66.68391, 4.26323),
    8: (9.25684, 29.99538, 70.29296, 4.65715),
    12: (13.17015, 37.60311, 79.61448, 5.42705),
}
NAMES = ("flap 1", "flap 2", "flap 3", "lag 1")
ALLOWED = 2e-5  # relative


def diagram() -> Campbell:
    """EI = m = L = 1, so that frequencies and speeds in rad/s are the multiples."""
    section = Section(np.diag([1e8, 1e7, 1e7, 1.0, 1.0, 1.0]), 1.0, np.diag([2e-8, 1e-8, 1e-8]))
    model = Model()
    beam = model.add(Beam(section, (0, 0, 0), (1, 0, 0), elements=8))
    model.fix(beam.start)
    return campbell(model, np.arange(13.0), axis=(0, 0, 1), number=6)


def solve() -> Solution:
    found = diagram()
    frequencies = 2 * np.pi * found.frequencies_hz
    shapes = np.abs(found.modes[-1].shapes[found.tracks[-1].source])
    flap = shapes[:, :, 2].max(axis=1) > shapes[:, :, 1].max(axis=1)
    order = np.argsort(frequencies[-1])
    chosen = [*[k for k in order if flap[k]][:3], next(k for k in order if not flap[k])]
    rows: list[Number] = []
    for speed, values in FREQUENCIES.items():
        for name, value, track in zip(NAMES, values, chosen, strict=True):
            at = {f"{name} at speed {speed}": value}
            rows += numbers("", "", at, [frequencies[speed, track]], ALLOWED * value)
    speeds, table = np.array(list(FREQUENCIES)), np.array(list(FREQUENCIES.values()))
    pictures = []
    for first, last in ((0, 4), (1, 3)):
        curves = [
            ours(found.speeds, frequencies[:, chosen[k]], NAMES[k])
            for k in range(4)
            if first <= k < last and (first or k in (0, 3))
        ]
        curves += [
            reference(speeds, table[:, k], "Wright et al." if n == 0 else "")
            for n, k in enumerate([0, 3] if not first else [1, 2])
        ]
        pictures.append(Picture("speed / sqrt(EI/mL⁴)", "frequency / sqrt(EI/mL⁴)", curves))
    return Solution(rows, pictures)


PROBLEM = Problem(
    name="rotating_cantilever",
    title="Rotating cantilever",
    group="Frequencies",
    source="Wright, Smith, Thresher & Wang 1982",
    reference="boundary value problem, six digits",
    solve=solve,
)
