"""Everything with a gap: joints with clearance and contacts, with laws given as objects."""
