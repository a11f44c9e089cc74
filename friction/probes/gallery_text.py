"""Text printed by `fem-mbd laws`: the tables of friction and contact laws, and one law in detail.

Figures of each law: friction over velocity, over displacement, under a force ramp; impacts on contact laws.

All laws have the same axes, so that figures can be compared.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np

from fem_mbd.friction.law import Law
from fem_mbd.friction.normal.cylinder import CylinderLaw
from fem_mbd.friction.normal.damping import RestitutionLaw
from fem_mbd.friction.normal.elastic import BALL
from fem_mbd.friction.probes import gallery
from fem_mbd.friction.probes.feature_probes import (
    Scales,
    break_away,
    features as found_features,
    finer,
    force_ramp,
    scales,
    state_at_rest,
    steady_curve,
)
from fem_mbd.friction.probes.gallery import (
    CONTACT_ENTRIES as CONTACT,
    ENTRIES,
    FASTER,
    MASS,
    RESTITUTIONS,
    SPEED,
    Entry,
    Rebound,
    parameters,
    rebound,
)
from fem_mbd.friction.probes.impact import impact_path
from fem_mbd.friction.probes.slip_path import drive_path
from fem_mbd.friction.validity import LawRangeWarning
from fem_mbd.output.figures.plots import COLOURS, legend, new_figure, save, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes


HEADINGS = {
    "sticks": "sticks",
    "stiction": "stiction",
    "stribeck": "Stribeck",
    "presliding": "presliding",
    "lag": "lag",
    "rate": "rate",
    "dwell": "dwell",
    "passive": "passive",
    "states": "states",
}
LEGEND = """\
Found by running each law on probes; docs/reference/laws.md says how.
sticks: does not creep below break-away         stiction: break-away force above sliding friction
Stribeck: friction falls with speed             presliding: elastic displacement below break-away
lag: higher while speeding up                   rate: break-away force falls with the force rate
dwell: break-away force rises with time at rest passive: does no work in any cycle tried states: has state vectors"""
CONTACT_HEADINGS = (
    f"e at {1e3 * SPEED:g} mm/s",
    f"e at {1e3 * FASTER:g} mm/s",
    *(f"e for {e:g}" for e in RESTITUTIONS),
    "e from",
    "pulls",
    "fastest",
    "deepest",
)
CONTACT_LEGEND = f"""\
e: restitution of {gallery.MASS:g} kg that impacts the law; and the actual one when 0.9 or 0.5 is wanted, the
law being valid for restitutions from "e from" on; fastest: impact speed in m/s up to which the bodies stay elastic
(here steel); deepest: indentation in m where the formula ends."""


@cache
def features(law: Any) -> Mapping[str, bool]:
    """Features by name, cached."""
    return found_features(law)


def table() -> str:
    """Features of all friction laws, then the impacts on all contact laws, as text."""
    lines = [f"{'friction law':24s}" + "".join(f"{heading:>11s}" for heading in HEADINGS.values())]
    for entry in gallery.ENTRIES:
        shown = features(entry.law)
        lines.append(f"{entry.name:24s}" + "".join(f"{mark(shown[name]):>11s}" for name in HEADINGS))
    lines += ["", LEGEND, "", f"{'contact law':24s}" + "".join(f"{h:>13s}" for h in CONTACT_HEADINGS)]
    for entry in gallery.CONTACT_ENTRIES:
        lines.append(f"{entry.name:24s}" + "".join(f"{cell:>13s}" for cell in cells(rebound(entry.law))))
    return "\n".join([*lines, "", CONTACT_LEGEND])


def cells(result: Rebound) -> list[str]:
    """Cells of the table of contact laws, in the order of ``CONTACT_HEADINGS``."""
    actual = [f"{e:.4f}" for e in result.actual] or ["-"] * len(RESTITUTIONS)
    limits = [f"{limit:.3g}" if isfinite(limit) else "-" for limit in (result.speed_limit, result.deepest)]
    start = f"{result.reliable_from:g}" if result.actual else "-"
    return [f"{result.slow:.4f}", f"{result.fast:.4f}", *actual, start, mark(result.pulls), *limits]


def mark(value: bool) -> str:
    """yes or a dash."""
    return "yes" if value else "-"


def table_json() -> str:
    """The same as one JSON object: friction law, feature, true or false; contact law, finding, number."""
    contents = {
        "friction": {entry.name: dict(features(entry.law)) for entry in gallery.ENTRIES},
        "contact": {entry.name: _rebound(entry.law) for entry in gallery.CONTACT_ENTRIES},
    }
    return json.dumps(contents, indent=2)


def find(name: str) -> list[Entry]:
    """Friction and contact laws of the class ``name``, or the law of that full name; InputError when there is none."""
    return gallery.find(name, (*gallery.ENTRIES, *gallery.CONTACT_ENTRIES), "friction or contact law")


def law(name: str) -> str:
    """Source, parameters, findings and equations of the law ``name`` as text; InputError when there is none."""
    return "\n\n".join([*(_text(entry) for entry in find(name)), equations(find(name)[0].law)])


def law_json(name: str) -> str:
    """The same as one JSON object, by name."""
    contents = {entry.name: _facts(entry) for entry in find(name)}
    return json.dumps(contents, indent=2, ensure_ascii=False, default=str)


def equations(law: Any) -> str:
    """The docstring of the law's file: equations and their discretisation."""
    return inspect.cleandoc(sys.modules[type(law).__module__].__doc__ or "")


def parameter_text(law: Any) -> str:
    """Docstrings of the law's class and its base classes, without the list of parameters."""
    texts = [
        (kind.__doc__ or "").split("Parameters\n---")[0] for kind in type(law).__mro__ if kind is not Law
    ]
    return "\n\n".join(text.split("use one of them.")[-1].strip() for text in texts[:-1] if text.strip())


def number(value: Any) -> str:
    """A parameter's value as short text."""
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return ", ".join(number(part) for part in value)
    if isinstance(value, float):
        return f"{value:g}"
    return "not given" if value is None else str(value)


def findings(entry: Entry) -> str:
    """Features of the law found by its probes, in a line."""
    if entry in gallery.ENTRIES:
        shown = features(entry.law)
        return (
            ", ".join(heading for name, heading in HEADINGS.items() if shown[name]) or "none of the features"
        )
    pairs = zip(CONTACT_HEADINGS, cells(rebound(entry.law)), strict=True)
    return ", ".join(f"{heading}: {cell}" for heading, cell in pairs if cell != "-")


def cautions(entry: Entry) -> list[str]:
    """Situations in which the law cannot be used, or only with care."""
    law, texts = entry.law, []
    if entry.form == gallery.SCALAR:
        texts.append("along one line only: warns (LawRangeWarning) where slip can change direction")
    limit = float(law.passivity_limit()) if hasattr(law, "passivity_limit") else inf
    if limit < inf:
        above = f"where slip is faster than {limit:.3g} m/s" if limit > 0.0 else "at any speed of slip"
        texts.append(f"with these parameters it may generate energy {above}: warns (ActiveLawWarning)")
    if entry in gallery.ENTRIES and not features(law)["sticks"]:
        texts.append("cannot hold a force at rest: creeps")
    if hasattr(law, "x_stick"):
        texts.append(
            "x_stick, its elastic displacement at rest, has to be far below the displacements of interest"
        )
    return texts


def _text(entry: Entry) -> str:
    lines = [entry.name, f"  source    {entry.source}"]
    lines += [f"  form      {entry.form}"] if entry in gallery.ENTRIES else []
    lines += [f"  shows     {findings(entry)}", *(f"  caution   {text}" for text in cautions(entry)), ""]
    lines += [*(f"  {line}".rstrip() for line in parameter_text(entry.law).splitlines()), ""]
    rows = [(name, number(value), info.unit, info.meaning) for name, value, info in parameters(entry.law)]
    return "\n".join([*lines, *(f"  {a:22s} {b:>24s}  {c:13s} {d}".rstrip() for a, b, c, d in rows)])


def _facts(entry: Entry) -> dict[str, Any]:
    is_friction = entry in gallery.ENTRIES
    return {
        "source": entry.source,
        **(
            {"form": entry.form, "features": dict(features(entry.law))}
            if is_friction
            else _rebound(entry.law)
        ),
        "cautions": cautions(entry),
        "parameters": {
            name: {"value": value, "unit": info.unit, "meaning": info.meaning, "range": info.range()}
            for name, value, info in parameters(entry.law)
        },
        "text": parameter_text(entry.law),
        "equations": equations(entry.law),
    }


def _rebound(law: Any) -> dict[str, Any]:
    """Results of the impacts as JSON numbers: null in place of infinity."""
    result = rebound(law)
    return {
        "restitution": {f"{SPEED:g} m/s": result.slow, f"{FASTER:g} m/s": result.fast},
        "restitution_for": {f"{e:g}": actual for e, actual in zip(RESTITUTIONS, result.actual, strict=False)},
        "pulls": result.pulls,
        "speed_limit_m_s": result.speed_limit if isfinite(result.speed_limit) else None,
        "deepest_m": result.deepest if isfinite(result.deepest) else None,
        "reliable_from": result.reliable_from,
    }


CYCLE_SPEED = 5e-3  # m/s, of the cycle over velocity
CYCLE_DISPLACEMENT = 5e-6  # m, of the cycles over displacement
LOW_RESOLUTION: dict[Any, Any] = {"savefig.dpi": 100}
COMPARED_LAWS = (
    "BoPavelescu", "SevenParameter", "Wojewoda", "Liang", "ElastoPlastic", "LuGre", "GeneralisedMaxwellSlip",
    "Gonthier",
)  # fmt: skip
RAMPS = ((1.0, "in 1 s"), (0.1, "0.1 s"), (0.01, "0.01 s"))


def draw(folder: Path, entries: Iterable[Entry] = ENTRIES) -> list[Path]:
    """Draw the laws of ``entries`` into ``folder``; files are named after the laws."""
    folder.mkdir(parents=True, exist_ok=True)
    with styled(LOW_RESOLUTION):
        return [_draw(entry, folder) for entry in entries]


def draw_impacts(folder: Path, entries: Iterable[Entry]) -> list[Path]:
    """Draw impacts on the contact laws of ``entries`` into ``folder``; files are named after the laws."""
    folder.mkdir(parents=True, exist_ok=True)
    with styled(LOW_RESOLUTION):
        return [_draw_impact(entry, folder) for entry in entries]


def _draw_impact(entry: Entry, folder: Path) -> Path:
    """Three impact speeds; the same axes for all laws on the same sphere."""
    figure, axes = new_figure(1, 2, width=6.0, height=2.5, share_x=False)
    for number, speed in enumerate((0.01, 0.02, 0.04)):
        t, depth, force = impact_path(entry.law, speed, MASS).T
        style: dict[str, Any] = {"color": COLOURS[number], "label": f"{1e3 * speed:g} mm/s"}
        axes[0, 0].plot(1e6 * depth, force, **style)
        axes[0, 1].plot(1e3 * t, force, **style)
    if getattr(entry.law, "elastic", entry.law) is BALL:
        axes[0, 0].set(xlim=(0.0, 7.0), ylim=(0.0, 350.0))
        axes[0, 1].set(xlim=(0.0, 0.7), ylim=(0.0, 350.0))
    axes[0, 0].set(xlabel="indentation [µm]", ylabel="normal force [N]")
    axes[0, 1].set(xlabel="time [ms]")
    legend(axes[0, 1])
    figure.suptitle(entry.name, fontsize=10, x=0.01, ha="left")
    return save(figure, folder / file_name(entry))


def draw_contact_comparison(folder: Path) -> Path:
    """Elastic laws of a journal in its bearing; restitution laws with a wanted restitution of 0.5 at 20 mm/s."""
    folder.mkdir(parents=True, exist_ok=True)
    laws = {entry.name: entry.law for entry in CONTACT}
    with styled(LOW_RESOLUTION):
        figure, axes = new_figure(1, 2, width=7.6, height=3.6, share_x=False)
        for name in (name for name, law in laws.items() if isinstance(law, CylinderLaw)):
            _, depth, force = impact_path(laws[name], 0.04, MASS).T
            half = depth.argmax() + 1
            axes[0, 0].plot(1e6 * depth[:half], force[:half], label=name)
        with catch_warnings():
            simplefilter("ignore", LawRangeWarning)  # the figure shows the actual restitution
            halved = [type(law)(BALL, 0.5) for law in laws.values() if isinstance(law, RestitutionLaw)]
        for law in halved:
            _, depth, force = impact_path(law, 0.02, MASS).T
            axes[0, 1].plot(1e6 * depth, force, label=type(law).__name__)
        for ax, columns in ((axes[0, 0], 2), (axes[0, 1], 2)):
            ax.set(xlabel="indentation [µm]", xlim=(0.0, None), ylim=(0.0, None))
            ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns)
        axes[0, 0].set_ylabel("normal force [N]")
        return save(figure, folder / "contact.png")


def draw_comparisons(folder: Path) -> list[Path]:
    """Break-away force over force rate, and friction over an oscillating speed, for laws with different features."""
    folder.mkdir(parents=True, exist_ok=True)
    laws = {entry.name: entry.law for entry in ENTRIES}
    with styled(LOW_RESOLUTION):
        figure, axes = new_figure(1, 2, width=7.6, height=3.0, share_x=False)
        _over_rate(axes[0, 0], {name: finer(laws[name]) for name in COMPARED_LAWS})
        _over_speed(axes[0, 1], {name: finer(laws[name]) for name in COMPARED_LAWS})
        handles, labels = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=4)
        return [save(figure, folder / "comparison.png")]


def _over_rate(ax: Axes, laws: dict[str, Any]) -> None:
    """Break-away force of rested contacts over the force rate; one mass for all."""
    ramps = np.geomspace(3.0, 3e-3, 13)
    for name, law in laws.items():
        scale = scales(law)
        forces = [break_away(law, scale, ramp, steps=500) for ramp in ramps]
        ax.plot(scale.level / ramps, forces, label=name)
    ax.set(
        xscale="log",
        xlabel="rate of force/normal force [1/s]",
        ylabel="break-away/normal force [-]",
        ylim=(0.08, 0.18),
    )


def _over_speed(ax: Axes, laws: dict[str, Any]) -> None:
    """Third cycle of a speed that oscillates between 0.2 and 2.4 mm/s at 30 Hz."""
    n, period = 600, 1.0 / 30.0
    v = 1e-3 * (1.3 - 1.1 * np.cos(2.0 * np.pi * (np.arange(3 * n) + 0.5) / n))
    for law in laws.values():
        start = drive_path(law, np.full(1000, 1e-6), 1e-3, z=state_at_rest(law)).z
        mus = drive_path(law, v * period / n, period / n, z=start).mus
        ax.plot(1e3 * v[2 * n :], mus[2 * n :])
    ax.set(
        xlabel="slip velocity [mm/s]", ylabel="friction/normal force [-]", xlim=(0.0, 2.6), ylim=(0.04, 0.18)
    )


def file_name(entry: Entry) -> str:
    """Name of the law's figure."""
    return f"{entry.name.replace(' ', '_')}.png"


def _draw(entry: Entry, folder: Path) -> Path:
    figure, axes = new_figure(1, 3, width=7.6, height=2.5, share_x=False)
    over_velocity, over_displacement, ramps = axes[0]
    # x_stick belongs to the discretisation, not to the law: reduced until it is invisible
    law = finer(entry.law)
    _velocity(over_velocity, law)
    _displacement(over_displacement, law)
    _ramps(ramps, law, scales(entry.law))
    figure.suptitle(entry.name, fontsize=10, x=0.01, ha="left")
    return save(figure, folder / file_name(entry))


def _velocity(ax: Axes, law: Any) -> None:
    """Steady sliding, and the second of two cycles of a sinusoidal speed."""
    speeds = np.geomspace(1e-6, CYCLE_SPEED, 120)
    steady = steady_curve(law, speeds)
    n, period = 2000, 0.02
    v = CYCLE_SPEED * np.sin(2.0 * np.pi * (np.arange(2 * n) + 0.5) / n)
    mus = drive_path(law, v * period / n, period / n, z=state_at_rest(law)).mus
    ax.plot(1e3 * v[n:], mus[n:], color=COLOURS[0], label="cycle")
    signed = np.concatenate([-speeds[::-1], speeds])
    ax.plot(1e3 * signed, np.concatenate([-steady[::-1], steady]), "--", color=COLOURS[1], label="steady")
    ax.set(
        xlabel="slip velocity [mm/s]",
        ylabel="friction/normal force [-]",
        xlim=(-5.2, 5.2),
        ylim=(-0.22, 0.22),
    )
    legend(ax)


def _displacement(ax: Axes, law: Any) -> None:
    """Slow cycles of increasing amplitude, from a rested contact."""
    n, period = 800, 1.0
    sizes = np.repeat((0.1, 0.3, 1.0), n)
    x = CYCLE_DISPLACEMENT * sizes * np.sin(2.0 * np.pi * np.tile(np.arange(1, n + 1) / n, 3))
    mus = drive_path(law, np.diff(x, prepend=0.0), period / n, z=state_at_rest(law)).mus
    ax.plot(1e6 * x, mus, color=COLOURS[0])
    ax.set(xlabel="displacement [µm]", xlim=(-5.2, 5.2), ylim=(-0.22, 0.22))


def _ramps(ax: Axes, law: Any, scale: Scales) -> None:
    """Friction over displacement of a body under a force that reaches kinetic friction in 1 s, 0.1 s, 0.01 s."""
    for number, (ramp, label) in enumerate(RAMPS):
        _, motion = force_ramp(law, scale, ramp, steps=1000)
        ax.plot(1e6 * motion.x, motion.mus, color=COLOURS[number], label=label)
    ax.set(xlabel="displacement [µm]", xlim=(-0.2, 10.2), ylim=(-0.01, 0.22))
    legend(ax)
