"""Builds one library in a process of its own: numba is told there which kernels are compiled in and which are called."""

from __future__ import annotations

import argparse
import os
import sys
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

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
    parser.add_argument("--version", help="of the package in a wheel, which knows no sources")
    parser.add_argument(
        "--known", type=Path, help="folder with such folders, whose libraries are copied if they fit"
    )
    given = parser.parse_args(arguments)
    from fem_mbd.compiled.build.digest import Digest
    from fem_mbd.compiled.build.found import kernels_of

    kernels = kernels_of(given.library)
    digest = Digest(given.library)
    text = digest.add(kernels)
    sources = {} if given.version else _sources(digest.modules)
    new = Label(given.version or package_version(), "", 0, text, sorted(digest.needs), sources)
    missing = []
    for folder in given.folders:
        file = folder / f"{given.library}.so"
        places = [file, *([given.known / folder.name / file.name] if given.known else [])]
        found = next((place for place in places if _is_of(place, text)), None)
        if found is None:
            missing.append(folder)
        else:
            _put(found.read_bytes(), file, new)
    if missing:
        print("compiling", flush=True)
        module = _module(given.library, kernels, (given.known or missing[0].parent) / "modules", text)
        _build(module, kernels, missing, given.library, new)
    return 0


def _is_of(file: Path, digest: str) -> bool:
    """Whether a library is whole, and of what is compiled."""
    label = Label.read(label_of(file))
    return (
        label is not None
        and label.digest == digest
        and file.exists()
        and zlib.crc32(file.read_bytes()) == label.checksum
    )


def _put(machine_code: bytes, file: Path, label: Label) -> None:
    """A library and its label into a folder that is named as its processor."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_bytes() != machine_code:
        beside = file.with_name(f"{file.name}.{os.getpid()}")
        beside.write_bytes(machine_code)
        beside.replace(file)
    replace(label, processor=file.parent.name, checksum=zlib.crc32(machine_code)).write(label_of(file))


def _sources(modules: set[str]) -> dict[str, list[int]]:
    """Files whose change may change what is compiled, and their folders, in which another one may appear."""
    files = {Path(sys.modules[name].__file__ or "").resolve() for name in modules}
    files |= {file.parent for file in files} | set(Path(__file__).parent.glob("*.*"))
    inside = sorted(str(file.relative_to(CHECKOUT)) for file in files if file.is_relative_to(CHECKOUT))
    return {name: touched(name) for name in inside}


def _module(library: str, kernels: Sequence[Any], folder: Path, digest: str) -> Any:
    """LLVM's module of all kernels, as numba has made it now or before: it is the same for all processors."""
    from llvmlite import binding as llvm

    from fem_mbd.compiled.build import numba_kernels
    from fem_mbd.compiled.build.found import known
    from fem_mbd.compiled.build.module import module_of
    from fem_mbd.compiled.kernels import Kernel

    file = folder / f"{library}-{digest[:16]}.bc"
    held = file.read_bytes() if file.exists() else b""
    if zlib.crc32(held[4:]).to_bytes(4, "little") == held[:4]:
        return llvm.parse_bitcode(held[4:])
    numba_kernels.introduce(known(Kernel), known(Unrolled), library)
    module = module_of(kernels)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"{library}-*"):
        old.unlink(missing_ok=True)
    code, beside = module.as_bitcode(), file.with_name(f"{file.name}.{os.getpid()}")
    beside.write_bytes(zlib.crc32(code).to_bytes(4, "little") + code)
    beside.replace(file)
    return module


def _build(module: Any, kernels: Sequence[Any], folders: Sequence[Path], library: str, label: Label) -> None:
    from fem_mbd.compiled.build.module import optimise, target_machine, undefined

    entries = [one.symbol(k) for one in kernels for k in range(len(one.signatures))]
    for folder in folders:
        target = target_machine(folder.name)
        own = module.clone()
        optimise(own, target, entries)
        _check(library, undefined(own))
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{library}.so"
        link(target.emit_object(own), file)
        _put(file.read_bytes(), file, label)


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
