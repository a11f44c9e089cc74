"""Mode shapes by part: complex amplitudes of a part's quantities, under the names of `Result.of` and `Equilibrium.of`.

An amplitude is the derivative of a quantity along the mode's motion: displacements x, velocities lambda x, and
multipliers that balance (lambda^2 M + lambda (G + D) + K) x. It is computed by central differences with a largest
motion of 1e-5 model lengths or rad, real and imaginary part separately: accurate to about 1e-9 of the largest amplitude
where section forces are not differences of far larger ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from scipy.sparse import csr_matrix

from fem_mbd.analysis.modal.linear_model import LinearModel
from fem_mbd.analysis.modal.rotating import balancing
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.base.arrays import Array, Complex, Indices
from fem_mbd.core.scheme.state import State
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.node import Wrench
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
        self, motion: Array, multipliers: Array, velocity: Array, size: float = STEP
    ) -> tuple[SingleState, SingleState, float]:
        """The states displaced forwards and backwards, and the step: the fraction of the motion applied.

        Parameters
        ----------
        motion, velocity : (n,) of the free unknowns
        multipliers : (m,) change of the joints' multipliers
        size : largest displacement of a node (model lengths) or rotation (rad)
        """
        displacement = self._linear.expand(motion)
        largest = max(
            np.abs(displacement[:, :3]).max() / self._linear.system.length, np.abs(displacement[:, 3:]).max()
        )
        step = size / float(largest) if largest > 0 else 1.0
        change = step * np.concatenate([motion, multipliers])
        return self.at(change, step * velocity), self.at(-change, -step * velocity), step

    def at(self, change: Array, velocity: Array) -> SingleState:
        """The state displaced by ``change``.

        Parameters
        ----------
        change : (n + m,) of the free unknowns and the multipliers
        velocity : (n,)
        """
        state: State = self._statics.update(self._linear.state, change)
        full = np.zeros((self._linear.system.work.n, 6))
        full[tuple(self._statics.unknowns.T)] = velocity
        state.v, state.omega = full[:, :3], full[:, 3:]
        outputs = self._statics.outputs(state, moving=True)
        return ModeState(
            self._table, {k: v for k, v in outputs.items() if k not in PATH_DEPENDENT}, state.time
        )


class DisplacedModel:
    """The model displaced along modes, forwards and backwards, by real and by imaginary part."""

    def __init__(self, linear: LinearModel, eigenvalues: Complex, vectors: Complex, undamped: bool) -> None:
        self._linear = linear
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
        multipliers = np.zeros(linear.system.constraints, dtype=complex)
        if len(multipliers):
            parts = [balancing(linear.constraints, part) for part in (force.real, force.imag)]
            multipliers = -parts[0] - 1j * parts[1]
        velocity = value * x
        return [
            self._displaced.pair(x.real, multipliers.real, velocity.real),
            self._displaced.pair(x.imag, multipliers.imag, velocity.imag),
        ]
