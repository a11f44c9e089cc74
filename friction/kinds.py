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
VELOCITY = 5  # velocity_laws.py
BOND = 6  # bond.py
HARDENING = 7  # hardening.py: Dahl, Valanis, elasto-plastic
BLIMAN_SORINE = 8
GONTHIER = 9
ELEMENTS = 10  # maxwell_slip.py: Iwan, generalised Maxwell slip
LEUVEN = 11
BRISTLES = 12  # bristles.py
LUBRICATED = 13  # lubricated.py
