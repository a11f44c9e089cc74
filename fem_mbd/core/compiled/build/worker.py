"""Process that builds one library: compiles its kernels with numba, and links those of other libraries.

`link` puts an object file into a shared library by the C compiler.
"""

from __future__ import annotations

import argparse
import gc
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm

from fem_mbd.base.dependencies import package_version
from fem_mbd.core.compiled import dual_calls, dual_numbers
from fem_mbd.core.compiled.build import duals
from fem_mbd.core.compiled.build.digest import Digest, kernels_of, known
from fem_mbd.core.compiled.build.module import module_of, optimise, target_machine, unknown_calls
from fem_mbd.core.compiled.build.numba_kernels import introduce
from fem_mbd.core.compiled.dual_calls import dual_signatures, dual_symbol
from fem_mbd.core.compiled.kernels import Kernel, Unrolled
from fem_mbd.core.compiled.libraries import (
    CHECKOUT,
    DUAL,
    Label,
    checksum,
    label_of,
    touched,
    write_whole,
)
from fem_mbd.errors import InstallationError


def c_compiler() -> list[str]:
    """The command: what the environment's CC says, or the first that is found.

    Raises
    ------
    InstallationError
        When there is none.
    """
    command = shlex.split(os.environ.get("CC", ""))
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if not command and compiler is None:
        raise InstallationError(
            "kernels cannot be linked: there is no C compiler (cc, gcc, clang). Debian, Ubuntu: apt-get install gcc "
            "libc6-dev; elsewhere name one by CC. A wheel of fem_mbd needs none"
        )
    return command or [str(compiler)]


def link(machine_code: bytes, file: Path) -> None:
    """Put a library into a file, whole or not at all.

    Parameters
    ----------
    machine_code : an object as compilers make it
    """
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=f".{file.stem}-") as folder:
        source, made = Path(folder) / "kernels.o", Path(folder) / file.name
        source.write_bytes(machine_code)
        command = [*c_compiler(), "-shared", "-o", str(made), str(source), "-lm"]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            raise InstallationError(f"CC is {shlex.join(command[:1])}: {error.strerror}") from None
        if done.returncode:
            raise InstallationError(f"{shlex.join(command)} failed:\n{done.stderr.strip()}")
        made.replace(file)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build a library for some kinds of processors, or look whether it has to be; the process's status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("folders", nargs="+", type=Path, help="one for each processor, named as it")
    parser.add_argument("--version", default="", help="of the package in a wheel, which knows no sources")
    parser.add_argument(
        "--known", type=Path, help="folder with such folders, whose libraries are copied if they fit"
    )
    options = parser.parse_args(arguments)
    library = (_DualLibrary if options.library.startswith(DUAL) else _Library)(
        options.library, options.version
    )
    stale = [folder for folder in options.folders if not library.is_in(folder, options.known)]
    if stale:
        print("compiling", flush=True)
        gc.disable()  # numba makes millions of objects that live as long as this process: an eighth of its time
        try:
            c_compiler()  # asked for before the work that needs it
            library.build(stale, (options.known or stale[0].parent) / "modules")
        except InstallationError as error:
            print(error, file=sys.stderr)
            return 2
    return 0


class _Library:
    """A library by its kernels and their digest; with a version when it is for a wheel."""

    def __init__(self, name: str, version: str):
        self._name, self._version = name, version or package_version()
        self._kernels, digest = self._kernels_and_digest()
        self._digest = digest.add(self._kernels)
        self._needs = self._names_of(digest.needs)
        self._sources = {} if version else _sources(digest.origins(), self._generating())

    def _kernels_and_digest(self) -> tuple[list[Kernel], Digest]:
        """Kernels of the library, and what collects what is compiled for them."""
        return kernels_of(self._name), Digest(self._name)

    def _generating(self) -> list[Path]:
        """Files that decide what machine code comes out, beside those of this folder."""
        return []

    def _names_of(self, needs: set[str]) -> list[str]:
        """Names of the libraries whose entries are called."""
        return sorted(needs)

    def _entries(self) -> list[str]:
        """Symbols that stay visible."""
        return [kernel.symbol(k) for kernel in self._kernels for k in range(len(kernel.signatures))]

    def _compiled(self) -> Any:
        """What numba makes of the kernels."""
        introduce(known(Kernel), known(Unrolled), self._name)
        return module_of(self._kernels)

    def is_in(self, folder: Path, others: Path | None) -> bool:
        """Whether a folder holds what would be built, or another one does, from which it is copied.

        Labels are told the package's present version and the files' present times.
        """
        library = folder / f"{self._name}.so"
        for file in (library, *([others / folder.name / library.name] if others else [])):
            label = Label.read(label_of(file))
            if label and label.digest == self._digest and file.exists() and label.checksum == checksum(file):
                if file != library:
                    write_whole(library, file.read_bytes())
                self._label(library).write(label_of(library))
                return True
        return False

    def build(self, folders: Sequence[Path], modules: Path) -> None:
        """Compile all kernels, and put a library for each processor into its folder."""
        module = self._module(modules / f"{self._name}-{self._digest[:16]}.bc")
        entries = self._entries()
        for folder in folders:
            target, clone = target_machine(folder.name), module.clone()
            optimise(clone, target, entries)
            if missing := unknown_calls(clone):
                raise InstallationError(f"kernels of {self._name} call {missing}")
            file = folder / f"{self._name}.so"
            link(target.emit_object(clone), file)
            self._label(file).write(label_of(file))

    def _module(self, file: Path) -> Any:
        """What numba makes of the kernels, the same for all processors: kept, as it takes most of the time."""
        cached = file.read_bytes() if file.exists() else b""
        if zlib.crc32(cached[4:]).to_bytes(4, "little") == cached[:4]:
            return llvm.parse_bitcode(cached[4:])
        module = self._compiled()
        file.parent.mkdir(parents=True, exist_ok=True)
        for old in file.parent.glob(f"{self._name}-*"):
            old.unlink(missing_ok=True)
        code = module.as_bitcode()
        write_whole(file, zlib.crc32(code).to_bytes(4, "little") + code)
        return module

    def _label(self, file: Path) -> Label:
        processor = file.parent.name
        return Label(self._version, processor, checksum(file), self._digest, self._needs, self._sources)


class _DualLibrary(_Library):
    """A library of kernels for dual numbers (`fem_mbd.core.compiled.build.duals`)."""

    def _kernels_and_digest(self) -> tuple[list[Kernel], Digest]:
        self._of = of = self._name.removeprefix(DUAL)
        return [kernel for kernel in kernels_of(of) if dual_signatures(kernel)], Digest(
            of, self._generating()
        )

    def _generating(self) -> list[Path]:
        numbers = [Path(str(module.__file__)) for module in (dual_calls, dual_numbers)]
        return sorted([*Path(duals.__file__).parent.glob("*.*"), *numbers])

    def _names_of(self, needs: set[str]) -> list[str]:
        return [f"{DUAL}{library}" for library in sorted(needs)]

    def _entries(self) -> list[str]:
        return [dual_symbol(kernel, k) for kernel in self._kernels for k in dual_signatures(kernel)]

    def _compiled(self) -> Any:
        from fem_mbd.core.compiled.build.duals import dual_kernels  # it changes what numba makes of kernels

        return dual_kernels.module_of(self._kernels, self._of)


def _sources(modules: set[str], others: Sequence[Path]) -> dict[str, list[int]]:
    """Files whose change may change what is compiled, and folders in which another one, or a folder, may appear."""
    files = {Path(sys.modules[name].__file__ or "").resolve() for name in modules}
    folders = {folder for file in files for folder in (file.parent, file.parent.parent)} - {CHECKOUT}
    files |= folders | set(Path(__file__).parent.glob("*.*")) | set(others)
    inside = sorted(str(file.relative_to(CHECKOUT)) for file in files if file.is_relative_to(CHECKOUT))
    return {name: touched(name) for name in inside}


if __name__ == "__main__":
    sys.exit(main())
