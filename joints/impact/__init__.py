"""Rigid contacts whose impacts take no time: velocities jump by Newton's or Poisson's law of restitution."""
