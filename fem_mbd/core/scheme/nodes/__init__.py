"""Kernels of nodes in a step: kinematic maps, inertia and gravity; gather and scatter for batches of eight parts."""
