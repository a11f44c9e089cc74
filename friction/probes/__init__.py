"""Numerical experiments on single laws: prescribed slip, force or impact; features of all laws; the gallery."""
