"""Running a model from start to end: sessions, interruption, progress."""
