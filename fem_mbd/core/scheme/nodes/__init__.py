"""Nodes in a step: their maps, inertia and gravity, and parts that read them and add to them eight at a time."""
