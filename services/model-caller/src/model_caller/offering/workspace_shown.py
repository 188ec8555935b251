"""What a session's workspace holds, as a pack shows it to models: the status and a tree of bounded size."""

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import AgentId
from agent_contracts.log.record.session_subjects import SessionKey
from agent_domain.files.file import File, Workspace, file_of
from agent_domain.files.rules import visible
from agent_platform.entities.entity import Entity

MOST_LINES = 60
DEPTH = 3
"""How many folders deep names are shown; of deeper ones, the number of files."""
LONGEST_NAME = 100
"""Characters. With `MOST_LINES`, the tree has at most about 6,000."""
_SAYS_NOTHING = re.compile(r"[\w./-]{1,60}")
"""Paths that may be shown although they came from outside: nobody can write a sentence with them."""
_HEAD = """\
**Server**: workspace
**Status**: Active
**Working Directory**: /workspace
**Available Tools**: {tools}

## Current Directory Structure

"""


class FilesOfThePast(Protocol):
    """Where the files of an agent come from."""

    async def list(
        self, agent_id: AgentId, kind: EntityKind, *, up_to: int | None = None
    ) -> Sequence[Entity]:
        """All entities of one kind after event `up_to`."""
        ...


class WorkspaceLookup(Protocol):
    """Who knows in whose workspace a session works."""

    async def of(self, session: SessionKey) -> Workspace:
        """See `Workspaces`."""
        ...


class WorkspacesShown:
    """Reads the files of a session's workspace."""

    def __init__(self, entities: FilesOfThePast, workspaces: WorkspaceLookup) -> None:
        self._entities = entities
        self._workspaces = workspaces

    async def as_of(self, session: SessionKey, sequence: int) -> Sequence[File]:
        """Those that the session saw after event `sequence`, by path."""
        found = await self._entities.list(session.agent_id, EntityKind.FILE, up_to=sequence)
        return visible(map(file_of, found), await self._workspaces.of(session))


def status(files: Sequence[File], tool_count: int) -> str:
    """What models are shown of a workspace with these files. What could speak in a path from outside is
    counted only."""
    shown = [file for file in files if not file.outside or _SAYS_NOTHING.fullmatch(file.path)]
    lines = _tree(file.path for file in shown)
    cut = len(lines) - MOST_LINES
    if cut > 0:
        lines = [*lines[:MOST_LINES], f"… {cut:,} more lines: list_directory shows all"]
    hidden = len(files) - len(shown)
    if hidden:
        files_are = "1 file whose name comes" if hidden == 1 else f"{hidden:,} files whose names come"
        lines.append(f"({files_are} from outside: list_directory shows it)")
    tools = "1 tool" if tool_count == 1 else f"{tool_count} tools"
    return _HEAD.format(tools=tools) + ("\n".join(lines) or "(empty)")


def _tree(paths: Iterable[str]) -> list[str]:
    """A line for each folder and file, folders before what is in them, in the paths' order."""
    lines: list[str] = []
    counts: dict[int, int] = {}
    seen: set[tuple[str, ...]] = set()
    deep: dict[tuple[str, ...], int] = {}
    for path in paths:
        *folders, name = path.split("/")
        for depth in range(1, min(len(folders), DEPTH) + 1):
            folder = tuple(folders[:depth])
            if folder not in seen:
                seen.add(folder)
                lines.append(f"{'  ' * (depth - 1)}{folder[-1][:LONGEST_NAME]}/")
                if depth == DEPTH:
                    deep[folder] = len(lines) - 1
        if len(folders) < DEPTH:
            lines.append(f"{'  ' * len(folders)}{name[:LONGEST_NAME]}")
        else:
            at = deep[tuple(folders[:DEPTH])]
            counts[at] = counts.get(at, 0) + 1
    return [
        f"{line} ({'1 file' if counts[at] == 1 else f'{counts[at]:,} files'})" if at in counts else line
        for at, line in enumerate(lines)
    ]
