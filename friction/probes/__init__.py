"""What laws do: drivers, probes, and the gallery of all laws."""
