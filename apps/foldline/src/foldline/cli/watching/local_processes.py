"""The processes of a Foldline on this machine, as the system lists them: also those that hang."""

import msgspec
import psutil

_SERVICE = "agent_platform.services.serve"
"""Each service's process is `python -m <this> NAME`."""


class LocalProcess(msgspec.Struct, frozen=True):
    """One process below a `foldline up`, or that itself."""

    name: str
    """The service or the program; `workers of NAME`: Python that runs agents' code or reads documents for the
    process NAME."""
    pid: int
    memory_bytes: int


def local_processes(supervisor: int) -> list[LocalProcess]:
    """The supervisor, called `up`, and all below it, the oldest first. Empty if it has ended."""
    names = {supervisor: "up"}
    found = []
    try:
        root = psutil.Process(supervisor)
        family = [root, *root.children(recursive=True)]
    except psutil.Error:
        return []
    for process in family:
        try:
            words, program, parent = process.cmdline(), process.name(), process.ppid()
            if process.pid in names:
                name = names[process.pid]
            elif words[-2:-1] == [_SERVICE]:
                name = words[-1]
            elif program.startswith("python"):
                name = f"workers of {names.get(parent, 'up').removeprefix('workers of ')}"
            else:
                name = program
            names[process.pid] = name
            found.append(LocalProcess(name, process.pid, process.memory_info().rss))
        except psutil.Error:  # it has ended meanwhile
            continue
    return found
