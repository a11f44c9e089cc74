"""Growing HDF5 datasets of the results file: columns of rows, and texts stored as bytes."""

from __future__ import annotations

import h5py
import numpy as np

from fem_mbd.runs.results.hdf5.layout import packed

# Rows per chunk: a file that is cut off loses up to this many rows of each column. Half as many would cost 1 us more
# per step to store and read, of about 7 in all.
CHUNK_ROWS = 256
CHUNK_BYTES = 65_536


class Column:
    """A dataset that grows along its first axis, by h5py's low-level API (half the cost of the high-level one).

    Attributes
    ----------
    rows : number of rows so far
    """

    def __init__(self, file: h5py.File, name: str, shape: tuple[int, ...], dtype: np.dtype) -> None:
        dtype = packed(dtype)
        row_bytes = max(dtype.itemsize * int(np.prod(shape)), 1)
        rows = int(np.clip(CHUNK_BYTES // row_bytes, 1, CHUNK_ROWS))
        # HDF5 cannot chunk an axis of length zero unless it may grow.
        limits = (None, *(n or None for n in shape))
        dataset = file.create_dataset(
            name, (0, *shape), dtype, chunks=(rows, *(max(n, 1) for n in shape)), maxshape=limits
        )
        self._id = dataset.id
        self._shape = shape
        self._dtype = dtype
        self._type = h5py.h5t.py_create(dtype)
        self.rows = 0

    def append(self, rows: np.ndarray) -> np.ndarray:
        """Write rows (m, *shape) after the last one; returns them as stored, contiguous."""
        data = np.ascontiguousarray(rows, self._dtype)
        if not len(data):
            return data
        self.rows += len(data)
        self._id.set_extent((self.rows, *self._shape))
        if data.size:
            target = self._id.get_space()
            target.select_hyperslab((self.rows - len(data), *(0 for _ in self._shape)), data.shape)
            self._id.write(h5py.h5s.create_simple(data.shape), target, data, self._type)
        return data


def growing_bytes(file: h5py.File, name: str, rows: int) -> h5py.Dataset:
    """Create a dataset of texts stored as bytes, as long as the longest text."""
    return file.create_dataset(name, (rows, 0), "u1", maxshape=(rows, None), chunks=(rows, 4096))


def write_bytes(dataset: h5py.Dataset, row: int, text: bytes) -> None:
    """Write `text` into a row of a byte dataset, padded with zeros; rows are lengthened where necessary."""
    if dataset.shape[1] < len(text):
        dataset.resize(len(text), axis=1)
    padded = np.zeros(dataset.shape[1], np.uint8)
    padded[: len(text)] = np.frombuffer(text, np.uint8)
    dataset[row] = padded
