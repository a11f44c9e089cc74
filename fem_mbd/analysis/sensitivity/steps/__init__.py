"""Propagation of derivatives through stretches of consecutive steps, in compiled code, with stored matrix factors."""
