"""Tests of libraries: each kernel is in one; an unusable library is an error that names the remedy."""

import ast
import json
import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fem_mbd.core.compiled import libraries
from fem_mbd.core.compiled.build.digest import kernels_of
from fem_mbd.core.compiled.libraries import CHECKOUT, LIBRARIES, file_of, label_of, library_of, usable
from fem_mbd.errors import InstallationError
from tests.core.compiled.checkout import Checkout

SYMBOL = "fem_mbd.core.compiled.calls.run_calls.0"
PARTS = ("fem_mbd", "elements", "joints", "friction")


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_declared_entry_is_in_its_library(library: str) -> None:
    kernels = kernels_of(library)
    addresses = [entry.address for one in kernels for entry in one.entries]
    assert 0 < len(kernels) <= len(set(addresses)) == len(addresses) and 0 not in addresses


def test_every_kernel_with_signatures_is_found() -> None:
    """As its decorator stands in the text, in any module of the package."""
    declared = set()
    for file in (file for part in PARTS for file in (CHECKOUT / part).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                marks = [one.func for one in node.decorator_list if isinstance(one, ast.Call)]
                if any(isinstance(one, ast.Name) and one.id == "kernel" for one in marks):
                    inside = file.relative_to(CHECKOUT).with_suffix("").parts
                    module = ".".join(inside if inside[0] == "fem_mbd" else ("fem_mbd", *inside))
                    declared.add(f"{module}.{node.name}")
    found = {f"{one.__module__}.{one.__name__}" for name in LIBRARIES for one in kernels_of(name)}
    assert found == declared


def test_library_of_a_module() -> None:
    for start, name in (
        ("fem_mbd.elements.beam.forces", "beams"),
        ("fem_mbd.elements.mass", "elements"),
        ("fem_mbd.joints.contact.forces", "contact"),
        ("fem_mbd.elements_of_mine", ""),
        ("tests.friction.user_laws", ""),
    ):
        assert library_of(start) == name


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The library `calls` as a wheel has it."""
    assert libraries.address_of(SYMBOL)
    folder = tmp_path / "machine_code" / usable()[0]
    folder.mkdir(parents=True)
    for file in (file_of("calls"), label_of(file_of("calls"))):
        shutil.copy(file, folder)
    monkeypatch.setattr(libraries, "INSTALLED", tmp_path / "machine_code")
    libraries._load.cache_clear()
    yield folder / "calls.so"
    libraries._load.cache_clear()


def relabel(file: Path, **changes: object) -> None:
    label = json.loads(file.with_suffix(".json").read_text())
    label["checksum"] = zlib.crc32(file.read_bytes())
    file.with_suffix(".json").write_text(json.dumps({**label, **changes}))


def flip(file: Path) -> None:
    """One bit of a file."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(content)


def no_library(file: Path) -> None:
    file.write_bytes(b"no machine code")
    relabel(file)


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "library missing": (Path.unlink, "calls.so is missing"),
    "label missing": (lambda file: label_of(file).unlink(), "calls.json is missing or damaged"),
    "label empty": (lambda file: label_of(file).write_bytes(b""), "calls.json is missing or damaged"),
    "label cut": (
        lambda file: label_of(file).write_bytes(label_of(file).read_bytes()[:90]),
        "calls.json is missing",
    ),
    "library cut": (lambda file: file.write_bytes(file.read_bytes()[:900]), "calls.so is damaged"),
    "a bit of the library": (flip, "calls.so is damaged"),
    "other version": (lambda file: relabel(file, version="0.0.1"), "calls.so is of fem_mbd 0.0.1, this is "),
    "other processor": (lambda file: relabel(file, processor="riscv64"), "calls.so is for riscv64, this "),
    "no machine code": (no_library, r"calls.so cannot be loaded \(.*(invalid|too short)"),
    "other processors": (
        lambda file: file.parent.rename(file.parents[1] / "s390x"),
        "is installed for the processors s390x; this one supports only",
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_cannot_be_used_is_named_with_what_to_do(wheel: Path, name: str) -> None:
    damage, words = DAMAGES[name]
    damage(wheel)
    with pytest.raises(InstallationError, match=words) as raised:
        libraries.address_of(SYMBOL)
    assert "pip install --force-reinstall --no-deps fem_mbd" in str(raised.value)


def test_a_complete_library_of_a_wheel_is_used_and_a_foreign_one_is_an_error(wheel: Path) -> None:
    assert libraries.address_of(SYMBOL)
    with pytest.raises(
        InstallationError, match=r"calls\.so has no .*calls\.other\.0: it was built from other"
    ):
        libraries.address_of("fem_mbd.core.compiled.calls.other.0")


def test_a_checkout_names_the_command_that_builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it has not been built after all."""
    libraries.address_of(SYMBOL)
    monkeypatch.setattr(libraries, "INSTALLED", tmp_path / "none")
    monkeypatch.setattr(libraries, "CHECKOUT", tmp_path)
    libraries._load.cache_clear()
    with pytest.raises(
        InstallationError, match=r"calls\.so is missing.* python -m fem_mbd\.core\.compiled\.build$"
    ):
        libraries.address_of(SYMBOL)
    libraries._load.cache_clear()


def test_the_command_line_tells_it_without_a_traceback(tmp_path: Path) -> None:
    installed = Checkout(tmp_path)
    folder = tmp_path / "fem_mbd" / "core" / "compiled" / "machine_code" / usable()[0]
    shutil.copytree(file_of("calls").parent, folder)
    run = (
        "-m",
        "fem_mbd",
        "run",
        "pendulum",
        "--set",
        "end_time=0.01",
        "--no-plot",
        "--quiet",
        "--out",
        "run",
    )
    assert installed.run(*run, HOME=str(tmp_path / "home")) == (0, "")
    flip(folder / "scheme.so")
    status, said = installed.run(*run, "--force")
    assert status == 2 and "Traceback" not in said
    assert f"{folder / 'scheme.so'} is damaged" in said and "pip install --force-reinstall" in said
