"""What the user builds: nodes, parts, supports, prescribed motion and functions of time."""

from typing import TYPE_CHECKING

from fem_mbd.base.lazy import lazy_names

if TYPE_CHECKING:
    from fem_mbd.core.model.model import Model
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = ["Model"]
