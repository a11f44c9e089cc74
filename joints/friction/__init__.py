"""Friction inside ideal joints, from their reactions."""
