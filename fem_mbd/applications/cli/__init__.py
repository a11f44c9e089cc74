"""The command line, the top layer: everything below may be imported here, nothing imports it."""
