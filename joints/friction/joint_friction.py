"""Friction in an ideal joint as the user defines it: law, dimensions of the surfaces, preloads, options.

Friction surfaces and their normal forces: `contributions`. Source: MotionSolve's ``Force_JointFriction``.

The warning of `warn_if_active` names parameters with which joint friction is passive. A LuGre law loses energy in every
motion if sigma_1 (mu_s/mu_k - 1) <= sigma_2, both per unit normal force or both classical (Barabanov and Ortega, IEEE
Trans. Automatic Control 45 (2000) 830); with a viscous part c independent of the normal force N, sigma_2 becomes
sigma_2 + c/N, for a classical law sigma_2 + c.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import not_negative, positive
from fem_mbd.errors import InputError
from fem_mbd.friction.dynamic.classical import ClassicalBristles
from fem_mbd.friction.records import FRICTION_LAW, FrictionLaw
from fem_mbd.friction.validity import ActiveLawWarning

Load = Literal["preload", "reaction_force", "bending_moment", "torsional_moment"]
LOADS: tuple[Load, ...] = get_args(Load)
LENGTHS = (
    "pin_radius",
    "ball_radius",
    "friction_arm",
    "reaction_arm",
    "bending_reaction_arm",
    "initial_overlap",
)
CHOICES = {
    "effect": ("all", "stiction", "sliding"),
    "overlap_delta": ("constant", "increase", "decrease"),
    "yoke": ("k", "l", "both"),
    "slider": ("inner", "outer"),
}
# parameters that some joints read only, whatever their loads; lengths of surfaces that a joint lacks are harmless
READ_BY = {
    "torque_preload": ("revolute", "cylindrical", "spherical", "universal"),
    "force_preload": ("prismatic", "cylindrical", "planar"),
    "overlap_delta": ("prismatic", "cylindrical"),
    "yoke": ("universal",),
    "faces": ("prismatic",),
    "slider": ("prismatic",),
}
USER_FRAME = 7  # stack level: this function, JointFriction, friction_of, Joint.build, two of Model, the user


@dataclass(frozen=True, kw_only=True, eq=False)
class JointFriction:
    """Friction in a revolute, prismatic, cylindrical, spherical, universal or planar joint.

    The normal forces follow from the joint's reaction, implicitly in each step. Lengths that a joint does not need may
    be omitted; a missing length raises InputError.

    Parameters
    ----------
    law : any friction law, the same on all surfaces
    viscous : N s/m of each active surface, independent of the normal force: it also acts without load
    effect : "sliding" uses the kinetic coefficient in place of the static one, "stiction" the static one in place of
        the kinetic one
    loads : active loads, of "preload", "reaction_force", "bending_moment", "torsional_moment"
    torque_preload : N m, at which an unloaded revolute, cylindrical, universal or spherical joint breaks away
    force_preload : N, the same for a prismatic, cylindrical or planar joint
    pin_radius : m, of revolute, universal, cylindrical joints
    ball_radius : m, of the spherical joint
    friction_arm : m, radius at which friction of the axial force acts, by default that of the pin (a hinge in a plane
        has no axial force); of a planar joint the lever arm against spin, which has no default
    bending_reaction_arm : m, half the length of the bearing (revolute, universal) or of the block (planar)
    reaction_arm : m, distance of the two contacts that carry the torsion of a prismatic joint
    initial_overlap : m, distance of the two contacts that carry the bending moment of a sliding joint at the start
    overlap_delta : how it changes when L slides along the axis
    yoke : of a universal joint, where friction acts
    faces : (2,) m, half the width along the joint's axes 1 and 2 of a prismatic joint with flat faces: each component
        of the reaction presses its own pair of faces, and friction acts there, off the axis; by default the resultant
        is the normal force and friction acts on the axis
    slider : whether the slider L is inside its guide ("inner") or around it ("outer"); only with ``faces``
    in_statics : whether it also acts in `fem_mbd.find_equilibrium`, when friction is included there

    Raises
    ------
    InputError
        For objects that are not friction laws, negative preloads, lengths that are not above zero, unknown choices; by
        a joint for preloads, faces and choices that it does not have.
    """

    law: FrictionLaw
    viscous: float = 0.0
    effect: Literal["all", "stiction", "sliding"] = "all"
    loads: Sequence[Load] = LOADS
    torque_preload: float = 0.0
    force_preload: float = 0.0
    pin_radius: float | None = None
    ball_radius: float | None = None
    friction_arm: float | None = None
    reaction_arm: float | None = None
    bending_reaction_arm: float | None = None
    initial_overlap: float | None = None
    overlap_delta: Literal["constant", "increase", "decrease"] = "constant"
    yoke: Literal["k", "l", "both"] = "both"
    faces: Sequence[float] | None = None
    slider: Literal["inner", "outer"] = "inner"
    in_statics: bool = True

    def __post_init__(self) -> None:
        law = self.law
        if isinstance(law, type) or not hasattr(law, "record") or law.record().dtype != FRICTION_LAW:
            raise InputError(
                f"JointFriction: law is {law!r}: give a friction law of fem_mbd.friction, with its parameters"
            )
        for name in ("viscous", "torque_preload", "force_preload"):
            not_negative(getattr(self, name), f"JointFriction {name}")
        for name in LENGTHS:
            if getattr(self, name) is not None:
                positive(getattr(self, name), f"JointFriction {name}")
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise InputError(f"JointFriction: {name} is {getattr(self, name)!r}: give one of {known}")
        for load in (self.loads,) if isinstance(self.loads, str) else self.loads:
            if load not in LOADS:
                raise InputError(f"JointFriction: there is no load {load!r}; {nearest(str(load), LOADS)}")
        self._check_faces()
        self.law_in_effect()

    def _check_faces(self) -> None:
        if self.faces is None:
            return
        if len(self.faces) != 2:
            raise InputError(f"JointFriction: faces is {self.faces!r}: give two half widths")
        for half in self.faces:
            positive(half, "JointFriction faces")

    def refuse_unread(self, kind: str, what: str) -> None:
        """InputError for a parameter that a joint does not read.

        Parameters
        ----------
        kind : of the joint, "revolute" …
        what : the joint, for the message
        """
        defaults = {field.name: field.default for field in fields(self)}
        changed = [name for name in READ_BY if str(getattr(self, name)) != str(defaults[name])]
        unread = [name for name in changed if kind not in READ_BY[name]]
        if "slider" in changed and self.faces is None:
            unread.append("slider (it needs faces)")
        if unread:
            raise InputError(f"friction of {what}: it has no {', '.join(unread)}: leave this out")

    # -- interface to the joints ----------------------------------------------------------------------------

    def counts(self, load: Load) -> bool:
        """Whether a load is active.

        Parameters
        ----------
        load : one of `LOADS`
        """
        return load in self.loads

    def length(self, name: str) -> float:
        """A length that the joint needs, in m.

        Parameters
        ----------
        name : of the parameter

        Raises
        ------
        InputError
            When it is missing.
        """
        value = getattr(self, name)
        if value is None:
            raise InputError(f"give its {name} (m), or remove the load that needs it from loads")
        return float(value)

    def per_static_coefficient(self, name: str) -> float:
        """A preload over the law's static coefficient, so that the joint breaks away at the preload.

        Parameters
        ----------
        name : of the parameter, "torque_preload" or "force_preload"

        Raises
        ------
        InputError
            When the law has no coefficient.
        """
        preload = float(getattr(self, name))
        if preload == 0.0:
            return 0.0
        law: Any = self.law_in_effect()
        coefficient = getattr(law, "mu_s", None) or getattr(law, "mu_k", None)
        if not coefficient:
            raise InputError(
                f"{name} needs a law with a static or kinetic coefficient, {type(law).__name__} has none: use "
                "other loads"
            )
        return preload / float(coefficient)

    def law_in_effect(self) -> FrictionLaw:
        """The law, with equal coefficients when only stiction or only sliding is selected."""
        law: Any = self.law
        if self.effect == "all":
            return self.law
        if not (hasattr(law, "mu_s") and hasattr(law, "mu_k")):
            raise InputError(
                f'JointFriction: effect "{self.effect}" needs a law with mu_s and mu_k, '
                f'{type(law).__name__} has not both: give effect="all"'
            )
        if getattr(law, "curve", ()):
            raise InputError(
                f'JointFriction: effect "{self.effect}" is for laws with mu_s and mu_k, not for a curve of points'
            )
        changed = {"mu_s": law.mu_k} if self.effect == "sliding" else {"mu_k": law.mu_s}
        return replace(law, **changed)

    @property
    def overlap_rate(self) -> float:
        """Change of the overlap per sliding displacement."""
        return {"constant": 0.0, "increase": 1.0, "decrease": -1.0}[self.overlap_delta]

    def warn_if_active(self, where: str) -> None:
        """Warn once if the law is not passive, with parameter values for which it is.

        Parameters
        ----------
        where : the joint, for the message
        """
        warn_if_active(self.law_in_effect(), self.viscous, where)


def warn_if_active(law: Any, viscous: float, where: str) -> None:
    """Warn unless ``law`` with the viscous part (N s/m) is passive at all speeds and loads."""
    if isinstance(law, ClassicalBristles):
        law, viscous = _damped(law, viscous), 0.0
    limit = float(law.passivity_limit()) if hasattr(law, "passivity_limit") else math.inf
    if limit == math.inf:
        return
    above = f"where slip is faster than {limit:.3g} m/s" if limit > 0.0 else "at any speed of slip"
    warnings.warn(
        f"{type(law).__name__} in {where}: friction may generate energy {above}{_remedy(law, viscous)}",
        ActiveLawWarning,
        stacklevel=USER_FRAME,
    )


def _damped(law: Any, viscous: float) -> Any:
    """The classical law whose sigma_2 includes the joint's viscous part."""
    return replace(law, sigma_2=law.sigma_2 + viscous)


def _remedy(law: Any, viscous: float) -> str:
    names = ("sigma_1", "sigma_2", "mu_s", "mu_k")
    if not all(hasattr(law, name) for name in names):
        return ""
    sigma_1, sigma_2, mu_s, mu_k = (float(getattr(law, name)) for name in names)
    excess = mu_s / mu_k - 1.0
    if excess <= 0.0:
        return ""
    unit = law.parameters["sigma_1"].info.unit
    text = f"; not with sigma_1 <= {sigma_2 / excess:.3g} {unit}, or sigma_2 >= {sigma_1 * excess:.3g} {unit}"
    if viscous > 0.0:
        lightest = viscous / (sigma_1 * excess - sigma_2)
        text += f", nor while the normal force of a surface is below {lightest:.3g} N"
    return text
