"""Tests of the list of cases: every case can be loaded and described, and none is missing."""

import dataclasses
import json
from pathlib import Path

import pytest

from fem_mbd import case_parameters
from fem_mbd.cases import case_names, load_case
from fem_mbd.runs.results.summary import finite_json

CASES = Path(__file__).resolve().parents[2] / "cases"


def test_the_list_is_complete() -> None:
    entries = {path.stem if path.is_file() else path.name for path in CASES.glob("[!_]*")}
    assert set(case_names()) == entries


@pytest.mark.parametrize("name", case_names())
def test_case_can_be_described(name: str) -> None:
    case = load_case(name)
    assert case.name == name and case.summary
    described = case_parameters.describe(case.parameters)
    assert json.loads(json.dumps(finite_json(described)))
    for entry in described:
        assert entry["help"], f"parameter {entry['name']} says nothing about itself"
    defaults = case.parameters()
    assert dataclasses.replace(defaults) == defaults
    assert case_parameters.from_plain(case.parameters, case_parameters.to_plain(defaults)) == defaults
