"""How a command is started that has no namespaces: below a process of ours that ends all of it."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import agent_platform
import workspace_host
from workspace_host import limits
from workspace_host.isolation.user import OWN_ID, is_root
from workspace_host.isolation.view import View

_BECOME = (
    "import sys; sys.path[:0] = sys.argv.pop(1).split(':'); "
    "from workspace_host.isolation.confined import main; main()"
)


def supervised(view: View, inner: Sequence[str], *, confined: bool) -> list[str]:
    """The arguments that start `inner`; where it isn't confined, it may do what we may."""
    wanted = {
        "confined": confined,
        "user": OWN_ID if is_root() else None,
        "service": os.getpid(),
        "folder": os.path.join(view.files, view.folder),
        "writable": [str(view.files), str(view.scratch)],
        "also": list(view.also),
        "largest": limits.LARGEST_WRITTEN,
        "open": limits.OPEN_FILES,
        "memory": view.reserved,
        "processes": limits.PROCESSES,
    }
    ours = (str(agent_platform.__file__), str(workspace_host.__file__))
    sources = ":".join(str(Path(file).parents[1]) for file in ours)
    return [sys.executable, "-I", "-S", "-c", _BECOME, sources, json.dumps(wanted), *inner]
