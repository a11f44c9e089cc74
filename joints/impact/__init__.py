"""Rigid contacts with instantaneous impacts: velocity jumps by Newton's or Poisson's law of restitution."""
