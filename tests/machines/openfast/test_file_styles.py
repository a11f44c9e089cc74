"""OpenFAST decks in other styles of flags, keywords, comments and file names; switches that are not obeyed."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from fem_mbd.errors import InputError
from fem_mbd.machines import read_openfast_machine
from fem_mbd.machines.report import describe
from tests.machines.openfast.openfast_files import ELASTO, deck
from tests.machines.openfast.test_options import warned


def small_keywords(text: str) -> str:
    """The word behind the value of each line in small letters."""
    return re.sub(r"^(\s*\S+\s+)([A-Za-z]\w*)", lambda m: m[1] + m[2].lower(), text, flags=re.M)


STYLES: dict[str, Callable[[str], str]] = {
    "Fortran flags": lambda text: text.replace("True ", ".TRUE. ").replace("False ", ".f. "),
    "small keywords": small_keywords,
    "comment lines": lambda text: text.replace("\n", "\n! a comment\n"),
    "Fortran exponents": lambda text: re.sub(r"(\d)[Ee]([-+]\d+)", r"\1D\2", text),
    "lines of Windows": lambda text: text.replace("\n", "\r\n"),
    "names in another case": lambda text: text.replace('"NREL_5MW_', '"nrel_5mw_'),
    "backslashes": lambda text: text.replace('"NREL_5MW_', '".\\NREL_5MW_'),
    "no comments": lambda text: re.sub(r"^(\s*\S+\s+[A-Za-z]\S*)\s+- .*$", r"\1", text, flags=re.M),
}


@pytest.mark.parametrize("style", STYLES)
def test_styles_of_files(tmp_path: Path, style: str) -> None:
    wanted = describe(read_openfast_machine(deck(tmp_path)))
    changed = 0
    for path in [*tmp_path.glob("*.dat"), *tmp_path.glob("*.fst")]:
        old = path.read_text()
        new = STYLES[style](old)
        changed += new != old
        path.write_bytes(new.encode())
    assert changed
    found = describe(read_openfast_machine(tmp_path / "NREL_5MW.fst"))
    # names of lines that are not read stand as in the file
    for one in (found, wanted):
        one["ignored"] = [line.lower() for line in one["ignored"]]
    assert found == wanted


def test_an_absolute_path_within_the_folder(tmp_path: Path) -> None:
    main = deck(tmp_path)
    main.write_text(main.read_text().replace(f'"{ELASTO}"', f'"{tmp_path / ELASTO}"'))
    assert len(read_openfast_machine(main).members) > 0


@pytest.mark.parametrize(
    ("main", "message"),
    [
        ({"NRotors": 2}, r"NREL_5MW.fst, line \d+: NRotors is 2: a machine with several rotors"),
        ({"CompElast": 3}, r"NREL_5MW.fst, line \d+: CompElast is 3: .* simplified ElastoDyn"),
    ],
)
def test_switches_that_are_refused(tmp_path: Path, main: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_openfast_machine(deck(tmp_path, main=main))


def test_an_external_platform_is_refused(tmp_path: Path) -> None:
    path = deck(tmp_path, main={"CompSub": 2}, elasto={"PtfmSgDOF": "True"})
    with pytest.raises(InputError, match=r"CompSub is 2: an external platform .* platform='held'"):
        read_openfast_machine(path)


@pytest.mark.parametrize(
    ("word", "value", "message"),
    [
        ("MirrorRotor", "T", "the rotor turns clockwise"),
        ("MHK", "1", "frequencies are too high"),
        ("CompSoil", "1", "SoilDyn is not read"),
    ],
)
def test_switches_that_are_warned_of(tmp_path: Path, word: str, value: str, message: str) -> None:
    _, said = warned(deck(tmp_path, main={word: value}))
    assert message in said
    _, said = warned(deck(tmp_path, main={word: "False" if word == "MirrorRotor" else "0"}))
    assert said == ""
