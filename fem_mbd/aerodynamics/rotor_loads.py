"""Aerodynamic loads of a rotor: an element class with stations of its own along the blades; `line_drag` of towers.

    model.add(RotorLoads(blades, hub, axis, wind))

The equations: `rotor_kernels` (forces of a step), `station` (flow and induction), `momentum`, `stall`. The states of
inflow and stall are histories of the step: their end values follow from the step's motion, with which they are solved.
They start with the steady ones of the initial motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.aerodynamics import inflow_kernels, momentum, rotor_kernels as kernels, rotor_tangent
from fem_mbd.aerodynamics.blade import STATIONS, BladeAerodynamics, Polar
from fem_mbd.aerodynamics.disks import DISK, PER_ROW, Disks, add_sums
from fem_mbd.aerodynamics.inflow import DYNAMIC, GAIN, MODE, Inflow
from fem_mbd.aerodynamics.linear import active_states, internal_states
from fem_mbd.aerodynamics.momentum import (
    AIR,
    DEFAULT,
    SOUND,
    STALL,
    Induction,
    NoInduction,
    StallModel,
    set_options,
)
from fem_mbd.aerodynamics.rotor_blade import RigidSpan, RotorBlade, blade_stations
from fem_mbd.aerodynamics.station import ROTOR
from fem_mbd.aerodynamics.wind import Wind
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.base.validation import array, finite, not_negative, positive, whole_number
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.model.internal_states import InternalStates
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.model.output import XYZ, Output, Quantity
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.ranges import Range
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.rotations import unit_vector
from fem_mbd.core.scheme.ledger import add_amounts, columns
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.elements.quadrature import LOBATTO_NODES
from fem_mbd.errors import InputError

AMOUNTS = columns("work_loads")
FLOW = Output(
    "airflow",
    "aerodynamic station",
    (
        Quantity("force", "N/m", "aerodynamic, mean of the step", XYZ, "global", "mean"),
        Quantity("moment", "N m/m", "about the aerodynamic centre, mean of the step", within="mean"),
        Quantity("angle_of_attack", "rad", "at 3/4 chord, mean of the step", within="mean"),
        Quantity("speed", "m/s", "relative, in the section, mean of the step", within="mean"),
        Quantity(
            "induced", "m/s", "against the wind and along the rotation", ("axial", "tangential"), "", "mean"
        ),
        Quantity("thrust", "N/m", "along the wind through the rotor, mean of the step", within="mean"),
        Quantity("torque", "N m/m", "about the rotor's axis, mean of the step", within="mean"),
        Quantity("wind", "m/s", "free, along the rotor's axis, mean of the step", within="mean"),
    ),
    many=True,
)


@arguments()
@dataclass(frozen=True, eq=False)
class RotorLoads:
    """Aerodynamic loads on the blades of a rotor.

    Parameters
    ----------
    blades : of the rotor
    hub : node that turns with it
    axis : (3,) axis of rotation, global axes, reference configuration
    wind : the wind
    centre : (3,) m, of the rotor, global axes; the hub's position when left out
    induction : model of the induced velocities
    stall : "hgm" (Hansen, Gaunaa & Madsen), "oye" or "none"
    stations : of each blade
    mean_loads : also sum up force and moment about the rotor's centre, and flap angles, as an inflow does: `trim`
    aft : (3,) direction of the flow from which azimuths of these sums are counted; global x, or y where the axis is
        nearly along x, when left out
    flap_offset : m, from the axis of rotation, where flap angles are measured from
    angle_at : fraction of the chord at which the angle of attack is taken
    hub_radius : m, for the loss at the hub
    density : kg/m^3
    sound : m/s, speed of sound, for polars over the Mach number
    turning : False for the drag of beams that stand, which have no channels of a rotor, see `line_drag`
    name : shown in messages

    Raises
    ------
    InputError
        For numbers that are not above zero, and when added: aerodynamics that are longer or shorter than the beam.
    """

    blades: Sequence[RotorBlade]
    hub: Node
    axis: Any
    wind: Wind
    _: KW_ONLY
    centre: Any = None
    induction: Induction = DEFAULT
    stall: StallModel = "hgm"
    stations: int = STATIONS
    mean_loads: bool = False
    aft: Any = None
    flap_offset: float = 0.0
    angle_at: float = 0.75
    hub_radius: float = 0.0
    density: float = AIR
    sound: float = SOUND
    turning: bool = True
    name: str = "rotor loads"

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_vector(self.axis, f"{self.name}: axis"))
        aft = np.eye(3)[0 if abs(self.axis[0]) < 0.9 else 1] if self.aft is None else self.aft
        aft = unit_vector(aft, f"{self.name}: aft")
        if np.linalg.norm(np.cross(aft, self.axis)) < 1e-3:
            raise InputError(f"{self.name}: aft is along the axis of rotation: give a direction in the disk")
        object.__setattr__(self, "aft", aft)
        not_negative(self.flap_offset, f"{self.name}: flap_offset (m)")
        whole_number(self.stations, f"{self.name}: stations")
        finite(self.angle_at, f"{self.name}: angle_at (fraction of the chord)")
        positive(self.density, f"{self.name}: density (kg/m^3)")
        positive(self.sound, f"{self.name}: speed of sound (m/s)")
        if self.stall not in STALL:
            raise InputError(f"{self.name}: stall is {self.stall!r}: give 'hgm', 'oye' or 'none'")
        if not self.blades:
            raise InputError(f"{self.name}: there are no blades")

    def build(self, model: Model) -> RotorLoads:
        """Called by `Model.add`."""
        model.registry.node_of(self.hub, self.name)
        for blade in self.blades:
            beam = blade.beam
            model.registry.node_of(beam.node if isinstance(beam, RigidSpan) else beam.start, self.name)
            blade.aerodynamics.check_length(blade.length, beam.name)
        centre = (
            self.hub.position if self.centre is None else array(self.centre, (3,), f"{self.name}: centre")
        )
        elements = [
            _Element(self, k, e, centre) for k, b in enumerate(self.blades) for e in range(len(b.bounds) - 1)
        ]
        for element in elements:
            model.registry.add(RotorLoadsKind, element)
        return self


@dataclass(frozen=True, eq=False)
class _Element:
    """One element of one blade of a rotor."""

    rotor: RotorLoads
    blade: int
    number: int
    centre: Array

    @property
    def of(self) -> RotorBlade:
        """Its blade."""
        return self.rotor.blades[self.blade]

    @property
    def name(self) -> str:
        """Of the part in results."""
        return f"{self.rotor.name}, {self.of.beam.name}"


class RotorLoadsKind(PartKind):
    """The elements of all blades with aerodynamic loads; ``history`` (stations, 9), see `rotor_kernels`,
    then the rows of disks, see `disks`.
    """

    label: ClassVar[str] = "aerodynamic load"
    applied: ClassVar[bool] = True
    has_states: ClassVar[bool] = True
    slots_by_row: ClassVar[bool] = True
    recorded: tuple[Output, ...] = (FLOW,)
    ranges: tuple[Range, ...] = (
        Range(
            "Mach number of a blade element", "1", np.inf, "the coefficients of the table's end hold there",
            "give polars up to that Mach number, or reduce the speed of the tip", "MachPolars: largest Mach number",
        ),
    )  # fmt: skip
    specs: Sequence[_Element]

    def __init__(self, specs: Sequence[_Element], workspace: Workspace):
        self.specs = list(specs)
        self.wind = self.specs[0].rotor.wind
        if any(spec.rotor.wind is not self.wind for spec in self.specs):
            raise InputError("rotors of one model turn in the same wind: give both the same Wind")
        self.elements: Any = np.zeros(len(self.specs), dtype=kernels.ELEMENT)
        blades = list(dict.fromkeys((id(s.rotor), s.blade) for s in self.specs))
        self.rotors: Any = np.zeros(len(blades), dtype=ROTOR)
        stations: list[Any] = []
        tables: list[Array] = []
        layouts = {id(s.of.aerodynamics): s.of.aerodynamics for s in self.specs}
        self.angles = np.unique(np.concatenate([layout.angles() for layout in layouts.values()]))
        machs = np.unique(np.concatenate([layout.machs() for layout in layouts.values()]))
        largest_machs = []
        for b, key in enumerate(blades):
            members = [k for k, s in enumerate(self.specs) if (id(s.rotor), s.blade) == key]
            first = sum(len(each) for each in stations)
            first_member = self.specs[members[0]]
            blade_records, places = blade_stations(
                first_member.of, first_member.rotor.stations, first_member.rotor.angle_at
            )
            blade_records["element"] += members[0]
            stations.append(blade_records)
            tables.append(first_member.of.aerodynamics.tables(places, self.angles, machs))
            largest_machs.append(first_member.of.aerodynamics.largest_mach(places))
            self._fill_rotor(self.rotors[b], self.specs[members[0]], workspace, (first, len(blade_records)))
            for k in members:
                self._fill_element(k, b, first, blade_records, workspace)
        self.stations: Any = np.concatenate(stations)
        self.tables = np.ascontiguousarray(np.concatenate(tables))
        self.largest_machs = np.concatenate(largest_machs)
        self.ranges = self.ranges if np.isfinite(self.largest_machs).any() else ()
        self.measures = np.zeros((len(self.ranges), len(self.specs)))
        self.nodes = self.elements["nodes"].copy()
        self.multipliers = np.zeros(len(self.specs), dtype=np.int64)
        self._disks, rows = self._rotor_disks(
            np.array([blades.index((id(s.rotor), s.blade)) for s in self.specs])
        )
        self.history: Any = np.zeros((len(self.stations) + len(rows), kernels.HISTORY))
        self._parts = np.concatenate([self.stations["element"], rows])
        self.reads_all = bool(len(self._disks.disks))
        self._states, self._work = np.zeros_like(self.history), np.zeros(1)
        self._flow = np.zeros((len(self.stations), sum(q.width for q in FLOW.quantities)))

    def _fill_element(self, k: int, blade: int, first: int, stations: Any, workspace: Workspace) -> None:
        spec, record = self.specs[k], self.elements[k]
        nodes, arms, turn = spec.of.places(spec.number, workspace.centre)
        record["nodes"], record["blade"] = -1, blade
        record["nodes"][: len(nodes)], record["arm"][: len(nodes)], record["turn"] = nodes, arms, turn
        of_element = np.flatnonzero(stations["element"] == k)
        record["first"], record["count"] = first + (of_element[0] if len(of_element) else 0), len(of_element)

    def _fill_rotor(
        self, record: Any, spec: _Element, workspace: Workspace, stations: tuple[int, int]
    ) -> None:
        rotor, hub = spec.rotor, spec.rotor.hub
        record["tip"], record["tip_centre"] = spec.of.tip(workspace.centre)
        record["hub"], record["blades"] = hub.index, len(rotor.blades)
        record["axis"] = hub.rotation.T @ rotor.axis
        record["centre"] = hub.rotation.T @ (spec.centre - hub.position) - workspace.centre[hub.index]
        record["first"], record["count"] = stations
        record["stall"], record["density"], record["sound"] = STALL[rotor.stall], rotor.density, rotor.sound
        set_options(record, rotor.induction, rotor.hub_radius)

    def nodes_followed(self) -> Indices:
        """Hub and tip, of which the axes, the centre and the radius of the rotor are extrapolated."""
        of_blades = np.stack([self.rotors["hub"], self.rotors["tip"]], axis=1)
        return np.asarray(of_blades[self.elements["blade"]])

    @property
    def disks(self) -> Any:
        """Records `disks.DISK` of the rotors that have one."""
        return self._disks.disks

    def _rotor_disks(self, blades: Indices) -> tuple[Disks, list[int]]:
        """Disks of the rotors, and the element of each of their rows in the history; blades (elements,)."""
        rotors = list({id(s.rotor): s.rotor for s in self.specs}.values())
        rotors = [r for r in rotors if isinstance(r.induction, Inflow) or r.mean_loads]
        models = [r.induction if isinstance(r.induction, Inflow) else None for r in rotors]
        modes = [np.zeros(0, dtype=MODE) if model is None else model.modes() for model in models]
        # arrays without numbers have no place in memory: one mode is there that no disk uses
        modes = modes if any(map(len, modes)) else [*modes, np.zeros(1, dtype=MODE)]
        largest, total = max(map(len, modes)), sum(map(len, modes))
        disks: Any = np.zeros(len(rotors), dtype=DISK)
        rows: list[int] = []
        gains, first = np.zeros((total, largest, GAIN)), 0
        for disk, rotor, model, disk_modes in zip(disks, rotors, models, modes, strict=False):
            element = next(k for k, s in enumerate(self.specs) if s.rotor is rotor)
            disk["first"], disk["count"], disk["row"] = first, len(disk_modes), len(self.stations) + len(rows)
            disk["blade"], disk["blades"] = blades[element], len(rotor.blades)
            disk["aft"], disk["tip_arm"] = rotor.aft, rotor.flap_offset
            if model is not None:
                disk["relation"] = model.relation
                gains[first : first + len(disk_modes), : len(disk_modes)] = model.gains()
            first += len(disk_modes)
            rows += [element] * (1 + -(-len(disk_modes) // PER_ROW))
        both = np.concatenate([np.zeros(0, dtype=MODE), *modes])
        return Disks(disks, both, gains, np.zeros((total, largest)), np.zeros(total)), rows

    def range_limits(self) -> Array:
        """(ranges, elements) largest Mach numbers of the polars."""
        limits = np.full(len(self.specs), np.inf)
        np.minimum.at(limits, self.stations["element"], self.largest_machs)
        return np.repeat([limits], len(self.ranges), axis=0)

    def history_parts(self) -> Indices:
        """The element of each row."""
        return self._parts

    def nodes_read(self) -> Indices:
        """All nodes of the rotor where its disk couples its blades."""
        if not self.reads_all:
            return self.nodes
        nodes = [np.concatenate([np.unique(self.nodes[self.nodes >= 0]), np.unique(self.rotors["hub"])])]
        return np.repeat(np.array(nodes), len(self.nodes), axis=0)

    def history_read(self) -> Flags:
        """All but states that the models of induction and stall do not have, sums and what only marks a start."""
        read = np.zeros(self.history.shape, dtype=bool)
        count = len(self.stations)
        kept = self.rotors["induction"][self.elements["blade"][self.stations["element"]]]
        active = active_states(self)
        active[:, : momentum.STATES] = np.isin(kept, (momentum.FROZEN, momentum.MOMENTUM))[:, None]
        read[:count, : active.shape[1]] = active
        for disk in self._disks.disks:
            at = np.arange(disk["count"]) if disk["relation"] == DYNAMIC else np.zeros(0, dtype=int)
            read[disk["row"] + 1 + at // PER_ROW, at % PER_ROW] = True
        return read

    def rotate_axes(self, omega: Array, pole: Array) -> None:
        self.rotors["omega"], self.rotors["pole"] = omega, pole

    def internal_states(self, workspace: Workspace, free: Indices) -> InternalStates:
        return internal_states(self, workspace, free)

    def set_induction(self, induction: Induction) -> None:
        """Another model of the induced velocities for all rotors.

        Raises
        ------
        InputError
            For the inflow of a rotorcraft, whose states a rotor has from the start or not at all.
        """
        if isinstance(induction, Inflow):
            raise InputError(
                "the inflow of a rotorcraft is given when the rotor is made: RotorLoads(induction=…)"
            )
        set_options(self.rotors, induction, 0.0)

    @property
    def blades(self) -> kernels.Blades:
        """The arguments of the kernels."""
        return kernels.Blades(
            self.elements, self.stations, self.rotors, self.tables, self.angles, self.wind.arrays
        )

    def phases(self, workspace: Workspace) -> dict[str, list[Task]]:
        w, blades = workspace, self.blades
        begin = Call(kernels.begin_step, blades, w.clock, w.step, w.q_i, w.r_i, w.x_i, self.history)
        residual = Call(
            kernels.residual, blades, w.clock, w.step, w.motion, self.history, self._states, w.force_m
        )
        steps: dict[str, list[Task]] = {"begin_step": [begin], "residual": [residual]}
        if len(self._disks.disks):
            records, past = (blades, self._disks), (self.history, self._states)
            steps["begin_step"].append(
                Call(inflow_kernels.begin_step, *records, w.clock, w.step, w.q_i, w.x, self.history)
            )
            steps["residual"] = [
                Call(inflow_kernels.solve_inflow, *records, w.clock, w.step, w.motion, *past),
                residual,
                Call(add_sums, *records, w.step, w.motion, *past),
            ]
        machs: list[Task] = [Call(kernels.fill_machs, blades, self.largest_machs, self.measures)]
        return {
            **steps,
            "tangent": [
                Call(
                    rotor_tangent.tangent, blades, w.clock, w.step, w.motion, w.maps, self.history, w.lin_m, w.column,
                    self.slots, w.data,
                )
            ],
            "ledger": [
                Call(kernels.work_done, blades, w.motion, self._work),
                Call(add_amounts, self._work, AMOUNTS, w.amounts),
            ],
            "accept": [Call(kernels.accept, self._states, self.history)],
            "evaluate_outputs": [Call(kernels.list_flow, blades, self._flow)],
            "evaluate_measures": machs * len(self.ranges),
        }  # fmt: skip

    def fill_flow(self, out: Array) -> None:
        """Fill out (stations, 11) with the columns of `FLOW` of the last evaluation."""
        kernels.list_flow(self.blades, out)

    def output_arrays(self) -> dict[str, Array]:
        return {FLOW.name: self._flow}

    def row_counts(self, output: Output) -> Sequence[int]:
        return [int(count) for count in self.elements["count"]]

    def describe(self) -> list[dict[str, Any]]:
        return [
            {
                "name": s.name,
                "element": s.number,
                "rotor": s.rotor.name if s.rotor.turning else "",
                "blade": s.blade,
                "hub": s.rotor.hub.index,
                "axis": s.rotor.axis.tolist(),
                "tip": int(self.rotors[self.elements["blade"][k]]["tip"]),
                "density": s.rotor.density,
                "lengths": self._spans(k),
                "stations_at": self._places(k),
                "nodes": [int(n) for n in self.nodes[k] if n >= 0],
            }
            for k, s in enumerate(self.specs)
        ]

    def _spans(self, k: int) -> list[float]:
        return [float(s) for s in self._stations_of(k)["length"]]

    def _places(self, k: int) -> list[float]:
        """Coordinates, -1 to 1, of the stations of an element: its shape functions reproduce them."""
        count = int((self.nodes[k] >= 0).sum())
        return [float(x) for x in self._stations_of(k)["shape"][:, :count] @ LOBATTO_NODES[count]]

    def _stations_of(self, k: int) -> Any:
        record = self.elements[k]
        return self.stations[record["first"] : record["first"] + record["count"]]


def line_drag(
    beam: BeamHandle,
    s: ArrayLike,
    diameter: ArrayLike,
    drag: ArrayLike,
    wind: Wind,
    *,
    stations: int = 20,
    density: float = AIR,
    name: str = "",
) -> RotorLoads:
    """The drag of a round beam that stands, such as a tower, as loads along it: `RotorLoads` without induction.

    Parameters
    ----------
    beam : its handle
    s : (n,) m along it, from 0 to its length
    diameter, drag : (n,) m and drag coefficient, linear in between
    wind : that of the rotor
    stations : along the beam
    density : kg/m^3
    name : shown in messages

    Raises
    ------
    InputError
        As `BladeAerodynamics`.
    """
    span, what = np.asarray(s, dtype=float), name or f"drag of {beam.name}"
    circle = np.array([-180.0, 180.0])
    polars = [Polar(circle, [0.0, 0.0], [cd, cd], name=what) for cd in np.broadcast_to(drag, span.shape)]
    zero = np.zeros(len(span))
    round_ = BladeAerodynamics(
        span, np.broadcast_to(diameter, span.shape), polars, zero, np.zeros((len(span), 2)), what
    )
    first = beam.nodes[0]
    return RotorLoads(
        [RotorBlade(beam, round_)], first, _across(beam), wind, centre=first.position, induction=NoInduction(),
        stall="none", stations=stations, angle_at=0.25, density=density, turning=False, name=what,
    )  # fmt: skip


def _across(beam: BeamHandle) -> Array:
    """A direction across a beam: distances of its stations from the "axis" are not zero."""
    along = beam.nodes[-1].position - beam.nodes[0].position
    return np.asarray(np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))]))
