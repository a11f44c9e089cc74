"""Libraries of compiled kernels: assignment of kernels to libraries, their files, checks and loading.

Each package of kernels is one library. The libraries of an installed wheel are in the folder ``machine_code`` beside
this file, for several kinds of processors; those of a checkout in its ``build/kernels``. A checkout builds libraries
that are missing or older than their kernels; an installed wheel never builds any. Kinds of processors are x86-64
levels; `usable` names those that this machine supports.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import sys
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path

from fem_mbd.base.dependencies import package_version
from fem_mbd.errors import InstallationError

# flags of Linux for the features that each level of the x86-64 psABI requires beyond the baseline
V3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}
V4 = V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
X86_LEVELS = (("x86-64-v4", V4), ("x86-64-v3", V3), ("x86-64", set[str]()))


@functools.cache
def usable() -> tuple[str, ...]:
    """Kinds of processors whose libraries run on this machine, the best one first."""
    machine = os.uname().machine.lower()
    if machine in ("x86_64", "amd64"):
        flags = _flags()
        return tuple(name for name, needed in X86_LEVELS if needed <= flags)
    return ("aarch64",) if machine in ("aarch64", "arm64") else (machine,)


def family() -> tuple[str, ...]:
    """Kinds of processors for which a wheel built on this machine has libraries."""
    return tuple(name for name, _ in X86_LEVELS) if usable()[-1] == X86_LEVELS[-1][0] else usable()


def for_derivatives() -> tuple[str, ...]:
    """Kinds of processors for which a wheel has kernels of dual numbers: one of each family, for size."""
    return ("x86-64-v3",) if usable()[-1] == X86_LEVELS[-1][0] else usable()


def _flags() -> set[str]:
    """Feature flags of the processor as reported by Linux; empty on other systems."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return set()
    line = next((line for line in text.splitlines() if line.startswith("flags")), ":")
    return set(line.partition(":")[2].split())


# a kernel is in the library of the longest of these names that its module's name begins with; batches of beams are one
# of their own: beams with them take twice as long to compile after a change. Kernels that run lists of calls, as those
# of loops, are in none of `DIFFERENTIATED`
LIBRARIES = {
    "calls": "fem_mbd.core.compiled",
    "scheme": "fem_mbd.core.scheme",
    "loops": "fem_mbd.core.scheme.constraints.loops",
    "model": "fem_mbd.core.model",
    "newton": "fem_mbd.core.newton",
    "stepping": "fem_mbd.core.stepping",
    "solver": "fem_mbd.core.solver",
    "linear_solvers": "fem_mbd.core.linear_solvers",
    "beam_batches": "fem_mbd.elements.beam.batches",
    "beams": "fem_mbd.elements.beam",
    "elements": "fem_mbd.elements",
    "friction": "fem_mbd.friction",
    "aerodynamics": "fem_mbd.aerodynamics",
    "contact": "fem_mbd.joints.contact",
    "joints": "fem_mbd.joints",
    "sensitivity": "fem_mbd.analysis.sensitivity",
}
INSTALLED = Path(__file__).with_name("machine_code")
CHECKOUT = Path(__file__).resolve().parents[3]
BUILD = "python -m fem_mbd.core.compiled.build"
# names of the libraries of kernels that are compiled for dual numbers (`fem_mbd.core.compiled.dual_calls`) begin
# with this; those of their entries end with ".dual"
DUAL = "dual-"
# libraries with kernels of a step but for its matrix: these are compiled for dual numbers too
DIFFERENTIATED = ("aerodynamics", "beams", "contact", "friction", "joints", "scheme", "elements", "model")


@dataclass(frozen=True)
class Label:
    """Description of a library, stored in a JSON file beside it.

    Attributes
    ----------
    version : of the package
    processor : kind of processor it is for
    checksum : of the library's file
    digest : of the compiled code (`fem_mbd.core.compiled.build.digest`)
    needs : libraries whose entries its kernels call
    sources : source files, relative to the package's folder, with modification time (ns) and size (bytes)
    """

    version: str
    processor: str
    checksum: int
    digest: str
    needs: list[str]
    sources: dict[str, list[int]]

    @classmethod
    def read(cls, file: Path) -> Label | None:
        """Read a description; None when there is none or it is not readable."""
        try:
            return cls(**json.loads(file.read_text()))
        except (OSError, ValueError, TypeError):
            return None

    def write(self, file: Path) -> None:
        """Write it to a file, atomically."""
        write_whole(file, json.dumps(asdict(self), indent=1).encode())


@functools.cache
def library_of(module: str) -> str:
    """Name of the library with a module's kernels or an entry; empty for a user's own kernels."""
    matches = [
        (len(start), name) for name, start in LIBRARIES.items() if f"{module}.".startswith(f"{start}.")
    ]
    return (DUAL if module.endswith(".dual") else "") + max(matches)[1] if matches else ""


def address_of(symbol: str) -> int:
    """Address of an entry; its library is loaded if necessary.

    Raises
    ------
    InstallationError
        When the library is missing, damaged, of another version or for another processor.
    """
    name = library_of(symbol)
    try:
        return ctypes.cast(getattr(_load(name), symbol), ctypes.c_void_p).value or 0
    except AttributeError:
        raise InstallationError(
            f"the library {file_of(name)} has no {symbol}: it was built from other sources of fem_mbd; {remedy()}"
        ) from None


def is_checkout() -> bool:
    """Whether the package is a checkout, whose libraries are built when they are needed."""
    return not INSTALLED.is_dir()


def folder(processor: str | None = None) -> Path:
    """Folder of the libraries for a kind of processor, by default the best that this machine supports."""
    root = CHECKOUT / "build" / "kernels" if is_checkout() else INSTALLED
    if processor is None:
        known = usable() if is_checkout() else [kind for kind in usable() if (INSTALLED / kind).is_dir()]
        if not known:
            installed = ", ".join(sorted(path.name for path in INSTALLED.iterdir()))
            raise InstallationError(
                f"fem_mbd is installed for the processors {installed}; this one supports only {', '.join(usable())}. "
                f"{remedy()}"
            )
        processor = known[0]
    return root / processor


def file_of(name: str, processor: str | None = None) -> Path:
    """The file of a library; kernels for derivatives have one for several kinds of processors in a wheel."""
    if processor is None and name.startswith(DUAL) and not is_checkout():
        processor = next((kind for kind in for_derivatives() if kind in usable()), None)
    return folder(processor) / f"{name}.so"


def label_of(file: Path) -> Path:
    """The file with the description of a library."""
    return file.with_suffix(".json")


def write_whole(file: Path, content: bytes) -> None:
    """Write a file atomically."""
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    beside.write_bytes(content)
    beside.replace(file)


def checksum(file: Path) -> int:
    """CRC-32 of a file."""
    return zlib.crc32(file.read_bytes())


def remedy() -> str:
    """What to do when a library cannot be used."""
    if is_checkout():
        return f"build it: {BUILD}"
    return "install the package again: pip install --force-reinstall --no-deps fem_mbd"


@functools.cache
def _load(name: str) -> ctypes.CDLL:
    """Load a library, after the libraries that its kernels call."""
    if is_checkout():
        _ensure_built([name] if name.startswith(DUAL) else _asked_for())
    file = file_of(name)
    label = _checked(file)
    for other in label.needs:
        _load(other)
    try:
        return ctypes.CDLL(str(file), mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise InstallationError(f"the library {file} cannot be loaded ({error}); {remedy()}") from None


def _checked(file: Path) -> Label:
    label = Label.read(label_of(file))
    if file.name.startswith(DUAL) and not file.exists() and not is_checkout():
        raise InstallationError(
            f"this installation of fem_mbd has no kernels for derivatives (gradients) on this processor: a wheel has "
            f"them for {', '.join(for_derivatives())}, a checkout builds them with numba and a C compiler"
        )
    if label is None or not file.exists():
        missing = label_of(file) if label is None and file.exists() else file
        raise InstallationError(
            f"the library of compiled kernels {missing} is missing or damaged; {remedy()}"
        )
    if checksum(file) != label.checksum:
        raise InstallationError(f"the library of compiled kernels {file} is damaged; {remedy()}")
    if label.version != package_version():
        raise InstallationError(
            f"the library {file} is of fem_mbd {label.version}, this is {package_version()}; {remedy()}"
        )
    if label.processor not in usable():
        raise InstallationError(
            f"the library {file} is for {label.processor}, this processor supports {', '.join(usable())}; {remedy()}"
        )
    return label


def is_fresh(file: Path) -> bool:
    """Whether a library of a checkout exists and none of its source files has been modified."""
    label = Label.read(label_of(file))
    return (
        label is not None
        and label.version == package_version()
        and file.exists()
        and checksum(file) == label.checksum
        and all(touched(source) == seen for source, seen in label.sources.items())
    )


def touched(source: str) -> list[int]:
    """Modification time (ns) and size of a file; zeros if it does not exist."""
    try:
        status = (CHECKOUT / source).stat()
    except OSError:
        return [0, 0]
    return [status.st_mtime_ns, status.st_size]


def declare(module: str) -> None:
    """A module that is imported has a kernel: its library is asked for."""
    _declared.add(library_of(module))


def _asked_for() -> list[str]:
    """Libraries of kernels that have been imported."""
    return sorted(_declared - {""})


def _ensure_built(wanted: list[str]) -> None:
    """Build those libraries of a checkout that are missing or older than their kernels."""
    stale = [name for name in wanted if name not in _seen and not is_fresh(file_of(name))]
    _seen.update(wanted)
    if stale:
        # in a separate process: the package that builds libraries is above this one
        import subprocess

        built = subprocess.run([sys.executable, "-m", "fem_mbd.core.compiled.build", *stale], check=False)
        if built.returncode:
            raise InstallationError(
                f"the libraries {', '.join(stale)} could not be built (see above); {remedy()}"
            )


_declared: set[str] = set()
_seen: set[str] = set()  # libraries that were found or built in this process
