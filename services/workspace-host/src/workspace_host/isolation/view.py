"""What a command sees of the disk."""

from dataclasses import dataclass
from pathlib import Path

from workspace_host import limits

INSIDE = "/workspace"
"""Where the folder is, for a command with namespaces of its own."""


@dataclass(frozen=True)
class FolderView:
    """Folders of this machine: `files` is the workspace, `scratch` what a command has as `/tmp`, `shared` as
    `/dev/shm`, `names` holds `passwd` and `group`. `also` can be read as well. `folder` is where the command
    begins, relative to `files` (absolute in host mode). Each process may reserve so many bytes.
    """

    files: Path
    scratch: Path
    shared: Path
    names: Path
    also: tuple[str, ...] = ()
    folder: str = ""
    reserved: int = limits.MEMORY
