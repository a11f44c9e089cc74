"""Reader of machines from windIO files."""
