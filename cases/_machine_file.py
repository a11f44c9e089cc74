"""Case built from a machine's file of another program: `fem-mbd modal FILE` and all other commands that accept a case.

HAWC2 (.htc), OpenFAST (.fst), windIO (.yaml). Parameters with value none take the number of the file: the initial
pitch and speed; with gravity = none, gravity acts in statics, loads and runs, but not in modes. The run is free
rotation in still air, or in the wind (`_wind_run`).
"""

from __future__ import annotations

import dataclasses
import warnings
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np

from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.case import Case
from fem_mbd.case_parameters import parameter
from fem_mbd.cases import _turbines, _wind_run
from fem_mbd.cases._turbines import LINEAR, TurbineParameters
from fem_mbd.cases._wind_run import WindOptions
from fem_mbd.core.model.model import Model
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import FemMbdWarning, InputError
from fem_mbd.machines import Assembly, Machine, MachineFamily
from fem_mbd.machines.description.machine import blades_of, pitch_bearings, rotor_of
from fem_mbd.machines.readers.any_file import read_machine
from fem_mbd.machines.report import describe
from fem_mbd.runs.results.checks import Check, balance
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.controlled import Controlled

RPM = np.pi / 30  # rad/s
MAX_SPEED_RATIO = 1.2  # multiple of the speed in the file: end of a Campbell diagram
TIP_SPEED = 90.0  # m/s: end of the diagram where the file's rotor is at standstill


@dataclass(frozen=True)
class Parameters(TurbineParameters):
    """SI units except for the rotor's speed and the pitch."""

    file: str = parameter("", "", "main file of the machine")
    pitch: float | None = parameter(
        None, "deg", "of all blades, to feather; none: the initial pitch of the file"
    )  # type: ignore[assignment]
    rotor_speed: float | None = parameter(  # type: ignore[assignment]
        None, "rev/min", "run: speed at the start; none: that of the file", "run campbell"
    )
    gravity: bool | None = parameter(  # type: ignore[assignment]
        None, "", "with gravity; none: in statics, loads and runs only", f"run {LINEAR} static loads"
    )
    speed: float = parameter(
        0.0,
        "rad/s",
        "modal, static, linearize, loads: speed of the rotor without --speed; steady, campbell --winds: its speed",
        "modal static linearize loads steady campbell",
    )
    azimuth: float | None = parameter(
        None,
        "deg",
        "static, loads: of the rotor, from its position in the file",
        f"run {LINEAR} static loads",
    )
    locked: bool = parameter(False, "", "with the shaft held, at standstill", LINEAR)
    platform: Literal["file", "held"] = parameter(
        "file", "", "OpenFAST, HAWC2: held treats a floating platform as fixed"
    )
    radii_at: Literal["", "mass centre", "elastic centre"] = parameter(
        "", "", "HAWC2: reference point of the radii of gyration"
    )
    wind: str = parameter(
        "", "", "run: wind at the hub, m/s, or a .bts or .wnd file; none: still air without loads", "run"
    )
    shear: float = parameter(0.0, "", "run: exponent of the wind's power law over the height", "run")
    controller: str = parameter(
        "", "", "run with wind: '' that of the machine's files, none, or the path of a DISCON.IN file", "run"
    )
    library: str = parameter(
        "", "", "run with wind: library of the DISCON.IN file; by default that of the package rosco", "run"
    )
    leave_out: str = parameter("", "", "HAWC2: blocks to ignore, separated by commas: dll,ext_sys")

    @property
    def angles(self) -> dict[str, float]:
        """rad, initial angles of the bearings by name."""
        turbine = machine(self)
        angles = dict(turbine.start)
        if self.pitch is not None:
            angles |= {link.name: float(np.radians(self.pitch)) for link in pitch_bearings(turbine)}
        if self.azimuth is not None:
            angles[rotor_of(turbine).name] = float(np.radians(self.azimuth))
        return angles

    @property
    def speeds(self) -> tuple[float, float]:
        """rad/s, first and last of a Campbell diagram: up to 1.2 times the speed of the file."""
        initial = file_speed(machine(self))
        return 0.0, MAX_SPEED_RATIO * initial if initial > 0.0 else TIP_SPEED / rotor_radius(machine(self))

    @property
    def omega(self) -> float:
        """rad/s, of the rotor at the start of a run."""
        return file_speed(machine(self)) if self.rotor_speed is None else self.rotor_speed * RPM


@lru_cache(maxsize=4)
def _read(file: str, changed: int, platform: str, radii_at: str, leave_out: str) -> Machine:
    """The machine; InputError for an option without which the file gives the same one."""
    turbine = _read_with(file, platform, radii_at, leave_out)
    other_radii = "mass centre" if radii_at == "elastic centre" else "elastic centre"
    for name, chosen, other in (
        ("platform=held", platform == "held", ("file", radii_at, leave_out)),
        (f"radii_at={radii_at}", bool(radii_at), (platform, other_radii, leave_out)),
        (f"leave_out={leave_out}", bool(leave_out), (platform, radii_at, "")),
    ):
        if chosen and _same(turbine, file, *other):
            raise InputError(f"{file}: {name} changes nothing of this machine: leave it out")
    return turbine


def _read_with(file: str, platform: str, radii_at: str, leave_out: str) -> Machine:
    return read_machine(
        file,
        platform="held" if platform == "held" else "as in the files",
        radii_at=radii_at or None,
        leave_out=tuple(word.strip() for word in leave_out.split(",") if word.strip()),
    )


def _same(turbine: Machine, file: str, platform: str, radii_at: str, leave_out: str) -> bool:
    """Whether a file gives the same machine with other options; not where it cannot be read with them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FemMbdWarning)
        try:
            other = _read_with(file, platform, radii_at, leave_out)
        except InputError:
            return False
    matrices = [
        np.array(
            [section.mass_matrix for member in machine.members for section in member.blade.sections.sections]
        )
        for machine in (turbine, other)
    ]
    same = matrices[0].shape == matrices[1].shape and bool(np.array_equal(matrices[0], matrices[1]))
    return same and describe(turbine) == describe(other)


def machine(p: Parameters) -> Machine:
    """The machine as described by the file; read once for each set of options."""
    path = Path(p.file)
    changed = path.stat().st_mtime_ns if path.is_file() else 0
    turbine = _read(p.file, changed, p.platform, p.radii_at, p.leave_out)
    if p.rotor_speed is None or rotor_of(turbine).kind != "speed":
        return turbine
    shaft = replace(rotor_of(turbine), speed=p.rotor_speed * RPM)
    links = tuple(shaft if link is rotor_of(turbine) else link for link in turbine.links)
    return replace(turbine, links=links)


def file_speed(turbine: Machine) -> float:
    """rad/s, initial speed of the rotor in the file."""
    shaft = rotor_of(turbine)
    frames = turbine.frames()
    first = frames[shaft.first[0]].omega if shaft.first else np.zeros(3)
    return float(np.linalg.norm(frames[shaft.second[0]].omega - first))


def rotor_radius(turbine: Machine) -> float:
    """m, from the hub to the farthest tip, along the members of a blade."""
    return max(sum(turbine.member(name).blade.length for name in blade) for blade in blades_of(turbine))


def family(p: Parameters) -> MachineFamily:
    """Linear models over speed."""
    return _turbines.family(machine(p), p, p.locked)


def model(p: Parameters) -> Model:
    """The machine at rest, shaft locked."""
    return _locked(p).model


def spin(p: Parameters, rate: float, azimuth: float | None) -> Spin:
    """Steady rotation of the rotor of `model` alone, ``rate`` in rad/s.

    The model is built at the azimuth of the parameters, at which the rotor's forces act on the tower in fixed axes; an
    additional ``azimuth`` (rad) is an error.
    """
    if azimuth:
        raise InputError(
            "machine file: the azimuth is a parameter: --set azimuth=DEGREES, together with --speed"
        )
    return replace(_locked(p).rotor.spin(rate), azimuth=azimuth if p.azimuth is None else 0.0)


def _locked(p: Parameters) -> Assembly:
    return _turbines.turbine(_checked_machine(p), _with_gravity(p), locked=True)


def _checked_machine(p: Parameters) -> Machine:
    """The machine; InputError if its platform floats and there is no gravity."""
    turbine = machine(p)
    if turbine.floater is not None and p.gravity is False:
        raise InputError(
            f"machine '{turbine.name}' floats: weight and buoyancy hold it upright: leave gravity out, or hold the "
            "platform (--set platform=held)"
        )
    return turbine


def _with_gravity(p: Parameters) -> Parameters:
    """The parameters with gravity, unless gravity was given explicitly."""
    return replace(p, gravity=True) if p.gravity is None else p


def build(p: Parameters) -> Simulation | Controlled:
    """The transient."""
    if (p.controller or p.library) and not p.wind:
        raise InputError("controller and library are for runs in the wind: --wind SPEED, or leave them out")
    if p.shear and (not p.wind or p.wind.lower().endswith((".bts", ".wnd", ".hh"))):
        raise InputError("shear is of a wind given by its speed: --wind SPEED, or leave shear out")
    if p.wind:
        pitch = None if p.pitch is None else float(np.radians(p.pitch))
        speed = None if p.rotor_speed is None else p.omega
        options = WindOptions(p.wind, p.shear, speed, pitch, p.controller, p.library)
        return _wind_run.simulation(_checked_machine(p), _with_gravity(p), options)
    return _turbines.simulation(_checked_machine(p), _with_gravity(p))


def checks(result: Result, p: Parameters) -> list[Check]:
    """Energy balance, and constancy of the speed in still air."""
    if p.wind:
        return balance(result.summary, _turbines.RESIDUAL_BOUND)
    return _turbines.motion_checks(result, machine(p), _with_gravity(p))


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """The rotor's speed, and positions of the tower's top and of a blade's tip."""
    figures = _turbines.plot(result, machine(p), p, folder, Path(p.file).stem)
    if p.wind:
        figures += _wind_run.plot(
            result, folder / "wind.png", f"{Path(p.file).stem}, wind {Path(p.wind).name}"
        )
    return figures


def machine_case(file: Path) -> Case[Parameters]:
    """The case of a machine's file.

    Parameters
    ----------
    file : main file; it is read on use of the case

    Raises
    ------
    InputError
        When there is no such file.
    """
    path = file.absolute()
    if not path.is_file():
        raise InputError(f"machine file '{file}' cannot be read: there is no such file")
    kind = dataclasses.make_dataclass(
        "Parameters",
        [("file", str, parameter(str(path), "", "main file of the machine"))],
        bases=(Parameters,),
        frozen=True,
    )
    return Case(
        path.stem, f"the machine of {path.name}: modes, Campbell diagram, statics, free rotation", kind, build, checks,
        plot, model, family, place=path, spin=spin,
    )  # fmt: skip
