"""Benchmark problems solved by this package and by peer programs: beams in large motion, a slider-crank."""
