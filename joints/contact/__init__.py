"""Contacts and joints with clearance, with normal and friction laws."""
