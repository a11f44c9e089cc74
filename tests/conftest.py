"""What all tests need of the process that they run in."""

import signal

# A process started in the background ignores Ctrl-C, and runs respect that; tests of interruption need it answered.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
