"""Benchmarks: cost and accuracy of five problems, side by side with Exudyn where it is installed; cost of the laws.

    python -m benchmarks                     all of them; `--help` tells the rest

Each of the five is one file with a function for this package and one for the peer. CPU seconds are those of the solve
alone: no imports, no building of models, no compilation.
"""

import os

# Both programs get one thread: the models are too small for more, and CPU seconds would count them all.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
