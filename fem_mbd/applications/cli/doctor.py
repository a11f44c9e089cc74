"""Command `fem-mbd doctor`: reports what is installed, what is missing, and how to install it."""

from __future__ import annotations

import argparse

from fem_mbd.applications.cli.options import add_json
from fem_mbd.applications.cli.reports import write_report


def add_doctor_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `doctor`."""
    add_json(command)
    command.set_defaults(command=examine_installation)


def examine_installation(options: argparse.Namespace) -> int:
    """Print the report on the installation."""
    from fem_mbd.applications.cli.installation import render, report

    data = report()
    return write_report(data, options, render(data))
