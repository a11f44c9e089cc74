"""Branches of periodic motions over a parameter: continuation, bifurcations on the way, the branches behind them."""
