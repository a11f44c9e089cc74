"""Friction laws with internal states: bristle models and related laws."""
