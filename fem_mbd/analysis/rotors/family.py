"""Linear models of one structure at any speed of rotation: what modes over speed are computed from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from numpy.typing import ArrayLike

from fem_mbd.analysis.modal.linear_model import LinearModel, linearise
from fem_mbd.analysis.modal.modes import Modes
from fem_mbd.analysis.rotors.multiblade import MultiBlade
from fem_mbd.analysis.rotors.rotor import Rotor
from fem_mbd.analysis.statics.equilibrium import Equilibrium
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.suggestions import nearest
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.scheme.state import State
from fem_mbd.errors import InputError

FRAMES = ("rotating", "inertial")


class LinearFamily(Protocol):
    """Linear models of one structure at any speed, seen in one frame.

    Attributes
    ----------
    frame : "rotating", "inertial" or "multi-blade"
    axis : of the rotation
    rest : the linear model at standstill
    blades : coordinates of the rotor in the frame "multi-blade", None in others
    generator : name of the joint about which the rotor of a machine turns, "" for none
    """

    frame: str
    axis: Spin

    @property
    def rest(self) -> LinearModel: ...

    @property
    def blades(self) -> MultiBlade | None: ...

    @property
    def generator(self) -> str: ...

    def driving(self, bearings: Sequence[str]) -> LinearFamily:
        """The same structure, with bearings of a machine whose angle is given instead of fixed."""
        ...

    def at(self, rate: float) -> LinearModel:
        """The linear model at a speed, rad/s."""
        ...

    def names(self, found: Modes, whirling: bool = False) -> list[str]:
        """A name for each mode of one of the models; [] where modes have no names.

        whirling : standing motions too are named as the whirls that they become when the rotor turns
        """
        ...


class Family:
    """Linear models of one structure at any speed.

    frame : "rotating" turns with the whole structure (blades); "inertial" stands still while a round rotor spins
    """

    blades: MultiBlade | None = None
    generator = ""

    def __init__(
        self,
        model: Model,
        axis: ArrayLike,
        point: ArrayLike = (0.0, 0.0, 0.0),
        frame: str = "rotating",
        rotor: Iterable[Node] | None = None,
        at: State | Equilibrium | None = None,
    ):
        if frame not in FRAMES:
            raise InputError(f"frame is {frame!r}; {nearest(frame, FRAMES)}")
        if rotor is not None and frame != "inertial":
            raise InputError("nodes of a rotor are given: that goes with frame='inertial' only")
        self.model, self.frame = model, frame
        self.axis = Spin(point, axis, 0.0)
        self.rest = linearise(model, at)
        self.rotor = (
            Rotor(self.rest, self.axis.place, self.axis.direction, rotor) if frame == "inertial" else None
        )
        self._last = self.rest.equilibrium if at is None else at

    def at(self, rate: float) -> LinearModel:
        """The linear model at ``rate`` rad/s, about the equilibrium there.

        Raises
        ------
        SolverFailure
            When there is no equilibrium at that speed.
        """
        if self.rotor is not None:
            return self.rotor.at(rate)
        if rate == 0.0:
            return self.rest
        # a state at rest is no equilibrium in rotation: only a found one is a place to start from
        start = self._last if isinstance(self._last, Equilibrium) else None
        linear = linearise(self.model, start, spin=Spin(self.axis.place, self.axis.direction, rate))
        self._last = linear.equilibrium or self._last
        return linear

    def driving(self, bearings: Sequence[str]) -> Family:
        """The same: joints of a model are driven, or not, as it was built."""
        return self

    def names(self, found: Modes, whirling: bool = False) -> list[str]:
        """No names."""
        return []
