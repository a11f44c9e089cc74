"""Modes of a model about an equilibrium: frequencies, damping ratios, mode shapes, sense of whirl, as texts too."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.analysis.modal.eigen import lowest_frequency, round_off, symmetric, warn_of_round_off
from fem_mbd.analysis.modal.lagging import modes_with_states
from fem_mbd.analysis.modal.linear_model import LinearModel, linearise
from fem_mbd.analysis.modal.mode_views import DisplacedModel, ModeView
from fem_mbd.analysis.modal.quadratic import quadratic
from fem_mbd.analysis.statics.equilibrium import Equilibrium
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.base.attached import attached
from fem_mbd.base.validation import whole_number
from fem_mbd.core.model.model import Model
from fem_mbd.core.rotations import triad_with_third
from fem_mbd.core.scheme.state import State
from fem_mbd.errors import InputError

GROWTH_TOLERANCE = 1e-6  # fraction of an eigenvalue's magnitude: smaller real parts are round-off
ROUND_OFF_MARGIN = 100.0  # multiple of the change due to round-off, likewise
ACROSS = 1e-10  # fraction of the energy: smaller motions across an axis are round-off
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
        work = self.linear.system.work
        weights = np.stack([work.mass, np.trace(work.inertia, axis1=1, axis2=2) / 2], axis=1)
        halves = self.shapes.reshape(len(self), work.n, 2, 3)
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

        found = fem_mbd.modes(model, 6)
        found.frequencies_hz, found.damping_ratios, found.shapes

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
    """
    if not isinstance(model, Model):
        raise InputError(_alternative_call(model))
    return modes_of(linearise(model, at, spin=spin), number, undamped)


def _alternative_call(given: Any) -> str:
    """Function to call instead for an argument that is not a model."""
    kind = type(given).__name__
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
    if linear.internal is not None:
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
