"""The user's description of a system: model, nodes, supports, prescribed motion, functions of time; element classes."""

from typing import TYPE_CHECKING

from fem_mbd.base.lazy import lazy_names

if TYPE_CHECKING:
    from fem_mbd.core.model.model import Model as Model
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
