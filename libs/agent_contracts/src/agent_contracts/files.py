"""Files of an agent: entities of two kinds, whose bytes are blobs.

A file is the entity `file` under its id; that its path is taken, and by which file, is the entity `path`.
Both are written together, all or none.
"""

import re
from enum import StrEnum
from typing import Literal

import msgspec

from agent_contracts.ids import SessionId

LARGEST_FILE = 50_000_000
"""Bytes of one file."""
LONGEST_PATH = 512
"""Characters."""
_DRIVE = re.compile(r"[A-Za-z]:")
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:[.:].*)?", re.IGNORECASE
)


class FileScope(StrEnum):
    """Who sees a file."""

    SESSION = "session"
    """The session in which it was made, with its sub-sessions."""
    AGENT = "agent"
    """Every session of the agent."""


FileSource = Literal["upload", "tool", "code", "web"]
"""Where the bytes of a version came from: a person, a tool, the agent's own code, the net."""


class FileValue(msgspec.Struct, frozen=True, omit_defaults=True):
    """A version of a file; its id is the entity's name, `f_…`.

    `blob` is the SHA-256 of its bytes, `size` how many they are. `session_id` is the workspace of a file of
    a session: the session at the top of the tree. `made_from` is the file that it was made of, `forked_from`
    the one that a fork of the session has in it: it is found under that id there, too.
    """

    path: str
    media_type: str
    size: int
    blob: str
    scope: FileScope
    source: FileSource
    session_id: SessionId | None = None
    made_from: str | None = None
    forked_from: str | None = None


class SentFile(msgspec.Struct, frozen=True):
    """A file that came with a message, as it was then."""

    file_id: str
    path: str
    media_type: str
    size: int
    version: int
    """The version that was sent."""
    blob: str


class PathValue(msgspec.Struct, frozen=True):
    """Which file has a path."""

    file_id: str


def path_key(session_id: SessionId | None, path: str) -> str:
    """The name of the entity `path`: a path in a session's workspace, or (without one) in the agent's."""
    return f"{session_id or ''}/{path}"


def flaw_in_path(path: str) -> str | None:
    """What is wrong with a file's path, None if nothing is."""
    if not path:
        return "a path must not be empty"
    if len(path) > LONGEST_PATH:
        return f"a path has at most {LONGEST_PATH} characters"
    if not path.isprintable():
        return "a path has no control characters"
    if path.startswith("/") or path.endswith("/"):
        return "a path neither begins nor ends with a slash"
    if any(part in ("", ".", "..") for part in path.split("/")):
        return "a path has no empty part, no `.` and no `..`"
    if "\\" in path:
        return "a path has no backslash"
    if _DRIVE.match(path):
        return "a path doesn't begin with a drive, such as C:"
    device = next((part for part in path.split("/") if _DEVICE.fullmatch(part)), None)
    return f"{device} is the name of a device on Windows, not of a file" if device else None
