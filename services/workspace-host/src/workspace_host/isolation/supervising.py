"""How a command is started that has no namespaces: below a process of ours that ends all of it."""

import os
import sys
from collections.abc import Sequence

import workspace_host
from agent_platform.process.cage.launching import bare, becoming
from workspace_host import limits
from workspace_host.isolation.user import OWN_ID, is_root
from workspace_host.isolation.view import FolderView

_BECOME = becoming("workspace_host.isolation.confined")


def supervised(view: FolderView, inner: Sequence[str], *, confined: bool) -> list[str]:
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
    return [sys.executable, *bare(_BECOME, workspace_host, wanted), *inner]
