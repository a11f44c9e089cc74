"""Benchmarks: cost and accuracy of five problems, compared with Exudyn where it is installed, and costs of parts.

    python -m benchmarks                     all of them; see `--help`

Each of the five problems is one file with a function for this package and one for the peer program. CPU seconds are
those of the solve alone, without imports, model building and compilation.
"""

import os

# Both programs get one thread: the models are too small for more, and CPU seconds would include all of them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
