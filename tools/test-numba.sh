#!/usr/bin/env bash
# Builds small libraries with the oldest and with the newest numba that setup.cfg allows, and compiles a kernel at run time with each.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
oldest=$(sed -n 's/^ *numba>=\([0-9.]*\)$/\1/p' setup.cfg | head -n 1)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python=${PYTHON:-.venv/bin/python}
[ -x "$python" ] || python=python3

for wanted in "numba==$oldest.*" numba; do
    rm -rf "$scratch/venv" "$scratch/made"
    "$python" -m venv "$scratch/venv"
    "$scratch/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$wanted" scipy
    cd "$scratch"
    PYTHONPATH=$root "$scratch/venv/bin/python" -m fem_mbd.core.compiled.build calls stepping model --into "$scratch/made" --version test
    PYTHONPATH=$root "$scratch/venv/bin/python" - "$scratch/made" << 'PROGRAM'
import ctypes
import sys
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numba
import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.libraries import usable
from fem_mbd.core.compiled.signatures import float64, int64


class Part(NamedTuple):
    values: Annotated[Any, float64[::1]]
    count: Annotated[Any, int64]


@kernel(float64(Part))
def total(part):
    found = 0.0
    for k in range(part.count):
        found += part.values[k]
    return found


for file in sorted(Path(sys.argv[1], usable()[0]).glob("*.so")):
    ctypes.CDLL(str(file), mode=ctypes.RTLD_GLOBAL)
assert total(Part(np.arange(4.0), 4)) == 6.0 and total.entries[0].address
print(f"  numba {numba.__version__}, NumPy {np.__version__}: built and loaded")
PROGRAM
    cd "$root"
done
