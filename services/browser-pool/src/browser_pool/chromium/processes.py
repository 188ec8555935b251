"""Other processes of this machine."""

import os


def runs(process: int) -> bool:
    """Whether there is a process of this number, whoever's it is."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
