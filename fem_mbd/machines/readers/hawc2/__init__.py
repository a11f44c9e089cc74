"""Reader of machines from HAWC2's htc files."""
