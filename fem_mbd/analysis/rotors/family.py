"""Family of linear models of one structure at any speed of rotation, from which modes over speed are computed."""

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
    """Protocol: linear models of one structure at any speed, in one frame.

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
        """The same structure with some bearings of a machine driven at a prescribed angle instead of fixed."""
        ...

    def at(self, rate: float) -> LinearModel:
        """The linear model at a speed, rad/s."""
        ...

    def names(self, found: Modes, whirling: bool = False) -> list[str]:
        """A name for each mode of one of the models; [] where modes have no names.

        whirling : name standing modes, too, as the whirls that they become when the rotor turns
        """
        ...


class Family:
    """Linear models of one structure at any speed.

    frame : "rotating" rotates with the whole structure (blades); "inertial" is fixed while a round rotor spins
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
            raise InputError("nodes of a rotor are given: this requires frame='inertial'")
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
        # a state at rest is not an equilibrium in rotation: only a computed equilibrium is used as start
        start = self._last if isinstance(self._last, Equilibrium) else None
        linear = linearise(self.model, start, spin=Spin(self.axis.place, self.axis.direction, rate))
        self._last = linear.equilibrium or self._last
        return linear

    def driving(self, bearings: Sequence[str]) -> Family:
        """Returns the family itself: whether joints of a model are driven is fixed when it is built."""
        return self

    def names(self, found: Modes, whirling: bool = False) -> list[str]:
        """Returns no names."""
        return []
