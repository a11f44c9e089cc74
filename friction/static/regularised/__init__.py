"""Friction laws with a finite slope at zero slip speed: they creep instead of sticking."""
