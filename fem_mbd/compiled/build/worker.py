"""Builds one library in a process of its own: numba is told there which kernels are compiled in and which are called."""

from __future__ import annotations

import argparse
import os
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

from fem_mbd.compiled.build.linking import link
from fem_mbd.compiled.libraries import CHECKOUT, Label, label_of, library_of, touched
from fem_mbd.compiled.unrolled import Unrolled
from fem_mbd.version import package_version

# mathematics in C's libraries, and memory: what machine code may call
KNOWN = frozenset(
    "malloc free sqrt exp log pow sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh hypot exp2 expm1 log1p "
    "log2 log10 fmod fma floor ceil cbrt memcpy memset memmove ldexp frexp copysign nextafter sincos".split()
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build a library for some kinds of processors, or look whether it has to be; the process's status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("folders", nargs="+", type=Path, help="one for each processor, named as it")
    given = parser.parse_args(arguments)
    from fem_mbd.compiled.build.digest import Digest
    from fem_mbd.compiled.build.found import kernels_of

    kernels = kernels_of(given.library)
    digest = Digest(given.library)
    text = digest.add(kernels)
    sources = _sources(digest.origins())
    missing = []
    for folder in given.folders:
        file = folder / f"{given.library}.so"
        label = Label.read(label_of(file))
        if label and file.exists() and label.digest == text and label.version == package_version():
            if zlib.crc32(file.read_bytes()) == label.checksum:
                Label(**{**vars(label), "sources": sources}).write(label_of(file))
                continue
        missing.append(folder)
    if missing:
        print("compiling", flush=True)
        _build(given.library, kernels, missing, text, digest, sources)
    return 0


def _sources(modules: set[str]) -> dict[str, list[int]]:
    """Files whose change may change what is compiled, and their folders, in which another one may appear."""
    files = {Path(sys.modules[name].__file__ or "").resolve() for name in modules}
    files |= {file.parent for file in files} | set(Path(__file__).parent.glob("*.*"))
    inside = sorted(str(file.relative_to(CHECKOUT)) for file in files if file.is_relative_to(CHECKOUT))
    return {name: touched(name) for name in inside}


def _build(library, kernels, folders, digest_text, digest, sources) -> None:
    from fem_mbd.compiled.build import numba_kernels
    from fem_mbd.compiled.build.found import known
    from fem_mbd.compiled.build.module import module_of, optimise, target_machine, undefined
    from fem_mbd.compiled.kernels import Kernel

    numba_kernels.introduce(known(Kernel), known(Unrolled), library)
    module = module_of(kernels)
    entries = [one.symbol(k) for one in kernels for k in range(len(one.signatures))]
    for folder in folders:
        target = target_machine(folder.name)
        own = module.clone()
        optimise(own, target, entries)
        _check(library, undefined(own))
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{library}.so"
        link(target.emit_object(own), file)
        label = Label(
            package_version(), folder.name, zlib.crc32(file.read_bytes()), digest_text, sorted(digest.needs), sources
        )
        label.write(label_of(file))


def _check(library: str, undefined: set[str]) -> None:
    """RuntimeError for kernels that call what no machine has: numba's own library, or Python."""
    foreign = {one for one in undefined - KNOWN if not library_of(one)}
    if foreign:
        raise RuntimeError(
            f"kernels of {library} call {', '.join(sorted(foreign))}: leave out what makes lists, text or arrays of "
            "unknown shape"
        )


if __name__ == "__main__":
    os.environ.setdefault("NUMBA_OPT", "0")
    sys.exit(main())
