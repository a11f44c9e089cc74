"""The numerical core: model, equations of a step, Newton's method, linear solvers, step sizes, the simulation."""
