"""Modes of a model about an equilibrium: frequencies, damping ratios, mode shapes by part, sense of whirl.

`ModeView` has the mode shape of one part: complex amplitudes of its quantities, under the names of `Result.of` and
`Equilibrium.of`. An amplitude is the derivative of a quantity along the mode's motion: displacements x, velocities
lambda x, and multipliers that balance (lambda^2 M + lambda (G + D) + K) x. It is computed by central differences with a
largest motion of 1e-5 model lengths or rad, real and imaginary part separately: accurate to about 1e-9 of the largest
amplitude where section forces are not differences of far larger ones.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix

from fem_mbd.analysis.modal.eigen import lowest_frequency, quadratic, round_off, symmetric, warn_of_round_off
from fem_mbd.analysis.modal.lagging import modes_with_states
from fem_mbd.analysis.modal.linear_model import LinearModel, balancing, linearise
from fem_mbd.analysis.statics.equilibrium import Equilibrium
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Complex, Indices
from fem_mbd.base.lazy import attached
from fem_mbd.base.validation import whole_number
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.ranges import RangeWarning
from fem_mbd.core.rotations import triad_with_third
from fem_mbd.core.scheme.state import State, ambient_vectors
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.part import Wrench
from fem_mbd.runs.results.views.part_access import SingleState
from fem_mbd.runs.results.views.part_table import PartTable

PATH_DEPENDENT = ("contact", "bristle")  # outputs of friction, which modes do not determine
STEP = 1e-5  # model lengths, or rad


class NoAmplitude(InputError, AttributeError):
    """A quantity that has no amplitude in modes; for ``hasattr`` it is not there."""


class ModeState(SingleState):
    """A configuration displaced along a mode."""

    def values(self, output: Any, quantity: Any, rows: Indices) -> Any:
        """As `States.values`; InputError for quantities that a displaced configuration does not determine."""
        if output.name not in self._outputs:
            raise NoAmplitude(f"modes: '{output.name}' is not available for modes")
        return super().values(output, quantity, rows)


class ModeView:
    """Complex amplitudes (modes, …) of a part's quantities; the motion is Re(amplitude exp(eigenvalue t)).

    Quantities and methods are those of the part's view in a result: of a body ``displacement``, ``rotation_matrix``,
    ``velocity``; of a beam ``position(at=)``, ``section_force(at=)``; of a joint ``reaction``, ``displacement``; of a
    spring ``length``, ``force``. In steady rotation the axes rotate with the structure.
    """

    def __init__(self, views: list[list[tuple[Any, Any, float]]]) -> None:
        self._views = views
        self.name = views[0][0][0].name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if callable(getattr(type(self._views[0][0][0]), name, None)):
            return lambda *args, **kwargs: self._amplitude(lambda view: getattr(view, name)(*args, **kwargs))
        return self._amplitude(lambda view: getattr(view, name))

    def __getitem__(self, name: str) -> Any:
        return self._amplitude(lambda view: view[name])

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *dir(self._views[0][0][0])]

    def _amplitude(self, read: Callable[[Any], Any]) -> Any:
        value = read(self._views[0][0][0])
        if isinstance(value, Wrench):
            return Wrench(
                self._amplitude(lambda view: read(view).force),
                self._amplitude(lambda view: read(view).moment),
            )
        if isinstance(value, scipy.spatial.transform.Rotation):
            raise NoAmplitude("modes: a rotation has no amplitudes: choose rotation_matrix")
        return np.array([self._of_mode(read, *mode) for mode in self._views])

    @staticmethod
    def _of_mode(read: Callable[[Any], Any], real: Any, imaginary: Any) -> Complex:
        (ahead, back, step), (ahead_i, back_i, step_i) = real, imaginary
        slope = (read(ahead) - read(back)) / (2 * step)
        return np.asarray(slope + 1j * (read(ahead_i) - read(back_i)) / (2 * step_i))


class DisplacedStates:
    """The structure of a linear model, displaced slightly forwards and backwards.

    Parameters
    ----------
    linear : the model
    """

    def __init__(self, linear: LinearModel) -> None:
        self._linear = linear
        self._statics = StaticForces(linear.system, linear.state.time, friction=True)
        self._table = PartTable(linear.system.describe())

    def pair(
        self, motion: Array, multipliers: Array, velocity: Array, states: Array, size: float = STEP
    ) -> tuple[SingleState, SingleState, float]:
        """The states displaced forwards and backwards, and the step: the fraction of the motion applied.

        Parameters
        ----------
        motion, velocity : (n,) of the free unknowns
        multipliers : (m,) change of the joints' multipliers
        states : (k,) change of the internal states
        size : largest displacement of a node (model lengths) or rotation (rad)
        """
        displacement = self._linear.expand(motion)
        largest = max(
            np.abs(displacement[:, :3]).max() / self._linear.system.length, np.abs(displacement[:, 3:]).max()
        )
        step = size / float(largest) if largest > 0 else 1.0
        change = step * np.concatenate([motion, multipliers])
        forward = self.at(change, step * velocity, step * states)
        return forward, self.at(-change, -step * velocity, -step * states), step

    def at(self, change: Array, velocity: Array, states: Array | None = None) -> SingleState:
        """The state displaced by ``change``.

        Parameters
        ----------
        change : (n + m,) of the free unknowns and the multipliers
        velocity : (n,)
        states : (k,) change of the internal states; of those that do not relax none
        """
        state: State = self._statics.update(self._linear.state, change)
        full = np.zeros((self._linear.system.workspace.n, 6))
        full[tuple(self._statics.unknowns.T)] = velocity
        state.v, state.omega = full[:, :3], full[:, 3:]
        if states is not None and self._linear.internal is not None:
            self._linear.internal.move(state.history, states)
        outputs = self._statics.outputs(state, moving=True)
        return ModeState(
            self._table, {k: v for k, v in outputs.items() if k not in PATH_DEPENDENT}, state.time
        )


class DisplacedModel:
    """The model displaced along modes, forwards and backwards, by real and by imaginary part."""

    def __init__(self, linear: LinearModel, eigenvalues: Complex, vectors: Complex, undamped: bool) -> None:
        self._linear, self._undamped = linear, undamped
        self._displaced = DisplacedStates(linear)
        rates = linear.gyroscopic if undamped else csr_matrix(linear.gyroscopic + linear.damping)
        self._pairs = [
            self._along(value, linear.basis @ vector, rates)
            for value, vector in zip(eigenvalues, vectors.T, strict=True)
        ]

    def of(self, part: Any) -> ModeView:
        """Amplitudes of one part: see `ModeView`."""
        return ModeView([[(a.of(part), b.of(part), step) for a, b, step in mode] for mode in self._pairs])

    def _along(
        self, value: complex, x: Complex, rates: csr_matrix
    ) -> list[tuple[SingleState, SingleState, float]]:
        linear = self._linear
        force = value**2 * (linear.mass @ x) + value * (rates @ x) + linear.stiffness @ x
        states = np.zeros(0, dtype=complex)
        if linear.internal is not None and not self._undamped:
            states = linear.internal.follow(value, x)
            force = force + linear.internal.force @ states
        multipliers = np.zeros(linear.system.constraints, dtype=complex)
        if len(multipliers):
            parts = [balancing(linear.constraints, part) for part in (force.real, force.imag)]
            multipliers = -parts[0] - 1j * parts[1]
        velocity = value * x
        return [
            self._displaced.pair(x.real, multipliers.real, velocity.real, states.real),
            self._displaced.pair(x.imag, multipliers.imag, velocity.imag, states.imag),
        ]


GROWTH_TOLERANCE = 1e-6  # fraction of an eigenvalue's magnitude: smaller real parts are round-off
ROUND_OFF_MARGIN = 100.0  # multiple of the change due to round-off, likewise
ACROSS = 1e-10  # fraction of the energy: smaller motions across an axis are round-off
UNMOVED = 1e-18  # fraction of the mass of a mode with its strains that relax: motions with less are round-off
LEAST_SCALE = 0.05  # fraction of the median frequency: the lowest one may pass through zero
SYMMETRY_TOLERANCE = 1e-8  # fraction of the largest entry: permitted asymmetry of a symmetric stiffness


@dataclass(frozen=True, eq=False)
class Modes:
    """Modes in ascending order of ``|eigenvalue|``; k modes, r degrees of freedom.

    Attributes
    ----------
    linear : the linearised model
    eigenvalues : (k,) complex, rad/s; motion as exp(eigenvalue t), one of each conjugate pair
    vectors : (r, k) in the reduced unknowns, complex, of unit modal mass
    undamped : whether dampers and material damping were left out
    uncertainty : (k,) relative error of the eigenvalues due to round-off, where known
    names : (k,) of the modes of a machine, see `Machine.modes`; none otherwise
    """

    linear: LinearModel
    eigenvalues: Complex
    vectors: Complex
    undamped: bool = False
    uncertainty: Array | None = None
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.eigenvalues)

    @property
    def frequencies_hz(self) -> Array:
        """(k,) natural frequencies ``|eigenvalue|/2 pi``; zero for motions that do not oscillate."""
        oscillates = self.eigenvalues.imag != 0
        return np.where(oscillates, np.abs(self.eigenvalues), 0.0) / (2 * np.pi)

    @property
    def damped_frequencies_hz(self) -> Array:
        """(k,) frequencies of the damped oscillations, ``|imaginary part|/2 pi``."""
        return np.abs(self.eigenvalues.imag) / (2 * np.pi)

    @property
    def damping_ratios(self) -> Array:
        """(k,) ``-Re/|eigenvalue|``: negative when the motion grows, 0 for a rigid motion."""
        size = np.abs(self.eigenvalues)
        # 0.0 minus the value instead of a change of sign: a rigid motion has 0.0, not -0.0
        return 0.0 - self.eigenvalues.real / np.where(size > 0, size, 1.0)

    @property
    def stable(self) -> bool:
        """Whether no mode grows: no eigenvalue has a positive real part above round-off, relative to itself or to the
        model.

        Growth by a factor e in more than 1/(2 pi GROWTH_TOLERANCE) periods is neglected.
        """
        round_off = 0.0 if self.uncertainty is None else ROUND_OFF_MARGIN * self.uncertainty
        limit = np.maximum(GROWTH_TOLERANCE, round_off)
        return bool((self.eigenvalues.real <= limit * np.abs(self.eigenvalues)).all())

    @property
    def shapes(self) -> Complex:
        """(k, nodes, 6) displacement and rotation of every node, global axes (rotating ones in steady rotation)."""
        return np.array([self.linear.displacements(v) for v in self.vectors.T])

    def of(self, part: Any) -> ModeView:
        """Complex amplitudes (k, …) of one part's quantities in every mode, under the names of `fem_mbd.Result.of`.

            found.of(beam).section_force(at=0.5), found.of(joint).reaction.force, found.of(body).displacement

        Parameters
        ----------
        part : its handle or name, a node or a point of the model, or a list of handles of one kind

        Raises
        ------
        InputError
            When no part has this name (the nearest is suggested), or modes do not determine the quantity.
        """
        return self._displaced.of(part)

    def animate(self, file: str | Path | None = None, **options: Any) -> Any:
        """Animation of the mode shapes, one page for any browser.

        Parameters
        ----------
        file : where to write the page; optional
        options : ``amplitude`` of the largest displacement, as a fraction of the model's size
        """
        return attached("Modes.animate")(self, file, **options)

    @cached_property
    def _displaced(self) -> DisplacedModel:
        return DisplacedModel(self.linear, self.eigenvalues, self.vectors, self.undamped)

    def whirl(self, axis: ArrayLike | None = None) -> Array:
        """(k,) sense of whirl about an axis, from -1, all backward, to 1, all forward; 0 for motion in planes.

        Parameters
        ----------
        axis : (3,) global axes; by default that of the rotation. Nodes are weighted by mass and inertia.
        """
        if axis is None:
            axis = self.linear.spin
            if not np.any(axis):
                raise InputError("whirl: the structure does not rotate: give the axis")
        first, second = triad_with_third(axis, "axis of whirl")[:, :2].T
        workspace = self.linear.system.workspace
        weights = np.stack([workspace.mass, np.trace(workspace.inertia, axis1=1, axis2=2) / 2], axis=1)
        halves = self.shapes.reshape(len(self), workspace.n, 2, 3)
        p, q = halves @ first, halves @ second
        forward = np.einsum("knh,nh->k", np.abs(p + 1j * q) ** 2, weights)
        backward = np.einsum("knh,nh->k", np.abs(p - 1j * q) ** 2, weights)
        total = forward + backward
        # of torsion about the axis, what moves across it is round-off
        energy = np.einsum("knhi,nh->k", np.abs(halves) ** 2, weights)
        return np.where(total > ACROSS * energy, (forward - backward) / np.where(total > 0, total, 1.0), 0.0)


@arguments()
def modes(
    model: Model,
    number: int = 10,
    *,
    at: State | Equilibrium | None = None,
    spin: Spin | None = None,
    undamped: bool = False,
) -> Modes:
    """The lowest ``number`` modes of a model about an equilibrium at rest or in steady rotation.

        result = fem_mbd.modes(model, 6)
        result.frequencies_hz, result.damping_ratios, result.shapes

    Parameters
    ----------
    model : with joints, loads and gravity
    number : of modes
    at : the equilibrium; by default the reference configuration if that is one, otherwise the result of
        `find_equilibrium`
    spin : steady rotation of the whole structure; frequencies and shapes are then those in the rotating frame
    undamped : leave dampers and material damping out

    Raises
    ------
    InputError
        When joints do not close, or a `State` given as ``at`` is not an equilibrium.
    SolverFailure
        When there is no equilibrium, or when round-off hides elastic motions among those at 0 Hz.

    Warns
    -----
    PrecisionWarning
        When stiffnesses differ so much that round-off leaves few correct digits.
    RangeWarning
        When elements of beams are too long for waves of the highest frequency asked for.
    """
    if not isinstance(model, Model):
        raise InputError(_alternative_call(model))
    result = modes_of(linearise(model, at, spin=spin), number, undamped)
    warn_of_coarse_parts(result)
    return result


def warn_of_coarse_parts(modes: Modes, stacklevel: int = 3) -> None:
    """Issue a `RangeWarning` where elements are too long for waves of the highest frequency among modes.

    Parameters
    ----------
    modes : as asked for, and no others
    stacklevel : of the warning
    """
    rate = float(np.abs(modes.eigenvalues.imag).max(initial=0.0))
    if rate == 0.0:
        return
    system, q = modes.linear.system, ambient_vectors(modes.linear.state)
    coarse = [text for kind in system.kinds for text in kind.too_coarse_to_vibrate(q, rate)]
    if coarse:
        warnings.warn(
            f"modes: model '{system.model.name}', the mesh does not resolve its mode at {rate / (2 * np.pi):.4g} Hz: "
            f"{'; '.join(coarse)}",
            RangeWarning,
            stacklevel=stacklevel,
        )


def _alternative_call(argument: Any) -> str:
    """Function to call instead for an argument that is not a model."""
    kind = type(argument).__name__
    calls = {
        "LinearModel": "from fem_mbd.analysis.modal.modes import modes_of; modes_of(linear, number)",
        "StateSpace": "space.eigenvalues",
        "Machine": "machine.modes(speed, number)",
        "MachineFamily": "from fem_mbd.analysis.modal.modes import modes_of; modes_of(family.at(speed), number)",
        "Assembly": "fm.modes(assembly.model, number), or machine.modes(speed, number) of a rotor that turns",
    }
    return (
        f"modes: the argument has to be a Model; for this {kind} call "
        f"{calls.get(kind, 'it with the model that it belongs to')}"
    )


def modes_of(
    linear: LinearModel, number: int = 10, undamped: bool = False, scale: float | None = None
) -> Modes:
    """The lowest ``number`` modes of a linear model; see `modes`.

    Parameters
    ----------
    linear : the linear model
    number, undamped : as for `modes`
    scale : rad/s, approximate frequency of the lowest elastic motions, as known from a similar model (`scale_of`);
        by default it is computed. It scales the equations and has no other effect.
    """
    whole_number(number, "modes: number")
    mass, stiffness = linear.reduced(linear.mass), linear.reduced(linear.stiffness)
    rates = linear.gyroscopic if undamped else linear.gyroscopic + linear.damping
    rates = linear.reduced(rates)
    if linear.internal is not None and linear.internal.relaxing and not undamped:
        return _with_relaxation(linear, (stiffness, rates, mass), number, scale)
    if linear.internal is not None and not linear.internal.relaxing:
        values, vectors = modes_with_states(
            (stiffness, rates, mass), linear.internal, (linear.left, linear.basis), number
        )
        order = np.argsort(np.abs(values), kind="stable")
        return Modes(linear, values[order], _with_phase(vectors[:, order]), undamped)
    asymmetric = abs(stiffness - stiffness.T).max() > SYMMETRY_TOLERANCE * abs(stiffness).max()
    if rates.nnz == 0 and not asymmetric:
        squares, shapes = symmetric(0.5 * (stiffness + stiffness.T), mass, number)
        # the pair of an unstable motion is +-sqrt(-mu): the growing one represents it
        values = np.where(squares >= 0, 1j, 1.0) * np.sqrt(np.abs(squares))
        vectors, free = shapes.astype(complex), squares == 0.0
    else:
        values, vectors, free = quadratic(
            stiffness, rates, mass, number, scale or lowest_frequency(stiffness, mass)
        )
    uncertainty = warn_of_round_off(
        stiffness, np.where(free, 0.0, np.abs(values)), np.abs(vectors), round_off(stiffness, vectors),
        lambda: lowest_frequency(stiffness, mass),
    )  # fmt: skip
    values, uncertainty = (np.where(np.isfinite(uncertainty), v, 0.0) for v in (values, uncertainty))
    order = np.argsort(np.abs(values), kind="stable")
    return Modes(linear, values[order], _with_phase(vectors[:, order]), undamped, uncertainty[order])


def _with_relaxation(
    linear: LinearModel, matrices: tuple[csr_matrix, csr_matrix, csr_matrix], number: int, scale: float | None
) -> Modes:
    """Modes with strains that relax as unknowns; relaxations that move nothing are left out."""
    states, mass = linear.internal, matrices[2]
    assert states is not None
    scale = scale or lowest_frequency(matrices[0], mass)
    stiffness, rates, inertia, measure = states.extended(matrices, (linear.left, linear.basis))
    values, vectors, free = quadratic(stiffness, rates, inertia, number + len(states), scale, measure)
    motion = vectors[: mass.shape[0]]
    size = np.einsum("ij,ij->j", motion.conj(), mass @ motion).real
    kept = np.flatnonzero(size > UNMOVED)[:number]
    values, vectors, motion = values[kept], vectors[:, kept], motion[:, kept] / np.sqrt(size[kept])
    uncertainty = warn_of_round_off(
        stiffness, np.where(free[kept], 0.0, np.abs(values)), np.abs(vectors), round_off(stiffness, vectors),
        lambda: scale,
    )  # fmt: skip
    values, uncertainty = (np.where(np.isfinite(uncertainty), v, 0.0) for v in (values, uncertainty))
    order = np.argsort(np.abs(values), kind="stable")
    return Modes(linear, values[order], _with_phase(motion[:, order]), False, uncertainty[order])


def scale_of(modes: Modes) -> float | None:
    """rad/s, frequency of the lowest vibration among modes, or None without vibrations.

    A mode whose frequency passes through zero does not count: the lowest value is a fraction of the median.
    """
    vibrations = np.abs(modes.eigenvalues[modes.eigenvalues.imag != 0])
    if not len(vibrations):
        return None
    return float(max(vibrations.min(), LEAST_SCALE * np.median(vibrations)))


def _with_phase(vectors: Complex) -> Complex:
    """Each vector scaled by a phase so that its largest entry is real and positive."""
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=0)[None, :], axis=0)
    return vectors * (largest.conj() / np.abs(largest))


def motion_of(value: complex, digits: int = 5) -> str:
    """Text for an eigenvalue, 1/s: "0.25 Hz", "over-damped (1/e in 0.02 s)", "growing (e in 3 s)"; "0 Hz" for rigid
    motions.

    Parameters
    ----------
    value : the eigenvalue
    digits : of the numbers
    """
    if value.imag or not value.real:
        return f"{abs(value) / (2 * np.pi):.{digits}g} Hz"
    time = f"{1.0 / abs(value.real):.{min(digits, 3)}g} s"
    return f"over-damped (1/e in {time})" if value.real < 0.0 else f"growing (e in {time})"
