"""The parts of a model by name, from what its result file says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.suggestions import nearest
from fem_mbd.core.model.node import Point
from fem_mbd.core.model.output import Output, Quantity, outputs_from
from fem_mbd.errors import InputError

NODE = "node"


@dataclass(frozen=True, eq=False)
class Entry:
    """A part, or several of one kind.

    Attributes
    ----------
    name : of the part
    view : how it is shown
    members : what the result file says of it (of a beam: of each element)
    nodes : indices of its nodes
    offset : (3,) from the node, node axes: a point of a node
    several : more than one part was asked for, which adds an axis to all values
    """

    name: str
    view: str
    members: tuple[Mapping[str, Any], ...]
    nodes: Indices
    offset: Array | None = None
    several: bool = False

    def rows(self, output: str) -> Indices:
        """Its rows in an output."""
        spans = [part["rows"][output] for part in self.members if output in part["rows"]]
        return np.concatenate([np.arange(first, first + count) for first, count in spans])


def own_quantities(part: Mapping[str, Any], output: Output) -> list[Quantity]:
    """The quantities of an output by the names and units that they have for a part."""
    renamed = part.get("quantities", {})
    return [replace(q, **renamed.get(q.name, {})) for q in output.quantities]


class PartTable:
    """Finds parts by handle, node, point or name.

    Attributes
    ----------
    outputs : what the model's outputs mean, by name
    """

    def __init__(self, model: Mapping[str, Any]) -> None:
        self.model = model
        self.outputs: dict[str, Output] = outputs_from(model.get("outputs", {}))
        self._parts: dict[str, list[Mapping[str, Any]]] = {}
        for described in model.get("parts", {}).values():
            for part in described:
                self._parts.setdefault(part["name"], []).append(part)
        nodes = model["nodes"] if self.outputs else []
        self._nodes = {node["name"]: k for k, node in enumerate(nodes)} | dict(model.get("bodies", {}))

    @property
    def names(self) -> list[str]:
        """Names of all parts, bodies and nodes."""
        return [*self._parts, *self._nodes]

    def by_label(self) -> dict[str, list[str]]:
        """Names of the parts by the label of their kind, bodies and nodes that are held after them."""
        parts = self.model.get("parts", {})
        found = {
            label: list(dict.fromkeys(p["name"] for p in described)) for label, described in parts.items()
        }
        rest = {"body": list(self.model.get("bodies", {})), "support": list(self.model.get("supports", []))}
        return {label: names for label, names in (found | rest).items() if names}

    def owners(self, output: Output) -> list[tuple[str, list[Quantity]]]:
        """For each row of an output whose it is, and the quantities in it by their names for this part."""
        if output.row == NODE:
            return [(node["name"], list(output.quantities)) for node in self.model["nodes"]]
        if output.row == "support":
            return [(name, list(output.quantities)) for name in self.model["supports"]]
        rows: dict[int, tuple[str, list[Quantity]]] = {}
        for parts in self._parts.values():
            for part in parts:
                first, count = part["rows"].get(output.name, (0, 0))
                label = f"{part['name']} element {part['element']}" if "element" in part else part["name"]
                own = own_quantities(part, output)
                for k in range(count):
                    rows[first + k] = (f"{label} point {k}" if output.many else label, own)
        return [rows[k] for k in sorted(rows)]

    def find(self, what: Any) -> Entry:
        """The entry of a handle, a node, a point, a name, or of a sequence of them.

        A part that consists of others (a face of its points, a journal bearing of its edges) stands for all of them.

        Raises
        ------
        InputError
            When there is none of that name (the nearest is suggested), or the parts of a sequence are of several kinds.
        """
        if isinstance(what, Sequence) and not isinstance(what, str):
            return self._together([self.find(one) for one in what])
        if isinstance(what, Point):
            entry = self.find(what.node)
            offset = np.asarray(what.offset) if np.any(what.offset) else None
            return Entry(entry.name, NODE, (), entry.nodes, offset)
        name = what if isinstance(what, str) else getattr(what, "name", None)
        if not isinstance(name, str):
            raise InputError(f"of({what!r}): give a part's handle or name, a node, or a point of the model")
        if name in self._parts:
            members = tuple(self._parts[name])
            nodes = np.array(
                list(dict.fromkeys(n for part in members for n in part["nodes"])), dtype=np.int64
            )
            return Entry(name, members[0]["view"], members, nodes)
        group = [part for part in self._parts if part.startswith(f"{name}.")]
        if group and name not in self._nodes:
            return self._together([self.find(part) for part in group])
        if name in self._nodes:
            return Entry(name, NODE, (), np.array([self._nodes[name]], dtype=np.int64))
        raise InputError(f"no part of model '{self.model['name']}' is called '{name}': {self._hint(name)}")

    def _hint(self, name: str) -> str:
        if not self.outputs:
            return "this result does not say what its parts are (written by an older version): run it again"
        return nearest(name, self.names)

    def _together(self, entries: list[Entry]) -> Entry:
        if not entries:
            raise InputError("of([]): give one part or more")
        if any(e.offset is not None or e.several for e in entries) or len({e.view for e in entries}) > 1:
            raise InputError(
                "of([…]): give parts of one kind, or nodes: points and different parts one by one"
            )
        return Entry(
            ", ".join(e.name for e in entries),
            entries[0].view,
            tuple(part for e in entries for part in e.members),
            np.concatenate([e.nodes for e in entries]),
            several=True,
        )
