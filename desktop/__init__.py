"""Headwater's window: the program a person sees."""

import sys

_PROGRAM = sys.argv[0].replace("\\", "/").rpartition("/")[2].partition(".")[0] if sys.argv else ""

if (_PROGRAM == "-m" and "desktop" in sys.orig_argv) or _PROGRAM.lower() == "headwater":
    # On the way to the program, Ctrl-C ends it as it ends any other, with nothing to say about it.
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)
