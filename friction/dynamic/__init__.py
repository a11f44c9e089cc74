"""Friction laws with internal states (bristle models)."""
