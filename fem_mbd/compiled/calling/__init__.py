"""How kernels are called without Python: by their addresses, in lists, when first needed, and among threads."""
