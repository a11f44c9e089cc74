"""Friction laws with internal states: bristles and their relatives."""
