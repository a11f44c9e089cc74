"""Builds one library in a process of its own: numba is told there which kernels are compiled in and which are called."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from fem_mbd.compiled.build.digest import Digest
from fem_mbd.compiled.build.found import kernels_of, known
from fem_mbd.compiled.build.linking import c_compiler, link
from fem_mbd.compiled.build.module import module_of, optimise, target_machine, unknown_calls
from fem_mbd.compiled.build.numba_kernels import introduce
from fem_mbd.compiled.kernels import Kernel
from fem_mbd.compiled.libraries import CHECKOUT, Label, checksum, label_of, touched
from fem_mbd.compiled.unrolled import Unrolled
from fem_mbd.errors import InstallationError
from fem_mbd.version import package_version


def main(arguments: Sequence[str] | None = None) -> int:
    """Build a library for some kinds of processors, or look whether it has to be; the process's status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("folders", nargs="+", type=Path, help="one for each processor, named as it")
    given = parser.parse_args(arguments)
    library = _Library(given.library)
    stale = [folder for folder in given.folders if not library.is_in(folder)]
    if stale:
        print("compiling", flush=True)
        try:
            c_compiler()  # asked for before the work that needs it
            library.build(stale)
        except InstallationError as error:
            print(error, file=sys.stderr)
            return 2
    return 0


class _Library:
    """A library by its kernels and their digest."""

    def __init__(self, name: str):
        self._name, self._kernels = name, kernels_of(name)
        digest = Digest(name)
        self._digest = digest.add(self._kernels)
        self._needs, self._sources = sorted(digest.needs), _sources(digest.origins())

    def is_in(self, folder: Path) -> bool:
        """Whether a folder holds what would be built; then its label is told the files' present times."""
        file = folder / f"{self._name}.so"
        label = Label.read(label_of(file))
        if label is None or not file.exists():
            return False
        if (label.digest, label.version, label.checksum) != (self._digest, package_version(), checksum(file)):
            return False
        self._label(file).write(label_of(file))
        return True

    def build(self, folders: Sequence[Path]) -> None:
        """Compile all kernels, and put a library for each processor into its folder."""
        introduce(known(Kernel), known(Unrolled), self._name)
        module = module_of(self._kernels)
        entries = [one.symbol(k) for one in self._kernels for k in range(len(one.signatures))]
        for folder in folders:
            target, own = target_machine(folder.name), module.clone()
            optimise(own, target, entries)
            if missing := unknown_calls(own):
                raise InstallationError(f"kernels of {self._name} call {missing}")
            file = folder / f"{self._name}.so"
            link(target.emit_object(own), file)
            self._label(file).write(label_of(file))

    def _label(self, file: Path) -> Label:
        processor = file.parent.name
        return Label(package_version(), processor, checksum(file), self._digest, self._needs, self._sources)


def _sources(modules: set[str]) -> dict[str, list[int]]:
    """Files whose change may change what is compiled, and their folders, in which another one may appear."""
    files = {Path(sys.modules[name].__file__ or "").resolve() for name in modules}
    files |= {file.parent for file in files} | set(Path(__file__).parent.glob("*.*"))
    inside = sorted(str(file.relative_to(CHECKOUT)) for file in files if file.is_relative_to(CHECKOUT))
    return {name: touched(name) for name in inside}


if __name__ == "__main__":
    sys.exit(main())
