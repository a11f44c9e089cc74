"""Process that loads and calls a controller library, so that a crash of the library does not end the simulation.

Run as a script, by its path, with nothing but Python's own library:

    host.py LIBRARY ENTRY INFILE OUTNAME SIZE MESSAGE_BYTES READ WRITE

It first writes one line, "ok" or an error. For each array of SIZE floats read from the file descriptor READ it calls
the function and writes the flag aviFAIL (int32), the array, and a message of MESSAGE_BYTES bytes to WRITE.

    void ENTRY(float *avrSWAP, int *aviFAIL, char *accINFILE, char *avcOUTNAME, char *avcMSG)
"""

from __future__ import annotations

import ctypes
import os
import sys

OUTNAME_BYTES = 1024  # size of the buffer: controllers may write a longer name than the given one


def entry_of(library: str, name: str) -> tuple[object, str]:
    """The function of a library, or None and an error message."""
    try:
        dll = ctypes.CDLL(library)
    except OSError as error:
        return None, f"cannot be loaded: {error}"
    try:
        function = getattr(dll, name)
    except AttributeError:
        return None, f"has no entry point '{name}'"
    function.restype = None
    return function, ""


def read_all(source: int, count: int) -> bytes:
    """Read ``count`` bytes, or fewer at the end of the stream."""
    data = b""
    while len(data) < count:
        chunk = os.read(source, count - len(data))
        if not chunk:
            break
        data += chunk
    return data


def main(library: str, name: str, infile: str, outname: str, *numbers: str) -> int:
    """Process calls until the other process closes the pipe."""
    size, message_bytes, source, target = map(int, numbers)
    function, error_text = entry_of(library, name)
    os.write(target, (error_text or "ok").replace("\n", " ").encode() + b"\n")
    if error_text or not callable(function):
        return 1
    swap, fail = (ctypes.c_float * size)(), ctypes.c_int(0)
    texts = (
        ctypes.create_string_buffer(os.fsencode(infile)),
        ctypes.create_string_buffer(os.fsencode(outname), OUTNAME_BYTES),
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
