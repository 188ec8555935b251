"""How often a program that runs for long looks for objects that keep each other alive."""

import gc

_YOUNGEST = 5_000
"""So many new objects at a time; Python's own 700 are those of two steps of a session."""
_OLDER = 20


def collect_rarely() -> None:
    """What is loaded by now is never looked through again, and new objects are less often.

    To be called by programs when their imports are done, and not where tests share a process. With 50
    sessions at work a fifth of a process's time went into it: folds and events are many, live long, and are
    in no circle.
    """
    gc.freeze()
    gc.set_threshold(_YOUNGEST, _OLDER)
