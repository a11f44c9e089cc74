"""Builder of libraries in which kernels calculate with dual numbers (`fem_mbd.core.compiled.dual_calls`)."""
