"""XML file as a tree of elements with line numbers, and conversion of its units to SI.

Python's expat parser is used directly, because it provides line numbers, which the libraries built on it (defusedxml
among them) do not keep. A document type declaration is an error: without one XML can neither define entities (which
could expand without bound) nor refer to files or addresses, so that parsing is safe.

Length, mass, time and force are independent (Param_Unit). The four need not be consistent: millimetre, kilogram, second
and newton are common. Each quantity is converted by the units of which it is composed, forces by the unit of force.

Elements are kept by kind and id, after a check for unknown elements and attributes. Attributes are those that are read,
and those without effect here. An attribute in neither list is an error: a misspelt one would silently have its default.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from fem_mbd.base.lazy import nearest
from fem_mbd.errors import InputError

MAX_BYTES = 50_000_000
MAX_DEPTH = 50
LENGTHS = {
    "METER": 1.0,
    "CENTIMETER": 1e-2,
    "MILLIMETER": 1e-3,
    "KILOMETER": 1e3,
    "INCH": 0.0254,
    "FOOT": 0.3048,
}
MASSES = {
    "KILOGRAM": 1.0,
    "GRAM": 1e-3,
    "MEGAGRAM": 1e3,
    "POUND_MASS": 0.45359237,
    "SLUG": 14.593902937206364,
}
TIMES = {"SECOND": 1.0, "MILLISECOND": 1e-3, "MINUTE": 60.0, "HOUR": 3600.0}
FORCES = {
    "NEWTON": 1.0,
    "KILONEWTON": 1e3,
    "MILLINEWTON": 1e-3,
    "DYNE": 1e-5,
    "POUND_FORCE": 4.4482216152605,
    "KILOGRAM_FORCE": 9.80665,
}


@dataclass
class Element:
    """One element: its name, line, attributes by name, and children."""

    name: str
    line: int
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    file: str = ""

    @property
    def where(self) -> str:
        """Description of the element for messages: file, line, name and id."""
        number = f" id {self.attributes['id']}" if "id" in self.attributes else ""
        return f"{self.file}, line {self.line}: {self.name}{number}"

    def walk(self) -> Iterator[Element]:
        """All elements below this one."""
        for child in self.children:
            yield child
            yield from child.walk()

    def text(self, name: str, default: str | None = None) -> str:
        """An attribute; InputError when it is missing and there is no default."""
        value = self.attributes.get(name, default)
        if value is None:
            raise InputError(f'{self.where} has no {name}: give {name}="…"')
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """An attribute as a finite number."""
        if name not in self.attributes and default is not None:
            return default
        text = self.text(name).strip()
        try:
            value = float(text)
        except ValueError:
            raise InputError(f"{self.where}: {name} is {text!r}: give a number") from None
        if not abs(value) < float("inf"):
            raise InputError(f"{self.where}: {name} is {text}: give a finite number")
        return value

    def choice(self, name: str, known: dict[str, Any], default: str | None = None) -> Any:
        """Value in ``known`` for an attribute, ignoring case."""
        text = self.text(name, default).strip().upper()
        if text not in known:
            raise InputError(f"{self.where}: {name} is {text!r}: known are {', '.join(known)}")
        return known[text]


def parse(path: Path) -> Element:
    """The root element of a file.

    Raises
    ------
    InputError
        When it cannot be read, is not XML, or has a document type declaration.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    if len(data) > MAX_BYTES:
        raise InputError(f"{path}: {len(data)} bytes exceed the limit of a model file")
    tree = _Tree(path.name)
    try:
        tree.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise InputError(
            f"{path.name}, line {error.lineno}: this is not well-formed XML ({expat.ErrorString(error.code)})"
        ) from error
    return tree.root


class _Tree:
    """Builds elements from the parser's events."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root = Element("", 0, {})
        self.open: list[Element] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._refuse

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        element = Element(name, self.parser.CurrentLineNumber, attributes, file=self.file)
        if len(self.open) >= MAX_DEPTH:
            raise InputError(f"{element.where}: elements are nested more than {MAX_DEPTH} deep")
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _end(self, name: str) -> None:
        self.open.pop()

    def _refuse(self, *declaration: object) -> None:
        line = self.parser.CurrentLineNumber
        raise InputError(f"{self.file}, line {line}: a document type declaration is not supported: remove it")


@dataclass(frozen=True)
class Units:
    """SI values of one unit of the file."""

    length: float
    mass: float
    time: float
    force: float

    @classmethod
    def of(cls, element: Element) -> Units:
        """Read the file's Param_Unit."""
        return cls(
            element.choice("length_unit", LENGTHS),
            element.choice("mass_unit", MASSES),
            element.choice("time_unit", TIMES),
            element.choice("force_unit", FORCES),
        )

    @property
    def velocity(self) -> float:
        return self.length / self.time

    @property
    def acceleration(self) -> float:
        return self.length / self.time**2

    @property
    def inertia(self) -> float:
        return self.mass * self.length**2

    @property
    def torque(self) -> float:
        return self.force * self.length


XYZ = ("x", "y", "z")
ATTRIBUTES_READ = {
    "Param_Unit": ("force_unit", "mass_unit", "length_unit", "time_unit"),
    "Param_Transient": ("h_max",),
    "Simulate": ("analysis_type", "end_time", "num_step"),
    "Reference_Marker": (
        "id", "label", "body_id", *(f"pos_{c}" for c in XYZ), "a00", "a10", "a20", "a02", "a12", "a22",
    ),
    "Body_Rigid": (
        "id", "label", "IsGround", "cg_id", "im_id", "lprf_id", "mass",
        *(f"inertia_{pair}" for pair in ("xx", "yy", "zz", "xy", "xz", "yz")),
    ),
    "Constraint_Joint": ("id", "label", "type", "i_marker_id", "j_marker_id"),
    "Force_Gravity": tuple(f"grav_{c}" for c in XYZ),
    "Force_JointFriction": (
        "id", "label", "joint_id", "mu_static", "mu_dynamic", "bristle_stiffness", "damping_effects",
        "viscous_effects", "stiction_trans_vel", "inactive", "effect", "inputs", "torque_preload", "force_preload",
        "friction_arm", "bending_reaction_arm", "reaction_arm", "pin_radius", "ball_radius", "initial_overlap",
        "overlap_delta", "yoke_choice", "max_stiction_deform",
    ),
    "Post_Request": ("id", "type", "comment", *(f"expr{n}" for n in range(1, 9))),
}  # fmt: skip
# settings of the other program's integrator and files
WITHOUT_EFFECT = {
    "MultiBodySystem": ("hw_version", "xmlns:xs", "xs:noNamespaceSchemaLocation"),
    "Command": ("time_out",),
    "Param_Transient": (
        "integrator_type", "integr_tol", "h0_max", "h_min", "max_order", "vel_tol_factor", "rel_abs_tol_ratio",
        "central_difference", "dae_constr_tol", "dae_corrector_maxit", "dae_corrector_minit", "dae_index",
        "dae_vel_ctrl", "dae_jacob_init", "hht_alpha", "newmark_beta", "newmark_gamma",
    ),
    "Reference_Marker": ("body_type",),
}  # fmt: skip
# name -> permitted children
CONTAINERS = {
    "MultiBodySystem": ("Messaging", "Model", "Command"),
    "Model": (
        "Param_Transient",
        "Param_Unit",
        "Reference_Marker",
        "Body_Rigid",
        "Constraint_Joint",
        "Force_Gravity",
        "Force_JointFriction",
        "Post_Request",
        "Post_Graphic",
    ),
    "Command": ("H3DOutput", "ResOutput", "Simulate"),
}
NO_EFFECT = (
    "Messaging",
    "Post_Graphic",
    "H3DOutput",
    "ResOutput",
)  # on the motion: messages, pictures, files
SINGLE_ELEMENTS = ("Param_Unit", "Param_Transient", "Force_Gravity", "Simulate")


def check_attributes(element: Element) -> None:
    """Raise InputError for an unknown attribute; the message suggests the nearest known one."""
    known = (*ATTRIBUTES_READ.get(element.name, ()), *WITHOUT_EFFECT.get(element.name, ()))
    for name in element.attributes:
        if name not in known:
            raise InputError(
                f"{element.where}: it has no attribute {name}, without which the model might be different; "
                f"{nearest(name, known)}"
            )


@dataclass(frozen=True)
class Tables:
    """Elements of one file.

    Attributes
    ----------
    by_name : lists of elements; without_effect : names and lines of those without effect on the motion
    """

    by_name: dict[str, list[Element]]
    without_effect: list[str]

    def all(self, name: str) -> list[Element]:
        """Elements of a name, in the order of the file."""
        return self.by_name.get(name, [])

    def only(self, name: str, purpose: str) -> Element:
        """The one element of a name; InputError when there is none."""
        elements = self.all(name)
        if not elements:
            raise InputError(f"the file has no {name}: it is required for {purpose}")
        return elements[0]

    def by_id(self, name: str) -> dict[str, Element]:
        """Elements of a name by their ids."""
        return {element.text("id").strip(): element for element in self.all(name)}

    def referred(self, element: Element, attribute: str, name: str) -> Element:
        """The element of kind ``name`` to which an attribute refers."""
        reference = element.text(attribute).strip()
        known = self.by_id(name)
        if reference not in known:
            raise InputError(
                f"{element.where}: {attribute} is {reference}, but the file has no {name} of that id; "
                f"{nearest(reference, known)}"
            )
        return known[reference]


def tabulate(root: Element) -> Tables:
    """The tables of a file.

    Raises
    ------
    InputError
        For unknown or misplaced elements (all are named, with lines), for unknown attributes, for repeated ids.
    """
    if root.name != "MultiBodySystem":
        raise InputError(f"{root.where}: the root of a model file is MultiBodySystem")
    unknown: list[Element] = []
    by_name: dict[str, list[Element]] = {}
    _collect(root, by_name, unknown)
    if unknown:
        listed = ", ".join(f"{element.name} (line {element.line})" for element in unknown)
        raise InputError(
            f"{root.file}: these elements are unknown, and without them the model would be different: {listed}"
        )
    check_attributes(root)
    for name, elements in by_name.items():
        for element in elements if name not in NO_EFFECT else ():
            check_attributes(element)
        if name in SINGLE_ELEMENTS and len(elements) > 1:
            raise InputError(f"{elements[1].where} occurs twice, first in line {elements[0].line}: give one")
        seen: dict[str, Element] = {}
        for element in elements:
            key = element.attributes.get("id", "").strip()
            if key and key in seen:
                raise InputError(
                    f"{element.where}: this id belongs to the {name} of line {seen[key].line} already: ids are unique"
                )
            seen[key] = element
    without_effect = [f"{e.name} (line {e.line})" for name in NO_EFFECT for e in by_name.get(name, [])]
    return Tables(by_name, without_effect)


def _collect(parent: Element, by_name: dict[str, list[Element]], unknown: list[Element]) -> None:
    for child in parent.children:
        if child.name not in CONTAINERS[parent.name]:
            unknown.append(child)
            continue
        by_name.setdefault(child.name, []).append(child)
        if child.name in CONTAINERS:
            _collect(child, by_name, unknown)
        else:
            unknown += child.children
