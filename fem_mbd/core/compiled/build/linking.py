"""Linking of an object file into a shared library by the C compiler."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from fem_mbd.errors import InstallationError


def c_compiler() -> list[str]:
    """The command: what the environment's CC says, or the first that is found.

    Raises
    ------
    InstallationError
        When there is none.
    """
    given = shlex.split(os.environ.get("CC", ""))
    found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if not given and found is None:
        raise InstallationError(
            "kernels cannot be linked: there is no C compiler (cc, gcc, clang). Debian, Ubuntu: apt-get install gcc "
            "libc6-dev; elsewhere name one by CC. A wheel of fem_mbd needs none"
        )
    return given or [str(found)]


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
