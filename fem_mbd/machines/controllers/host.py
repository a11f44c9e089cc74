"""Process that loads and calls a controller library, so that a crash of the library does not end the simulation.

Run as a script, by its path, with nothing but Python's own library:

    host.py LIBRARY ENTRY INFILE OUTNAME SIZE MESSAGE_BYTES READ WRITE

It answers each array of SIZE floats that comes on the file descriptor READ by the flag aviFAIL (int32), the array, and
a message of MESSAGE_BYTES bytes on WRITE; the first thing it writes is a line, "ok" or what is wrong.

    void ENTRY(float *avrSWAP, int *aviFAIL, char *accINFILE, char *avcOUTNAME, char *avcMSG)
"""

from __future__ import annotations

import ctypes
import os
import sys

OUTNAME_ROOM = 1024  # bytes: controllers may write a longer name than they are given


def entry_of(library: str, name: str) -> tuple[object, str]:
    """The function of a library, and what is wrong when there is none."""
    try:
        loaded = ctypes.CDLL(library)
    except OSError as error:
        return None, f"cannot be loaded: {error}"
    try:
        function = getattr(loaded, name)
    except AttributeError:
        return None, f"has no entry point '{name}'"
    function.restype = None
    return function, ""


def read_all(source: int, count: int) -> bytes:
    """``count`` bytes, or fewer at the end."""
    found = b""
    while len(found) < count:
        more = os.read(source, count - len(found))
        if not more:
            break
        found += more
    return found


def main(library: str, name: str, infile: str, outname: str, *numbers: str) -> int:
    """Serve until the other side closes."""
    size, message_bytes, source, target = map(int, numbers)
    function, fault = entry_of(library, name)
    os.write(target, (fault or "ok").replace("\n", " ").encode() + b"\n")
    if fault or not callable(function):
        return 1
    swap, fail = (ctypes.c_float * size)(), ctypes.c_int(0)
    texts = (
        ctypes.create_string_buffer(os.fsencode(infile)),
        ctypes.create_string_buffer(os.fsencode(outname), OUTNAME_ROOM),
    )
    message = ctypes.create_string_buffer(message_bytes)
    while len(data := read_all(source, ctypes.sizeof(swap))) == ctypes.sizeof(swap):
        ctypes.memmove(swap, data, len(data))
        fail.value = 0
        ctypes.memset(message, 0, message_bytes)
        function(swap, ctypes.byref(fail), *texts, message)
        answer = bytes(fail) + bytes(swap) + message.raw
        while answer:
            answer = answer[os.write(target, answer) :]
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
