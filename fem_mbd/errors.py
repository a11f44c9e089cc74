"""Exceptions that the package raises on purpose.

Every message says what is wrong, where (the part by its name, and the time where there is one), and what to do.
"""

from __future__ import annotations


class FemMbdError(Exception):
    """Base of every error below: catch this one to catch whatever the package raises on purpose."""


class InputError(FemMbdError, ValueError):
    """The user's input cannot be used; raised when a part is built or before a run starts, never during one."""


class SolverFailure(FemMbdError, RuntimeError):
    """A run cannot go on: the smallest step did not converge. Results up to the last accepted step are kept."""


class RecordingFailed(FemMbdError, OSError):
    """Results cannot be stored any more (disk full, file system gone); what was flushed before is kept."""


class MissingDependency(FemMbdError, ImportError):
    """A library that this function needs is not installed; the message says how to install it."""


class InstallationError(FemMbdError, RuntimeError):
    """Something that belongs to the installed package is missing, damaged or of another version."""


class FemMbdWarning(UserWarning):
    """Base of the package's warnings: the work goes on, but the user should know. The command tells each once."""
