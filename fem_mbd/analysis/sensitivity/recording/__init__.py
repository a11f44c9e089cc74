"""Steps recorded operation by operation, for derivatives in the reverse order."""
