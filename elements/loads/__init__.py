"""Forces, moments, line loads and distributed loads."""
