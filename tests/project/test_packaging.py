"""Tests of the packaging: setup.cfg lists every folder, versions and lists of dependencies agree."""

import configparser
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import fem_mbd
from fem_mbd.base.dependencies import DEPENDENCIES, IN_SETUP, need
from fem_mbd.errors import MissingDependency

ROOT = Path(__file__).resolve().parents[2]
SUB_PACKAGES = ("elements", "joints", "friction", "cases")


@pytest.fixture(scope="module")
def setup_cfg() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


def entries(text: str) -> list[str]:
    """Lines of a setup.cfg value without blanks and comments."""
    return [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]


def package_names(requirements: str) -> set[str]:
    return {re.split(r"[<>=!~ \[]", line)[0] for line in entries(requirements)}


def folders_with_code() -> dict[str, str]:
    """Package name: folder, for every folder with an __init__.py (symlinks are not followed)."""
    folders = {}
    for top in ("fem_mbd", *SUB_PACKAGES):
        for folder, _, files in os.walk(ROOT / top):
            if "__init__.py" in files:
                path = Path(folder).relative_to(ROOT)
                name = ".".join(path.parts if top == "fem_mbd" else ("fem_mbd", *path.parts))
                folders[name] = path.as_posix()
    return folders


def test_every_folder_with_code_is_in_the_package(setup_cfg: configparser.ConfigParser) -> None:
    options = setup_cfg["options"]
    folders = folders_with_code()
    assert set(entries(options["packages"])) == set(folders)
    mapping = dict(re.split(r"\s*=\s*", line) for line in entries(options["package_dir"]))
    assert mapping == {
        name: folders[name] for name in ("fem_mbd", *(f"fem_mbd.{top}" for top in SUB_PACKAGES))
    }


@pytest.mark.parametrize("name", SUB_PACKAGES)
def test_root_folder_is_linked_into_the_package(name: str) -> None:
    link = ROOT / "fem_mbd" / name
    assert link.is_symlink()
    assert link.readlink() == Path("..") / name


def test_installed_version_is_that_of_setup_cfg(setup_cfg: configparser.ConfigParser) -> None:
    if fem_mbd.__version__ == "unknown":
        pytest.skip("the package is not installed, its files are imported from the working folder")
    assert fem_mbd.__version__ == setup_cfg["metadata"]["version"], "run make setup"


def test_changelog_starts_with_the_version(setup_cfg: configparser.ConfigParser) -> None:
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == setup_cfg["metadata"]["version"]


def test_required_dependencies_are_those_of_setup_cfg(setup_cfg: configparser.ConfigParser) -> None:
    listed = package_names(setup_cfg["options"]["install_requires"])
    assert {dependency.name for dependency in DEPENDENCIES if dependency.required} == listed


def test_optional_dependencies_come_with_the_extras_that_messages_name(
    setup_cfg: configparser.ConfigParser,
) -> None:
    for dependency in DEPENDENCIES:
        if dependency.extra:
            named = {
                name.replace("-", "_")
                for name in package_names(setup_cfg["options.extras_require"][dependency.extra])
            }
            assert dependency.name in named
            assert f"fem_mbd[{dependency.extra}]" in dependency.pip


def test_make_setup_installs_the_extras_that_messages_say_it_does(
    setup_cfg: configparser.ConfigParser,
) -> None:
    extras = setup_cfg["options.extras_require"]
    for extra in IN_SETUP:
        assert package_names(extras[extra]) <= package_names(extras["test"])


def test_an_optional_package_that_is_missing_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    need("numpy")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependency, match=r"pyarrow, needed for .*pip install 'fem_mbd\[parquet\]'"):
        need("pyarrow")


def test_build_requirements_are_bounded_as_in_setup_cfg(setup_cfg: configparser.ConfigParser) -> None:
    built_with = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    known = entries(setup_cfg["options"]["install_requires"])
    known += [line for extra in setup_cfg["options.extras_require"].values() for line in entries(extra)]
    assert set(built_with) <= set(known)


def test_every_dependency_has_its_reason_beside_it(setup_cfg: configparser.ConfigParser) -> None:
    lines = (ROOT / "setup.cfg").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if re.match(r"    [a-z0-9-]+\s*[>=]=\s*\d", line):
            assert lines[number - 1].strip().startswith("#"), f"no reason before: {line.strip()}"


def test_sub_packages_cannot_be_imported_as_top_level_packages(tmp_path: Path) -> None:
    if fem_mbd.__version__ == "unknown":
        pytest.skip("the package is not installed, its files are imported from the working folder")
    program = (
        "import importlib.util as u, fem_mbd.elements, fem_mbd.cases; "
        f"print([name for name in {SUB_PACKAGES} if u.find_spec(name)])"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
