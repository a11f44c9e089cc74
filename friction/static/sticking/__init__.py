"""Friction laws that stick: a stiff spring up to the break-away force."""
