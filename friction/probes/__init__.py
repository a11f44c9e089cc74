"""Numerical experiments on friction and contact laws, and the gallery of all laws made from them."""
