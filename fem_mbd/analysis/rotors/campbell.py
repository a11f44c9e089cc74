"""Campbell diagram: modes over the speed of rotation, tracked by shape; crossings with multiples of the speed.

`follow` tracks modes from one speed to the next by the similarity of their shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix

from fem_mbd.analysis.modal.eigen import symmetric
from fem_mbd.analysis.modal.linear_model import LinearModel
from fem_mbd.analysis.modal.modes import Modes, modes_of, scale_of
from fem_mbd.analysis.rotors.rotating_models import Family, ModeFamily
from fem_mbd.analysis.statics.equilibrium import Equilibrium
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.base.lazy import attached
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.scheme.state import State
from fem_mbd.errors import InputError

LOST_SIMILARITY = 0.3  # similarity of shapes below which a mode counts as lost


@dataclass(frozen=True, eq=False)
class Tracked:
    """Modes in the order of the tracks; k of them.

    eigenvalues : (k,), of a conjugate pair the one that continues the track (its sign marks a mode that passes through
        zero frequency); nan where lost
    shapes : (n, k) in the free unknowns, of unit modal mass; similarity : (k,) to the previous shapes, 0 to 1
    source : (k,) index of the mode among those of the speed, -1 where lost
    """

    eigenvalues: Complex
    shapes: Complex
    similarity: Array
    source: NDArray[np.intp]


def first(modes: Modes, number: int) -> Tracked:
    """Start of the tracks: the lowest ``number`` modes."""
    count = min(number, len(modes))
    shapes = np.asarray(modes.linear.basis @ modes.vectors)
    return Tracked(modes.eigenvalues[:count], shapes[:, :count], np.ones(count), np.arange(count))


def named(modes: Modes, names: Sequence[str], followed: Sequence[str]) -> Tracked:
    """The modes with the names ``followed`` (k,); ``names`` has one for each mode of ``found``."""
    source = np.array([names.index(name) if name in names else -1 for name in followed], dtype=np.intp)
    shapes = np.asarray(modes.linear.basis @ modes.vectors)[:, source]
    values = np.where(source < 0, np.nan, modes.eigenvalues[source])
    return Tracked(values, shapes, np.where(source < 0, 0.0, 1.0), source)


def follow(before: Tracked, modes: Modes, step: float, expected: Complex | None = None) -> Tracked:
    """The modes of ``found`` that continue ``before``, ``step`` (rad/s) further in speed.

    Shapes decide (modal assurance criterion with the mass matrix); where they do not, the nearest eigenvalue to the
    ``expected`` ones (k,), by default the previous ones. Each mode belongs to one track at most.
    """
    expected = before.eigenvalues if expected is None else expected
    shapes = np.asarray(modes.linear.basis @ modes.vectors)
    left = before.shapes.conj().T @ modes.linear.mass
    # a mode may continue as its conjugate: the sign of a frequency that passes through zero
    similarity = np.stack([_squared(left @ shapes), _squared(left @ shapes.conj())])
    values = np.stack([modes.eigenvalues, modes.eigenvalues.conj()])
    gap = np.abs(values[:, None, :] - expected[None, :, None])
    size = np.abs(values)[:, None, :] + np.abs(expected)[None, :, None] + 2 * abs(step)
    cost = 1 - similarity + gap / np.where(size > 0, size, 1.0)
    sign = cost.argmin(axis=0)
    best = cost.min(axis=0)
    rows, columns = scipy.optimize.linear_sum_assignment(np.where(np.isfinite(best), best, 10.0))
    source = np.full(len(expected), -1)
    source[rows] = columns
    return _collect(before, modes, shapes, similarity, sign, source)


def _collect(
    before: Tracked,
    modes: Modes,
    shapes: Complex,
    similarity: Array,
    sign: NDArray[np.intp],
    source: NDArray[np.intp],
) -> Tracked:
    k = len(source)
    rows = np.arange(k)
    conjugate = sign[rows, source] == 1
    best = np.where(source >= 0, similarity[sign[rows, source], rows, source], 0.0)
    # a lost track keeps its shape, so that it can be found again
    lost = ~(best >= LOST_SIMILARITY)
    values = np.where(conjugate, modes.eigenvalues[source].conj(), modes.eigenvalues[source])
    chosen = np.where(conjugate, shapes[:, source].conj(), shapes[:, source])
    return Tracked(
        np.where(lost, np.nan, values),
        np.where(lost, before.shapes, chosen),
        best,
        np.where(lost, -1, source),
    )


def _squared(products: Complex) -> Array:
    return np.minimum(np.abs(products) ** 2, 1.0)


SIMILARITY_LIMIT = 0.6  # similarity of shapes below which a step in speed is halved
HALVINGS = 4
CROSSING_TOLERANCE = 1e-10  # relative tolerance of a speed at which a track crosses a line


@dataclass(frozen=True, eq=False)
class Campbell:
    """Modes over speed; s speeds, k tracks.

    Attributes
    ----------
    family : the linear models at each speed
    speeds : (s,) rad/s
    frame : of frequencies and shapes, see `campbell`
    eigenvalues : (s, k) rad/s, along the tracks; nan where a track was lost
    whirl : (s, k) see `Modes.whirl`
    modes, tracks : all modes computed at each speed, and those tracked
    number, undamped : number of modes computed at each speed, and whether without damping
    names : of the tracks; () where modes have no names
    """

    family: ModeFamily
    speeds: Array
    eigenvalues: Complex
    whirl: Array
    modes: list[Modes]
    tracks: list[Tracked]
    number: int
    undamped: bool
    names: tuple[str, ...] = ()

    @property
    def frame(self) -> str:
        """ "rotating" or "inertial": the frame in which the motion is described."""
        return self.family.frame

    @property
    def over(self) -> str:
        """ "speed" (rad/s), or "wind": ``speeds`` are winds, m/s, of a machine's `campbell_over_winds`."""
        return str(getattr(self.family, "over", "speed"))

    @property
    def frequencies_hz(self) -> Array:
        """(s, k) as `Modes.frequencies_hz`."""
        size = np.abs(self.eigenvalues)
        return np.where(self.eigenvalues.imag == 0, 0.0 * size, size) / (2 * np.pi)

    @property
    def damping_ratios(self) -> Array:
        """(s, k) as `Modes.damping_ratios`."""
        size = np.abs(self.eigenvalues)
        return 0.0 - self.eigenvalues.real / np.where(size == 0, 1.0, size)

    @property
    def growth(self) -> Array:
        """(s,) 1/s, of the fastest growing motion at each speed, zero where none grows above round-off."""
        return np.array([0.0 if m.stable else float(m.eigenvalues.real.max()) for m in self.modes])

    def plot(self, title: str = "", per_rev: Sequence[int] | None = None) -> Any:
        """The diagram as a figure of matplotlib: ``diagram.plot().savefig("campbell.png")``.

        Frequencies over speed with lines at multiples of the speed, and damping ratios where there is damping.

        Parameters
        ----------
        title : above the figure
        per_rev : multiples of the speed to draw; by default those that excite a rotor in the diagram's frame

        Raises
        ------
        MissingDependency
            Without matplotlib.
        """
        return attached("Campbell.plot")(self, title, per_rev)

    def crossings(self, per_rev: float = 1.0) -> list[tuple[int, float]]:
        """Tracks and speeds (rad/s) at which a frequency is ``per_rev`` times the speed.

        Crossings are located between the computed speeds, then refined with the modes computed there.

        Parameters
        ----------
        per_rev : excitations per revolution, 1 for an unbalance, 3 for the passage of three blades
        """
        distance = np.abs(self.eigenvalues.imag) - per_rev * self.speeds[:, None]
        crossings = []
        for s, track in zip(*np.nonzero(distance[:-1] * distance[1:] < 0), strict=True):
            f = self._along(int(s), int(track), per_rev)
            a, b = self.speeds[s], self.speeds[s + 1]
            crossings.append((int(track), _root(f, a, b)))
        return sorted(crossings, key=lambda pair: pair[1])

    def divergence(self) -> Array:
        """Speeds (rad/s, ascending), of the range computed, at which a stiffness in the rotating frame vanishes.

        There a bent shaft is in equilibrium in the rotating frame: these are the critical speeds of a round rotor, each
        twice, or the two ends of the band in which an asymmetric one is unstable.
        """
        softest = [self._softest(modes.linear) for modes in self.modes]
        # motions that are free at every speed, such as the rotor's about its axis
        rigid = min(int((mu == 0).sum()) for mu in softest)
        softest = [_without(mu, rigid) for mu in softest]
        speeds = []
        for s, (a, b) in enumerate(zip(self.speeds[:-1], self.speeds[1:], strict=True)):
            counts = [int((mu < 0).sum()) for mu in softest[s : s + 2]]
            for k in range(min(counts), max(counts)):

                def lowest(speed: float, k: int = k) -> float:
                    return float(_without(self._softest(self.family.at(speed)), rigid)[k])

                speeds.append(_root(lowest, a, b))
        return np.sort(speeds)

    def _softest(self, linear: LinearModel) -> Array:
        """Lowest eigenvalues (rad^2/s^2) of the stiffness with the mass; negative ones first."""
        stiffness = linear.reduced(csr_matrix(0.5 * (linear.stiffness + linear.stiffness.T)))
        return symmetric(stiffness, linear.reduced(linear.mass), self.number)[0]

    def _along(self, s: int, track: int, per_rev: float) -> Callable[[float], float]:
        """Frequency of the track minus ``per_rev`` times the speed, between the speeds s and s + 1."""
        a, b = self.speeds[s], self.speeds[s + 1]

        def distance(speed: float) -> float:
            if speed in (a, b):
                value = self.eigenvalues[s if speed == a else s + 1, track]
            else:
                share = (speed - a) / (b - a)
                expected = (1 - share) * self.eigenvalues[s] + share * self.eigenvalues[s + 1]
                nearest, offset = (self.tracks[s], share) if share < 0.5 else (self.tracks[s + 1], share - 1)
                scale = scale_of(self.modes[s])
                modes = modes_of(self.family.at(speed), self.number, self.undamped, scale)
                value = follow(nearest, modes, offset * (b - a), expected).eigenvalues[track]
            return float(abs(value.imag) - per_rev * speed)

        return distance


def _root(function: Callable[[float], float], a: float, b: float) -> float:
    return float(scipy.optimize.brentq(function, a, b, rtol=CROSSING_TOLERANCE, xtol=CROSSING_TOLERANCE * b))


def _without(values: Array, count: int) -> Array:
    """The values without the ``count`` smallest by size."""
    return np.sort(values[np.argsort(np.abs(values))[count:]])


@arguments()
def campbell(
    model: Model,
    speeds: ArrayLike,
    *,
    axis: ArrayLike = (0.0, 0.0, 1.0),
    point: ArrayLike = (0.0, 0.0, 0.0),
    number: int = 10,
    frame: str = "rotating",
    rotor: Iterable[Node] | None = None,
    at: State | Equilibrium | None = None,
    undamped: bool = False,
) -> Campbell:
    """Modes over speed.

    Parameters
    ----------
    model : that rotates
    speeds : (s,) rad/s, ascending, from 0
    axis, point : (3,) of the rotation, global axes
    number : number of tracked modes, the lowest ones at the first speed
    frame : "rotating": the whole structure rotates, supports included, and is described in the rotating frame (blades
        and other structures that are not round); "inertial": a round rotor spins on fixed supports
    rotor : for "inertial", nodes that spin; by default found from beams and joints
    at : equilibrium at rest, see `modes`
    undamped : leave dampers and material damping out

    Raises
    ------
    InputError
        For speeds that do not ascend, or a rotor that is not round in the inertial frame.
    SolverFailure
        When no equilibrium is found at some speed; the message says where.
    """
    return follow_modes(Family(model, axis, point, frame, rotor, at), speeds, number, undamped)


def follow_modes(family: ModeFamily, speeds: ArrayLike, number: int = 10, undamped: bool = False) -> Campbell:
    """Modes over speed of a family of linear models.

    Parameters
    ----------
    family : linear models at any speed, of a `Family` or of a machine
    speeds, number, undamped : as for `campbell`

    Raises
    ------
    InputError
        For speeds that do not ascend.
    SolverFailure
        When no equilibrium is found at some speed; the message says where.
    """
    rates = np.atleast_1d(np.asarray(speeds, dtype=float))
    if rates.ndim != 1 or len(rates) < 1 or not np.all(np.isfinite(rates)):
        raise InputError("campbell: speeds have to be finite numbers, rad/s")
    if rates[0] < 0 or np.any(np.diff(rates) <= 0):
        raise InputError("campbell: speeds have to ascend and must not be negative")
    # tracks may leave the lowest modes as the speed grows: more modes are computed than tracked
    count = 2 * number + 6

    scale: float | None = None

    def compute(rate: float) -> Modes:
        nonlocal scale
        modes = modes_of(family.at(float(rate)), count, undamped, scale)
        scale = scale_of(modes)
        return modes

    all_modes = [compute(rates[0])]
    if family.names(all_modes[0]):
        all_modes += [compute(rate) for rate in rates[1:]]
        return _followed_by_name(family, rates, all_modes, (number, count), undamped)
    tracks = [first(all_modes[0], number)]
    for before, rate in zip(rates[:-1], rates[1:], strict=True):
        state, last = _advance(compute, tracks[-1], before, rate, HALVINGS)
        tracks.append(state)
        all_modes.append(last)
    values = np.array([t.eigenvalues for t in tracks])
    whirl = np.array([_whirl_of(m, t, family.axis.direction) for m, t in zip(all_modes, tracks, strict=True)])
    return Campbell(family, rates, values, whirl, all_modes, tracks, count, undamped)


def _followed_by_name(
    family: ModeFamily, rates: Array, all_modes: list[Modes], counts: tuple[int, int], undamped: bool
) -> Campbell:
    """Tracks by name, for the names of the lowest modes at the last speed.

    Names identify modes where shapes do not: at speeds where two frequencies cross and their shapes interchange.
    """
    names = [family.names(modes, whirling=True) for modes in all_modes]
    followed = names[-1][: counts[0]]
    tracks = [named(modes, labels, followed) for modes, labels in zip(all_modes, names, strict=True)]
    values = np.array([t.eigenvalues for t in tracks])
    whirl = np.array([_whirl_of(m, t, family.axis.direction) for m, t in zip(all_modes, tracks, strict=True)])
    return Campbell(family, rates, values, whirl, all_modes, tracks, counts[1], undamped, tuple(followed))


def _advance(
    compute: Callable[[float], Modes], tracked: Tracked, a: float, b: float, halvings: int
) -> tuple[Tracked, Modes]:
    """Tracks at speed b from those at a, through intermediate speeds where shapes change much."""
    modes = compute(float(b))
    state = follow(tracked, modes, b - a)
    known = ~np.isnan(tracked.eigenvalues)
    if (
        halvings == 0
        or np.all(state.similarity[known] >= SIMILARITY_LIMIT)
        or (a == 0.0 and np.all(state.similarity >= LOST_SIMILARITY))
    ):
        return state, modes
    middle, _ = _advance(compute, tracked, a, 0.5 * (a + b), halvings - 1)
    return _advance(compute, middle, 0.5 * (a + b), b, halvings - 1)


def _whirl_of(modes: Modes, tracked: Tracked, axis: Array) -> Array:
    whirl = modes.whirl(axis)
    return np.where(tracked.source >= 0, whirl[tracked.source], np.nan)
