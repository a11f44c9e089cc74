"""Time integration of one run: attempts at steps, their checks and acceptance, in compiled code where possible."""
