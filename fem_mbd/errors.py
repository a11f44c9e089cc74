"""Exceptions and the base class of warnings of the package.

Every message says what is wrong, where (the name of the part, and the time in a run), and what to do.
"""

from __future__ import annotations


class FemMbdError(Exception):
    """Base of every error below: catch this one to catch every error that the package raises on purpose."""


class InputError(FemMbdError, ValueError):
    """The user's input cannot be used; raised when a part is built or before a run starts, never during one."""


class SolverFailure(FemMbdError, RuntimeError):
    """A run cannot continue: the smallest step did not converge. Results up to the last accepted step are stored."""


class RecordingFailed(FemMbdError, OSError):
    """Results cannot be stored any more (disk full, file system gone); results flushed before remain."""


class MissingDependency(FemMbdError, ImportError):
    """A library that this function needs is not installed; the message says how to install it."""


class InstallationError(FemMbdError, RuntimeError):
    """A part of the installed package is missing, damaged or of another version."""


class FemMbdWarning(UserWarning):
    """Base of the package's warnings: the computation continues. The command prints each of them once."""
