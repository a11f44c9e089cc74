"""Integer codes by which compiled code tells the laws apart.

A code is stored in the field ``kind`` of a law's record (``records.py``) and read only by the two dispatch
files ``normal.py`` and ``tangential.py``. Zero is left unused so that a record that nobody filled is noticed.
"""

LINEAR = 1
HERTZ = 2
CYLINDER = 3

FRICTIONLESS = 1
COULOMB = 2
LUGRE_VECTOR = 3
LUGRE_SCALAR = 4
