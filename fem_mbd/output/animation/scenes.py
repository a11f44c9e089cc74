"""Scenes of a run and of shapes as plain data: parts with their geometry, packed motion, forces and curves.

`SelectedStates` are the recorded states chosen for an animation: evenly spaced in time, as many as fit into a page.

`scene_of` is the scene of a run. Positions of nodes in m and rotations as unit quaternions (scalar first), global axes;
section forces and strains at the Gauss points in section axes. The page constructs beams and bodies from these,
interpolating between times. Arrows are contact forces and joint reactions, both on body L; curves are histories plotted
below the animation, thinned so that no peak is lost.

`scene_of_shapes` is the scene of modes and buckling shapes: one period of each; the page shows the selected one. With
the shape s of displacements u and rotations theta, nodes move to x + Re(a u exp(i phi)) and rotate by the rotation
vector Re(a theta exp(i phi)) from their equilibrium, phi from 0 to 2 pi; a makes the largest displacement a fraction of
the model's size. Shapes are linear: large amplitudes stretch parts that rotate.

Blades are coloured by thrust, angle of attack and relative speed too, linear between aerodynamic stations, which are
not tied to elements. The range of these colours is that of the outer three quarters of the blades: angles of attack of
round roots are large and mean little.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from fem_mbd.analysis.modal.modes import Modes
from fem_mbd.analysis.statics.buckling import Buckling
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.base.arrays import Array, Complex, Indices
from fem_mbd.base.validation import whole_number
from fem_mbd.core.model.output import Quantity, outputs_from
from fem_mbd.core.scheme.ledger import ENERGIES
from fem_mbd.errors import InputError
from fem_mbd.output.animation.solids import bodies, extent, joints, packed, sockets, tubes
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.views.part import rotation_matrices
from fem_mbd.runs.results.views.paths import QuantityPath

AIRFLOW, AERODYNAMIC_LOAD = "airflow", "aerodynamic load"  # output and kind of part
# quantity of the airflow: unit in the page and factor to it
SHOWN = {"thrust": ("N/m", 1.0), "angle_of_attack": ("deg", 180.0 / np.pi), "speed": ("m/s", 1.0)}
SCALED_FROM = 0.25  # of the elements of a blade, from its root
PAGE_BYTES = 3_000_000  # bytes of time-dependent numbers in a page, before conversion to text
OUTPUTS = ("position", "quaternion", "section_force", "section_strain", "contact", "reaction", AIRFLOW)
BYTES = 4


@dataclass(frozen=True)
class SelectedStates:
    """States at selected times.

    Attributes
    ----------
    times : (k,) s
    values : arrays (k, rows, ...) by the name of the output
    """

    times: Array
    values: Mapping[str, Array]

    @classmethod
    def of_run(cls, result: Result, limit: int) -> SelectedStates:
        """Select at most ``limit`` states of a run.

        Raises
        ------
        InputError
            When positions and rotations were not recorded, or nothing was.
        """
        whole_number(limit, "frames", least=2)
        missing = [name for name in OUTPUTS[:2] if name not in result.outputs]
        if missing:
            raise InputError(
                f"this run did not record {' and '.join(missing)}, so there is nothing to show; run it "
                "with position and quaternion among the quantities"
            )

        def shown(name: str, values: Array) -> Array:
            return shown_columns(result.model, values) if name == AIRFLOW else values

        first = {name: shown(name, result.initial[name]) for name in OUTPUTS if name in result.outputs}
        rows = evenly_spaced(result.info.start_time, result.output_time, min(limit, states_per_page(first)))
        times = np.concatenate([[result.info.start_time], result.output_time[rows]])
        return cls(
            times,
            {
                name: np.concatenate([start[None], shown(name, read(result, name, rows))])
                for name, start in first.items()
            },
        )

    def __len__(self) -> int:
        return len(self.times)


def states_per_page(first: Mapping[str, Array]) -> int:
    """Number of such states that fit into a page."""
    numbers = sum(v.size * (6 if v.dtype.names else 1) for v in first.values())
    return max(2, PAGE_BYTES // max(BYTES * numbers, 1))


def evenly_spaced(start: float, times: Array, limit: int) -> Indices:
    """Rows of the recorded states nearest to ``limit`` evenly spaced times; all of them where there are fewer."""
    if len(times) <= limit - 1:
        return np.arange(len(times))
    even = np.linspace(start, times[-1], limit)[1:]
    after = np.clip(np.searchsorted(times, even), 1, len(times) - 1)
    nearer = np.where(even - times[after - 1] < times[after] - even, after - 1, after)
    return np.unique(nearer)


def read(result: Result, name: str, rows: Indices) -> Array:
    """Rows of an output, read one by one, so that a long history need not be in memory."""
    records = [result.outputs.read(name, int(row), int(row) + 1) for row in rows]
    return np.concatenate(records) if records else result.outputs.read(name, 0, 0)


BINS = 700  # intervals of time; each keeps its smallest and its largest value
MAX_CURVES = 24


def arrows(model: Mapping[str, Any], states: SelectedStates) -> list[dict[str, Any]]:
    """For each arrow its name, kind, largest force (N), and packed (k, 6) values: position (m) and force (N), global
    axes.
    """
    forces = [("contact", *a) for a in _contact_forces(model, states)]
    forces += [("reaction", *a) for a in _joint_reactions(model, states)]
    return [
        {
            "kind": kind,
            "name": name,
            "largest": float(np.linalg.norm(force, axis=1).max()),
            "data": packed(np.concatenate([point, force], axis=1)),
        }
        for kind, name, point, force in forces
    ]


def _contact_forces(model: Mapping[str, Any], states: SelectedStates) -> Iterator[tuple[str, Array, Array]]:
    if "contact" not in states.values:
        return
    for part in model["parts"].get("contact", []):
        if "geometry" not in part:  # a result file of an earlier version
            continue
        record: Any = states.values["contact"][:, part["rows"]["contact"][0]]
        normal = record["normal"]
        point = point_of(states, part["nodes"][1], part["point_l"]) - part["radius_l"] * normal
        yield part["name"], point, record["normal_force"][:, None] * normal + record["friction_force"]


def _joint_reactions(model: Mapping[str, Any], states: SelectedStates) -> Iterator[tuple[str, Array, Array]]:
    if "reaction" not in states.values:
        return
    for part in model["parts"].get("joint", []):
        force = states.values["reaction"][:, part["rows"]["reaction"][0], :3]
        yield part["name"], point_of(states, part["nodes"][1], part["point_l"]), force


def point_of(states: SelectedStates, node: int, offset: Any) -> Array:
    """(k, 3) m, global axes: position of a point with a given offset in a node's axes."""
    turned = rotation_matrices(states.values["quaternion"][:, node]) @ np.asarray(offset, dtype=float)
    return np.asarray(states.values["position"][:, node] + turned)


def curves(result: Result, requested: list[str] | None) -> list[dict[str, Any]]:
    """Plots by title, each with one line or several over time.

    Parameters
    ----------
    requested : ``"PART.QUANTITY"``, e.g. ``"Q.normal_force"``: vectors by their components; by default energies,
        contact forces and magnitudes of reactions

    Raises
    ------
    InputError
        For an unknown part or quantity.
    """
    if requested is not None:
        return [_requested_plot(result, path) for path in requested]
    plots = [_energies(result)]
    parts = result.model["parts"]
    if "contact" in result.outputs:
        names = [part["name"] for part in parts.get("contact", [])]
        plots += [_requested_plot(result, f"{name}.normal_force") for name in names]
    if "reaction" in result.outputs:
        plots += [_requested_plot(result, f"{part['name']}.force") for part in parts.get("joint", [])]
    return plots[:MAX_CURVES]


def _energies(result: Result) -> dict[str, Any]:
    stored = {name: result.energy[name] for name in ENERGIES}
    lines = {"total": np.asarray(sum(stored.values())), **stored}
    present = {name: values for name, values in lines.items() if np.any(values)}
    return _plot("energy", "J", result.time, present)


def _requested_plot(result: Result, text: str) -> dict[str, Any]:
    try:
        path = QuantityPath.read(text)
        part = result.of(path.part)
        values = path.values(part)
    except InputError as error:
        raise InputError(f"plot {text!r}: {error}") from error
    description = part.quantities.get(path.name, Quantity(path.name, path.unit(result), ""))
    complete = not path.indices and path.word in ("", "resultant")
    columns = (description.components if complete else ()) or (path.name,)
    flat = values.reshape(len(values), int(np.prod(values.shape[1:])))
    if flat.shape[1] != len(columns):
        columns = tuple(f"{k // len(columns)} {columns[k % len(columns)]}" for k in range(flat.shape[1]))
    return _plot(text, description.unit, part.time, dict(zip(columns, flat.T, strict=True)))


def _plot(title: str, unit: str, time: Array, lines: dict[str, Array]) -> dict[str, Any]:
    thinned = []
    for label, values in lines.items():
        t, y = thin(time, values)
        thinned.append({"label": label, "time": packed(t), "values": packed(y)})
    return {"title": title, "unit": unit, "lines": thinned}


def thin(time: Array, values: Array) -> tuple[Array, Array]:
    """The smallest and the largest value of every interval of time, in order; all values where there are few."""
    if len(time) <= 2 * BINS:
        return time, values
    edges = np.linspace(time[0], time[-1], BINS + 1)
    starts = np.unique(np.searchsorted(time, edges[:-1]))
    keep = [0, len(time) - 1]
    for first, last in zip(starts, [*starts[1:], len(time)], strict=True):
        piece = values[first:last]
        keep += [first + int(piece.argmin()), first + int(piece.argmax())]
    rows = np.unique(keep)
    return time[rows], values[rows]


def scene_of(result: Result, frames: int, plots: list[str] | None) -> dict[str, Any]:
    """The scene of a run; InputError when it has nothing to show, or for an unknown plot."""
    states, model = SelectedStates.of_run(result, frames), result.model
    title = Path(result.case).name or model["name"] or "model"
    return picture(model, states, title, _subtitle(result, len(states))) | {"curves": curves(result, plots)}


def picture(model: Mapping[str, Any], states: SelectedStates, title: str, subtitle: str) -> dict[str, Any]:
    """The scene of a model in given states, without histories.

    Parameters
    ----------
    model : description stored with a run
    states : with positions and rotations of the nodes
    title, subtitle : headings of the page
    """
    positions = states.values["position"][:, 1:] if len(model["nodes"]) > 1 else states.values["position"]
    middle, size = extent(positions, model)
    elements = tubes(model, size)
    return {
        "title": title,
        "subtitle": subtitle,
        "up": _up(model),
        "middle": middle.tolist(),
        "size": size,
        "low": float((positions @ np.array(_up(model))).min()),
        "times": states.times.tolist(),
        "nodes": len(model["nodes"]),
        "position": packed(states.values["position"]),
        "quaternion": packed(states.values["quaternion"]),
        "tubes": elements,
        "sections": _sections(model, states, elements),
        "bodies": bodies(model, size),
        "joints": joints(model, elements, size),
        "sockets": sockets(model),
        "supports": [k for k, node in enumerate(model["nodes"]) if node["name"] in model["supports"]],
        "arrows": arrows(model, states),
        "curves": [],
    }


def _subtitle(result: Result, frames: int) -> str:
    return f"{result.steps} steps to {result.time[-1] if result.steps else 0.0:.4g} s, {frames} of them shown"


def _up(model: Mapping[str, Any]) -> list[float]:
    """Direction against gravity; without gravity the third axis."""
    gravity = np.array(model["gravity"], dtype=float)
    size = float(np.linalg.norm(gravity))
    return (-gravity / size).tolist() if size > 0 else [0.0, 0.0, 1.0]


def _sections(
    model: Mapping[str, Any], states: SelectedStates, elements: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """For each quantity by which beams can be coloured: title and unit, the output's column, and range."""
    sections: list[dict[str, Any]] = []
    for name, output in outputs_from(model["outputs"]).items():
        if not (elements and output.along and name in states.values):
            continue
        values, column = states.values[name], 0
        titles = [(title, q.unit) for q in output.quantities for title in q.components or (q.name,)]
        for column, (title, unit) in enumerate(titles):
            component = values[..., column]
            sections.append({
                "title": title, "unit": unit, "output": name, "column": column, "width": values.shape[-1],
                "rows": values.shape[1], "low": float(component.min()), "high": float(component.max()),
            })  # fmt: skip
        sections[-1]["data"] = packed(values)
    return sections + (
        airflow_sections(model, states.values[AIRFLOW], elements) if AIRFLOW in states.values else []
    )


INSTANTS = 49  # of a period, the first and the last are the same
MAX_ROTATION = 0.35  # rad, where nodes rotate without displacement


def scene_of_shapes(analysis: Modes | Buckling, amplitude: float) -> dict[str, Any]:
    """The scene; ``amplitude`` of the largest displacement, as a fraction of the model's size."""
    if isinstance(analysis, Modes):
        system, spin = analysis.linear.system, analysis.linear.spin
        rest = StaticForces(system, analysis.linear.state.time).outputs(analysis.linear.state)
        pairs = zip(analysis.frequencies_hz, analysis.damping_ratios, strict=True)
        titles = [_mode_title(k, *pair) for k, pair in enumerate(pairs, start=1)]
        subtitle = "modes in the rotating frame" if np.any(spin) else "modes"
    else:
        system, rest = analysis.about.forces.system, analysis.about.outputs
        titles = [f"{k}: load factor {factor:.4g}" for k, factor in enumerate(analysis.load_factors, start=1)]
        subtitle = "buckling shapes"
    model = system.describe()
    _, size = extent(rest["position"][1:] if len(rest["position"]) > 1 else rest["position"], model)
    motions = [_motion(rest, shape, amplitude * size) for shape in analysis.shapes]
    phase = np.linspace(0.0, 1.0, INSTANTS)
    states = [SelectedStates(phase, {"position": x, "quaternion": q}) for x, q in motions]
    takes = [
        {"title": title, "position": packed(x), "quaternion": packed(q)}
        for title, (x, q) in zip(titles, motions, strict=True)
    ]
    return picture(model, states[0], model["name"] or "model", subtitle) | {"takes": takes}


def _mode_title(k: int, frequency: float, damping: float) -> str:
    return f"{k}: {frequency:.4g} Hz" + (f", damping {100 * damping:.2g} %" if abs(damping) > 1e-9 else "")


def _motion(rest: dict[str, Array], shape: Complex, length: float) -> tuple[Array, Array]:
    """(k, nodes, 3) m and (k, nodes, 4), scalar first: positions and rotations over a period."""
    shift, angle = np.abs(shape[:, :3]).max(), np.abs(shape[:, 3:]).max()
    factor = length / shift if shift > 1e-6 * angle * length else MAX_ROTATION / max(angle, 1e-300)
    phase = np.exp(2j * np.pi * np.linspace(0.0, 1.0, INSTANTS))
    motion = np.real(phase[:, None, None] * (factor * shape))
    rotation = Rotation.from_rotvec(motion[..., 3:].reshape(-1, 3))
    equilibrium = np.broadcast_to(rest["quaternion"], (INSTANTS, len(shape), 4)).reshape(-1, 4)
    quaternions = (rotation * Rotation.from_quat(equilibrium[:, (1, 2, 3, 0)])).as_quat()[:, (3, 0, 1, 2)]
    return rest["position"] + motion[..., :3], quaternions.reshape(INSTANTS, len(shape), 4)


def shown_columns(model: Mapping[str, Any], flow: Array) -> Array:
    """(…, stations, 3) the quantities of `SHOWN`, in their units.

    Parameters
    ----------
    model : description stored with a run
    flow : (…, stations, numbers) of its output
    """
    output = outputs_from(model["outputs"])[AIRFLOW]
    by_name = {quantity.name: quantity for quantity in output.quantities}
    columns = [flow[..., output.columns(by_name[name])] * factor for name, (_, factor) in SHOWN.items()]
    return np.concatenate(columns, axis=-1)


def airflow_sections(
    model: Mapping[str, Any], values: Array, tubes: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Quantities by which blades can be coloured; gives their tubes the rows of these quantities.

    Parameters
    ----------
    model : description stored with a run
    values : (k, stations, 3) of `shown_columns`, at k times
    tubes : of the scene
    """
    of_blades: list[Array] = []
    for elements in _blades(model):
        beams = [_tube_of(element, tubes) for element in elements]
        if None not in beams:
            of_blades.append(
                _at_gauss_points(model, elements, values, beams, sum(f.shape[1] for f in of_blades))
            )
    if not of_blades:
        return []
    rows = np.concatenate(of_blades, axis=1)
    outer = np.concatenate([f[:, int(SCALED_FROM * f.shape[1]) :] for f in of_blades], axis=1)
    sections = [
        {
            "title": name, "unit": unit, "output": AIRFLOW, "column": k, "width": len(SHOWN), "rows": rows.shape[1],
            "low": float(outer[..., k].min()), "high": float(outer[..., k].max()),
        }
        for k, (name, (unit, _)) in enumerate(SHOWN.items())
    ]  # fmt: skip
    sections[-1]["data"] = packed(rows)
    return sections


def _blades(model: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    """Aerodynamic elements of each blade that turns, from its root."""
    blades: dict[str, list[dict[str, Any]]] = {}
    for part in model["parts"].get(AERODYNAMIC_LOAD, []):
        if part["rotor"]:
            blades.setdefault(part["name"], []).append(part)
    return [sorted(parts, key=lambda part: int(part["element"])) for parts in blades.values()]


def _tube_of(element: Mapping[str, Any], tubes: Sequence[dict[str, Any]]) -> Any:
    """The tube of the beam's element that an aerodynamic element loads; None for a rigid blade."""
    return next((tube for tube in tubes if tube["nodes"] == element["nodes"]), None)


def _at_gauss_points(
    model: Mapping[str, Any],
    elements: Sequence[Mapping[str, Any]],
    values: Array,
    tubes: Sequence[dict[str, Any]],
    first: int,
) -> Array:
    """(k, points, 3) values of one blade; tubes get their first row, counted from ``first``."""
    places: list[float] = []  # of stations, element by element: 0 to 1 in the first one
    points: list[float] = []
    rows: list[int] = []
    beams = {tuple(part["nodes"]): part for part in model["parts"]["beam"]}
    for k, (element, tube) in enumerate(zip(elements, tubes, strict=True)):
        begin, count = element["rows"].get(AIRFLOW, (0, 0))
        places += [k + 0.5 * (1.0 + x) for x in element["stations_at"]]
        rows += range(begin, begin + count)
        tube["rows"][AIRFLOW] = first + len(points)
        points += [k + 0.5 * (1.0 + x) for x in beams[tuple(tube["nodes"])]["gauss_at"]]
    right = np.clip(np.searchsorted(places, points), 1, len(places) - 1)
    x, at = np.array(points), np.array(places)
    share = np.clip((x - at[right - 1]) / (at[right] - at[right - 1]), 0.0, 1.0)[:, None]
    return np.asarray((1.0 - share) * values[:, rows][:, right - 1] + share * values[:, rows][:, right])
