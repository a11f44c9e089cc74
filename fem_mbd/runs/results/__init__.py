"""What a run leaves behind: recording, files, reading, checks and summaries."""
