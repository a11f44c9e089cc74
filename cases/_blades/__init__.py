"""Common part of the cases of wind turbine blades: parameters, models, the gust, checks and figures."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "_data"
