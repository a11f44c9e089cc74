"""Parts of a model by name, from the model description in the result file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.suggestions import nearest
from fem_mbd.core.model.node import Point
from fem_mbd.core.model.output import Output, Quantity, outputs_from
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.point_loads import nodes_with_point_loads

NODE = "node"


@dataclass(frozen=True, eq=False)
class Entry:
    """A part, or several of one kind.

    Attributes
    ----------
    name : of the part
    view : class that presents it
    members : its entry in the result file (of a beam: one per element)
    nodes : indices of its nodes
    offset : (3,) m from the node, node axes, for a point of a node
    several : whether several parts were requested, which adds an axis to all values
    """

    name: str
    view: str
    members: tuple[Mapping[str, Any], ...]
    nodes: Indices
    offset: Array | None = None
    several: bool = False

    def rows(self, output: str) -> Indices:
        """Rows of the part in an output."""
        spans = [part["rows"][output] for part in self.members if output in part["rows"]]
        return np.concatenate([np.arange(first, first + count) for first, count in spans])


def own_quantities(part: Mapping[str, Any], output: Output) -> list[Quantity]:
    """Quantities of an output under the names and units that apply to a part."""
    renamed = part.get("quantities", {})
    return [replace(q, **renamed.get(q.name, {})) for q in output.quantities]


def sections_of(system: Any) -> dict[str, Any]:
    """Sections of the beams of a system's model by the beams' names: meshes of sections are not in results' files."""
    parts = getattr(getattr(system, "model", None), "parts", ())
    return {part.name: part.section for part in parts if getattr(part, "section", None) is not None}


class PartTable:
    """Finds parts by handle, node, point or name.

    Attributes
    ----------
    outputs : descriptions of the model's outputs, by name
    sections : of the beams, by name, where the model itself is at hand
    """

    def __init__(self, model: Mapping[str, Any], sections: Mapping[str, Any] | None = None) -> None:
        self.model = model
        self.sections = dict(sections or {})
        self.outputs: dict[str, Output] = outputs_from(model.get("outputs", {}))
        self._parts: dict[str, list[Mapping[str, Any]]] = {}
        for described in model.get("parts", {}).values():
            for part in described:
                self._parts.setdefault(part["name"], []).append(part)
        nodes = model["nodes"] if self.outputs else []
        self._nodes = {node["name"]: k for k, node in enumerate(nodes)} | dict(model.get("bodies", {}))

    @cached_property
    def nodes_with_point_loads(self) -> frozenset[int]:
        """Indices of nodes on which parts act at a point, not along a beam."""
        return nodes_with_point_loads(self.model)

    @property
    def names(self) -> list[str]:
        """Names of all parts, bodies and nodes."""
        return [*self._parts, *self._nodes]

    def by_label(self) -> dict[str, list[str]]:
        """Names of the parts by the label of their kind, followed by bodies and supported nodes."""
        parts = self.model.get("parts", {})
        by_label = {
            label: list(dict.fromkeys(p["name"] for p in described)) for label, described in parts.items()
        }
        rest = {"body": list(self.model.get("bodies", {})), "support": list(self.model.get("supports", []))}
        return {label: names for label, names in (by_label | rest).items() if names}

    def owners(self, output: Output) -> list[tuple[str, list[Quantity]]]:
        """For each row of an output: the part it belongs to, and the quantities under the names that apply to this
        part.
        """
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

    def titles(self, output: Output) -> list[str]:
        """Title of every number in a row of an output: owner, component, unit."""
        return [f"{part}: {title}" for part, own in self.owners(output) for q in own for title in q.titles]

    def find(self, item: Any) -> Entry:
        """Entry of a handle, a node, a point, a name, or of a sequence of them.

        A part that consists of others (a face of points, a journal bearing of edges) represents all of them.

        Raises
        ------
        InputError
            When no part has that name (the message suggests the nearest), or the parts of a sequence are of several
            kinds.
        """
        if isinstance(item, Sequence) and not isinstance(item, str):
            return self._combined([self.find(part) for part in item])
        if isinstance(item, Point):
            entry = self.find(item.node)
            offset = np.asarray(item.offset) if np.any(item.offset) else None
            return Entry(entry.name, NODE, (), entry.nodes, offset)
        name = item if isinstance(item, str) else getattr(item, "name", None)
        if not isinstance(name, str):
            raise InputError(f"of({item!r}): give a part's handle or name, a node, or a point of the model")
        if name in self._parts:
            members = tuple(self._parts[name])
            nodes = np.array(
                list(dict.fromkeys(n for part in members for n in part["nodes"])), dtype=np.int64
            )
            return Entry(name, members[0]["view"], members, nodes)
        group = [part for part in self._parts if part.startswith(f"{name}.")]
        if group and name not in self._nodes:
            return self._combined([self.find(part) for part in group])
        if name in self._nodes:
            return Entry(name, NODE, (), np.array([self._nodes[name]], dtype=np.int64))
        raise InputError(f"no part of model '{self.model['name']}' is called '{name}': {self._hint(name)}")

    def _hint(self, name: str) -> str:
        if not self.outputs:
            return (
                "this result has no description of its parts (it was written by an older version): repeat "
                "the run"
            )
        return nearest(name, self.names)

    def _combined(self, entries: list[Entry]) -> Entry:
        if not entries:
            raise InputError("of([]): give at least one part")
        if any(e.offset is not None or e.several for e in entries) or len({e.view for e in entries}) > 1:
            raise InputError(
                "of([…]): give parts of one kind, or nodes; request points and parts of different kinds "
                "one by one"
            )
        return Entry(
            ", ".join(e.name for e in entries),
            entries[0].view,
            tuple(part for e in entries for part in e.members),
            np.concatenate([e.nodes for e in entries]),
            several=True,
        )
