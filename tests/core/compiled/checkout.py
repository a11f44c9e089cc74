"""A copy of the package in a separate folder, whose kernels tests may change, and commands that run there."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

from fem_mbd.core.compiled.libraries import CHECKOUT, usable

BUILD = ("-m", "fem_mbd.core.compiled.build")


class Checkout:
    """A copy of the package, without libraries.

    Parameters
    ----------
    folder : that it is put into
    """

    def __init__(self, folder: Path):
        self.folder = folder
        for name in ("fem_mbd", "elements", "joints", "friction", "cases"):
            copytree(
                CHECKOUT / name, folder / name, True, ignore=ignore_patterns("__pycache__", "machine_code")
            )

    @property
    def libraries(self) -> Path:
        """The folder that they are built into."""
        return self.folder / "build" / "kernels" / usable()[0]

    def start(self, *command: str, **environment: str) -> subprocess.Popen[str]:
        """Python with these arguments, in a group of processes of its own."""
        known = {name: value for name, value in os.environ.items() if name != "CC"}
        # Python takes byte code of a file that was edited within a second, to the same size, for that of the file
        known["PYTHONDONTWRITEBYTECODE"] = "1"
        return subprocess.Popen(
            [sys.executable, *command],
            cwd=self.folder,
            env={**known, "PYTHONPATH": str(self.folder), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *command: str, **environment: str) -> tuple[int, str]:
        """Status of Python with these arguments, and what it says on stderr."""
        process = self.start(*command, **environment)
        said = process.communicate()[1]
        return process.returncode, said

    def build(self, *names: str, **environment: str) -> tuple[int, str]:
        """Status of the command that builds libraries, and what it says."""
        return self.run(*BUILD, *names, **environment)

    def edit(self, file: str, old: str, new: str) -> None:
        """Put ``new`` in the place of ``old`` in a file."""
        text = (self.folder / file).read_text("utf-8")
        assert old in text
        (self.folder / file).write_text(text.replace(old, new), "utf-8")
