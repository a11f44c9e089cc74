"""The command line's grammar: argparse and nothing else, so that help and tab completion come at once.

Each command names its function, MODULE.FUNCTION in `fem_mbd.applications.cli`, which is imported when it is called.
"""

from __future__ import annotations

import argparse
import sys

from fem_mbd.applications.cli.grammar.diagnose import add_diagnose
from fem_mbd.applications.cli.grammar.export import add_export
from fem_mbd.applications.cli.grammar.fit import add_fit
from fem_mbd.applications.cli.grammar.fmu import add_fmu
from fem_mbd.applications.cli.grammar.import_machine import add_import
from fem_mbd.applications.cli.grammar.laws import add_laws
from fem_mbd.applications.cli.grammar.linearize import add_linearize
from fem_mbd.applications.cli.grammar.loads import add_loads
from fem_mbd.applications.cli.grammar.modal import add_modal
from fem_mbd.applications.cli.grammar.new import add_new
from fem_mbd.applications.cli.grammar.runs import add_doctor, add_folder_commands, add_list, add_run
from fem_mbd.applications.cli.grammar.shared import Answer
from fem_mbd.applications.cli.grammar.show import add_show
from fem_mbd.applications.cli.grammar.static import add_static
from fem_mbd.applications.cli.grammar.sweep import add_sweep


class _Version(Answer):
    """`--version`; the package's metadata is read when it is asked for."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        from fem_mbd.base.version import package_version

        sys.stdout.write(f"fem_mbd {package_version()}\n")
        parser.exit()


def parser() -> argparse.ArgumentParser:
    """The command line's grammar."""
    top = argparse.ArgumentParser(
        prog="fem-mbd",
        description="Flexible multibody dynamics with energy-decaying time stepping.",
        epilog="PETSc options, written last (-fem_mbd_ksp_type gmres), reach the solver.",
    )
    top.add_argument("--version", action=_Version, help="show the version and stop")
    sub = top.add_subparsers(metavar="COMMAND", required=True)
    add_list(sub)
    add_run(sub)
    add_new(sub)
    add_folder_commands(sub)
    add_show(sub)
    add_diagnose(sub)
    add_sweep(sub)
    add_static(sub)
    add_modal(sub)
    add_linearize(sub)
    add_import(sub)
    add_export(sub)
    add_loads(sub)
    add_fmu(sub)
    add_laws(sub)
    add_fit(sub)
    add_doctor(sub)
    return top
