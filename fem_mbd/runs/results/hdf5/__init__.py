"""Results files in HDF5: format, locks, checksums, reader and writer."""
