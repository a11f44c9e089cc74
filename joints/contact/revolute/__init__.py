"""Revolute joints with clearance: journal and bearing."""
