"""Encoding of arrays in a page: little-endian 32-bit floats in base64, about seven digits."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array


def packed(values: Array) -> str:
    """Numbers as text; values that are not finite become zero."""
    finite = np.nan_to_num(np.asarray(values, dtype=float), nan=0.0, posinf=0.0, neginf=0.0)
    return base64.b64encode(finite.astype("<f4").tobytes()).decode("ascii")


def as_script(data: Any) -> str:
    """JSON that is safe inside a script element: no text in it can end the element or begin a comment."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
