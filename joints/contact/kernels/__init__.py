"""Compiled kernels of contacts: forces from geometry and laws, tangent, slip, transport of bristle states."""
