"""How many files a process may have open: sockets are some."""

import resource


def open_files(needed: int) -> int:
    """At least `needed`, where the system lets this process have them: it asks. Else what it may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return needed if soft == resource.RLIM_INFINITY else soft
