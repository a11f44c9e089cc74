"""Elements of a model file by kind and id, after a check for unknown elements."""

from __future__ import annotations

from dataclasses import dataclass

from fem_mbd.base.suggestions import nearest
from fem_mbd.cases.xml_model.attributes import check_attributes
from fem_mbd.cases.xml_model.document import Element
from fem_mbd.errors import InputError

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
)  # without effect on the motion: pictures, files, messages
ONCE = ("Param_Unit", "Param_Transient", "Force_Gravity", "Simulate")


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
        found = self.all(name)
        if not found:
            raise InputError(f"the file has no {name}: it is required for {purpose}")
        return found[0]

    def by_id(self, name: str) -> dict[str, Element]:
        """Elements of a name by their ids."""
        return {element.text("id").strip(): element for element in self.all(name)}

    def referred(self, element: Element, attribute: str, name: str) -> Element:
        """The element of kind ``name`` to which an attribute refers."""
        wanted = element.text(attribute).strip()
        known = self.by_id(name)
        if wanted not in known:
            raise InputError(
                f"{element.what}: {attribute} is {wanted}, but the file has no {name} of that id; "
                f"{nearest(wanted, known)}"
            )
        return known[wanted]


def tabulate(root: Element) -> Tables:
    """The tables of a file.

    Raises
    ------
    InputError
        For unknown or misplaced elements (all are named, with lines), for unknown attributes, for repeated ids.
    """
    if root.name != "MultiBodySystem":
        raise InputError(f"{root.what}: the root of a model file is MultiBodySystem")
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
        if name in ONCE and len(elements) > 1:
            raise InputError(f"{elements[1].what} occurs twice, first in line {elements[0].line}: give one")
        seen: dict[str, Element] = {}
        for element in elements:
            own = element.attributes.get("id", "").strip()
            if own and own in seen:
                raise InputError(
                    f"{element.what}: this id belongs to the {name} of line {seen[own].line} already: ids are unique"
                )
            seen[own] = element
    noted = [f"{e.name} (line {e.line})" for name in NO_EFFECT for e in by_name.get(name, [])]
    return Tables(by_name, noted)


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
