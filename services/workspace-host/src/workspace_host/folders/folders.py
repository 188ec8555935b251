"""Where the folders of all workspaces are: below one of the system's temporary folders, new at each start."""

import asyncio
import os
import tempfile
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import SessionId
from agent_domain.files.file import Workspace
from workspace_host import limits
from workspace_host.folders.folder import Folder
from workspace_host.folders.removing import remove_all

_PREFIX = "foldline-workspaces-"


class Folders:
    """The folders by workspace. They are made of the log when they are needed, so none has to last."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._folders: OrderedDict[Workspace, Folder] = OrderedDict()
        self._made = 0

    async def of(self, workspace: Workspace) -> Folder:
        """The folder; a new one, if it has none: the one that was unused for longest makes room.
        `Rejected(kind="too_large")` where commands run in all of them."""
        folder = self._folders.get(workspace)
        if folder is None:
            await self._make_room()
            self._made += 1
            folder = self._folders[workspace] = Folder(self.place / str(self._made))
            folder.make()
        self._folders.move_to_end(workspace)
        return folder

    def of_session(self, session: SessionId) -> list[Folder]:
        """The folder of a session's workspace, if it has one."""
        return [folder for workspace, folder in self._folders.items() if workspace.session_id == session]

    async def drop(self, session: SessionId) -> None:
        """The session's workspace is another, or nobody's: its folder is made anew when it is needed."""
        for workspace in [one for one in self._folders if one.session_id == session]:
            await asyncio.to_thread(self._folders.pop(workspace).remove)

    async def _make_room(self) -> None:
        if len(self._folders) < limits.FOLDERS:
            return
        for workspace, folder in self._folders.items():
            if not folder.commands and not folder.lock.locked():
                del self._folders[workspace]
                await asyncio.to_thread(folder.remove)
                return
        raise Rejected("commands of too many sessions run: try again later", kind=ErrorKind.TOO_LARGE)


@contextmanager
def own_place() -> Iterator[Path]:
    """A new folder for all of them; what hosts left that were killed is removed."""
    for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        owner = left.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdecimal() and not _lives(int(owner)):
            remove_all(left)
    place = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
    try:
        place.chmod(0o711)
        yield place
    finally:
        remove_all(place)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
