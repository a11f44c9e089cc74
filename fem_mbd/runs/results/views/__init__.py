"""What states and histories answer about one part: its own quantities, under the names of the field."""
