"""Default values and choices of options; nothing is imported here.

Choices defined in a library module are repeated, so that help and tab completion need not load it; a test
compares them.
"""

from __future__ import annotations

EXPORT_FORMATS = ("vtkhdf", "xdmf", "vtu", "csv")  # as fem_mbd.output.export.FORMATS
EXPORT_FOLDER, EXPORT_NAME = "export", "deformed"
CENTRES = ("mass centre", "elastic centre")  # as fem_mbd.elements.blades.hawc2_st.CENTRES
LINEAR_FRAMES = ("rotating", "inertial")
SPEEDS = 30  # number of speeds of a Campbell diagram without --speeds
PAGE_NAME = "animation.html"
PAGE_STATES = 400  # as fem_mbd.output.animation.animate.FRAMES
LOADS_FOLDER = "loads"
LOADS_EXPONENTS = (4.0, 10.0)  # as fem_mbd.output.section_loads.loads.EXPONENTS
