"""Kernel that records parts of the equations one after the other, and goes back through each at once."""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import ADDRESS, FOREIGN, WORDS, call_at
from fem_mbd.core.compiled.signatures import index_rows, indices, int64, matrix, vector
from fem_mbd.core.compiled.tape.sweeps import PAGE, backward2, backward8

NUMBER = 1  # word of a recorded number that names its operation; the other one is its value


@kernel
def _clear(forces, first, behind):
    """Forces of nodes without value and operation."""
    for node in range(first, behind):
        for word in range(forces.shape[1]):
            forces[node, word] = 0


@kernel
def _seed(forces, own, first, behind, width, adjoints, lanes, marks):
    """Adjoints of the sums of forces are those of what a part adds to them."""
    for node in range(first, behind):
        for k in range(width):
            number = forces[node, 2 * k + NUMBER]
            if number != 0:
                marks[number >> PAGE] = 1
                for lane in range(lanes):
                    adjoints[lanes * number + lane] += own[(node * width + k) * lanes + lane]


@kernel(
    int64(index_rows, index_rows, index_rows, index_rows, matrix, int64, int64, indices, index_rows, matrix, vector,
    indices, int64),
)  # fmt: skip
def back_by_parts(
    calls, nodes, force_m, force_f, own, width, seeded, head, numbers, slopes, adjoints, marks, lanes
):
    """Record each call behind the operations that there are, and go back through it; operations of the largest one.

    Parameters
    ----------
    calls : list of them
    nodes : (parts, 2) first node that each adds to, and the one behind the last
    force_m, force_f : (nodes, 2 width) recorded forces, as words
    own : (2, nodes width lanes) adjoints of their sums
    seeded : 0: only record
    head, numbers, slopes, adjoints, marks, lanes : the tape
    """
    base, largest = head[0], 0
    for part in range(nodes.shape[0]):
        first, behind = nodes[part, 0], nodes[part, 1]
        _clear(force_m, first, behind)
        _clear(force_f, first, behind)
        head[0] = base
        call_at(calls[part, ADDRESS], calls[part, WORDS], calls[part, FOREIGN])
        count = head[0]
        largest = max(largest, count - base)
        if count >= head[1]:
            return largest
        if seeded != 0:
            _seed(force_m, own[0], first, behind, width, adjoints, lanes, marks)
            _seed(force_f, own[1], first, behind, width, adjoints, lanes, marks)
            if lanes == 2:
                backward2(numbers, slopes, base, count, adjoints, marks)
            else:
                backward8(numbers, slopes, base, count, adjoints, marks)
    head[0] = base
    return largest
