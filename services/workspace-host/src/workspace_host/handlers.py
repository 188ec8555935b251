"""What a workspace host ends when nobody waits for a call, or a session is over."""

import asyncio

from agent_contracts.ids import CallId, SessionId
from workspace_host.commands.host import CommandHost
from workspace_host.folders.folders import Folders


class CommandEndings:
    """Ends what a session has here. One that ended, or was rewound, has no commands any more, and its
    folder is laid out anew if it is needed again. A call has no folder of its own."""

    def __init__(self, host: CommandHost, folders: Folders) -> None:
        self._host = host
        self._folders = folders
        self._in_hand: set[asyncio.Task[None]] = set()

    def stop(self, session: SessionId, call: CallId | None) -> None:
        """Nobody waits for this call, or for anything of the session."""
        task = asyncio.create_task(self._end(session, call))
        self._in_hand.add(task)
        task.add_done_callback(self._in_hand.discard)

    async def forget(self, name: str) -> None:
        """The session of this name was erased."""
        await self._end(SessionId(name), None)

    async def _end(self, session: SessionId, call: CallId | None) -> None:
        await self._host.end_of(session, call)
        if call is not None:
            return
        for folder in self._folders.of_session(session):
            await self._host.end_in(folder)
        await self._folders.drop(session)
