"""Every reader of files with whole files to damage, each as small as what it reads allows."""

import re
import shutil
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import patch

import meshio
import numpy as np

from fem_mbd import Result, run
from fem_mbd.applications.fitting.data import read_measurement
from fem_mbd.applications.fitting.report import write_demonstration
from fem_mbd.applications.sweeps.spec import read_spec, read_table
from fem_mbd.applications.sweeps.sweep import check_sweep
from fem_mbd.base.mesh_files import read_lines, read_surface
from fem_mbd.case_parameters import fill
from fem_mbd.cases._blades import DATA
from fem_mbd.cases.pendulum import Parameters
from fem_mbd.cases.xml_model.model_file import read_model
from fem_mbd.elements.blades import read_beamdyn, read_vabs_section
from fem_mbd.machines import LeftOutWarning, read_hawc2_machine, read_openfast_machine, read_windio_machine
from fem_mbd.output.export.outb import read_outb, write_outb
from fem_mbd.output.section_loads.many_runs import cases_of
from tests.elements.blades.files import write_beamdyn
from tests.elements.blades.test_vabs import k_file
from tests.machines.hawc2.decks import DECKS
from tests.machines.hawc2.htc_files import write_machine
from tests.machines.openfast.openfast_files import ELASTO, deck
from tests.machines.openfast.test_monopile import SUBDYN, monopile
from tests.machines.openfast.test_options import TWO
from tests.runs.running.fake_simulation import FakeSimulation


@dataclass(frozen=True)
class Reader:
    """One reader.

    Attributes
    ----------
    name : what it reads
    damaged : the file that is damaged
    read : does it, after the damage
    """

    name: str
    damaged: Path
    read: Callable[[], Any]


def readers(folder: Path) -> Iterator[Reader]:
    """All of them, with their files below a folder."""
    yield from _texts(folder)
    yield from _blades(folder)
    yield from _turbines(folder)
    yield from _meshes(folder)
    results = folder / "results.h5"
    run(FakeSimulation(40), file=results, checkpoint_every=10).close()
    yield Reader("HDF5 results", results, lambda: _read_all(results))


def _texts(folder: Path) -> Iterator[Reader]:
    parameters, spec, table, measured = (folder / name for name in ("p.toml", "s.toml", "t.csv", "m.csv"))
    parameters.write_text('joint = "clearance"\nend_time = 0.5\nelements = 3\ngap = 1e-4  # m\n')
    yield Reader("TOML parameters", parameters, lambda: fill(Parameters, parameters))
    spec.write_text(
        'case = "pendulum"\n[set]\nend_time = 0.5\n[grid]\ndt = [1e-3, 2e-3]\n[sample]\nmethod = "sobol"\n'
        'n = 4\nseed = 1\n[sample.range]\ndamping = [1e-4, 1e-3]\n[outputs]\nsteps = "steps"\n'
    )
    yield Reader("TOML sweep", spec, lambda: check_sweep(read_spec(spec)))
    table.write_text("dt,damping,joint\n0.1,1e-3,ideal\n0.2,2e-3,clearance\n")
    yield Reader("CSV table", table, lambda: read_table(table))
    write_demonstration(measured)
    lines = measured.read_text().splitlines()
    measured.write_text("\n".join(lines[:60]) + "\n")
    yield Reader("CSV measurement", measured, lambda: read_measurement(measured))
    model = folder / "model.xml"
    shutil.copy(DATA / "pendulum_friction.xml", model)
    yield Reader("XML model", model, lambda: read_model(model))


def _blades(folder: Path) -> Iterator[Reader]:
    primary = write_beamdyn(_made(folder / "beamdyn"))
    for file in (primary, primary.with_name("blade.dat")):
        yield Reader(f"BeamDyn {file.name}", file, lambda: read_beamdyn(primary))
    machine = write_machine(_made(folder / "hawc2"))
    for name in ("htc/main.htc", "htc/bodies.htc", "data/all_st.dat"):
        yield Reader(f"HAWC2 {name}", folder / "hawc2" / name, lambda: read_hawc2_machine(machine))
    section = folder / "section.K"
    section.write_text(k_file())
    yield Reader("VABS section", section, lambda: read_vabs_section(section))


def _decks(folder: Path) -> Iterator[Reader]:
    """Published decks, with a teeter hinge and a monopile put in where they have none; output files and load cases."""
    wind = _made(folder / "windpact")
    shutil.copytree(DECKS / "windpact15", wind, dirs_exist_ok=True)
    main = wind / "WP_Stationary_Linear" / "WP_Stationary_Linear.fst"
    for file in sorted(wind.rglob("*.*")):
        yield Reader(f"OpenFAST WindPACT {file.name}", file, lambda: read_openfast_machine(main))
    two = deck(_made(folder / "teeter"), elasto=TWO | {"YawDOF": "True"}, servo={"YawSpr": 0, "YawDamp": 1e6})
    yield Reader("OpenFAST teeter", two.with_name(ELASTO), lambda: read_openfast_machine(two))
    pile = monopile(_made(folder / "pile"), hydro=True)
    for name in ("sub.dat", "hydro.dat"):
        yield Reader(f"OpenFAST {name}", pile.with_name(name), lambda: read_openfast_machine(pile))
    floor = monopile(_made(folder / "soil"), SUBDYN.replace(' 1 1 1 1 1 1 1 ""', ' 1 0 0 0 0 0 0 "soil.dat"'))
    soil = floor.with_name("soil.dat")
    soil.write_text("1e9 Kxx\n1e9 Kyy\n1e10 Kzz\n1e11 Ktxtx\n1e11 Ktyty\n1e11 Ktztz\n-1e9 Kxty\n1e9 Kytx\n")
    yield Reader("OpenFAST soil", soil, lambda: read_openfast_machine(floor))
    run, table = folder / "run.outb", folder / "dlc.csv"
    time = np.linspace(0.0, 1.0, 30)
    write_outb(
        run, time, {"RootMyb1": np.sin(time), "TwrBsMyt": time}, {"RootMyb1": "N m", "TwrBsMyt": "N m"}
    )
    yield Reader("OpenFAST output", run, lambda: read_outb(run))
    table.write_text("case,file,hours,factor\nDLC 1.2,run.outb,9000,1.35\nDLC 6.2,run.outb,10,1.1\n")
    yield Reader("CSV load cases", table, lambda: cases_of(table))


def _turbines(folder: Path) -> Iterator[Reader]:
    shutil.copytree(DATA / "nrel5mw", folder / "openfast")
    main, elasto = folder / "openfast" / "NREL_5MW.fst", folder / "openfast" / "NREL_5MW_ElastoDyn.dat"
    elasto.write_text(
        re.sub(r"False(\s+YawDOF)", r"True\1", elasto.read_text())
    )  # with a yaw spring, from ServoDyn
    for end in ("", "_ElastoDyn", "_ElastoDyn_Tower", "_ElastoDyn_Blade", "_ServoDyn"):
        file = main.with_name(f"NREL_5MW{end}{'.dat' if end else '.fst'}")
        yield Reader(f"OpenFAST {end.strip('_') or 'main'}", file, lambda: read_openfast_machine(main))
    yield from _decks(folder)
    if find_spec("windIO") is not None:
        from windIO import load_yaml

        from tests.machines.windio.windio_files import write_turbine

        turbine, schema = write_turbine(folder), cache(load_yaml)
        old = folder / "version1.yaml"
        shutil.copy(DECKS / "windio1" / "BAR_URC.yaml", old)

        def read_old() -> None:
            with patch("windIO.validator.load_yaml", schema):
                read_windio_machine(old)

        yield Reader("windIO version 1", old, read_old)

        def read() -> None:
            # windIO reads its schema, which is not damaged, anew for each file: a second that is not counted
            with patch("windIO.validator.load_yaml", schema):
                read_windio_machine(turbine)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LeftOutWarning)
            read()
        yield Reader("windIO", turbine, read)


def _meshes(folder: Path) -> Iterator[Reader]:
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 0, 1)], dtype=float)
    for name, kind in (("frame.msh", "gmsh"), ("frame.vtk", "vtk"), ("frame.inp", "abaqus")):
        lines = folder / name
        meshio.Mesh(points, [("line", np.array([(0, 1), (1, 2)]))]).write(lines, file_format=kind)
        yield Reader(f"mesh of lines {lines.suffix}", lines, lambda f=lines: read_lines(f))  # type: ignore[misc]
    for name in ("part.stl", "part.obj", "part.ply"):
        surface = folder / name
        meshio.Mesh(points, [("triangle", np.array([(0, 2, 1), (0, 1, 3)]))]).write(surface)
        yield Reader(f"mesh of a surface {surface.suffix}", surface, lambda f=surface: read_surface(f))  # type: ignore[misc]


def _read_all(file: Path) -> None:
    with Result.open(file) as result:
        for group in (result.step, result.energy, result.outputs):
            for name in group:
                group[name]


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
