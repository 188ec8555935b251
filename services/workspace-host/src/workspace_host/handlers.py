"""What to do with the messages that reach a workspace host over core NATS."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from nats.aio.msg import Msg

from agent_contracts.errors import Rejected
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.subjects import parse_cancellation
from agent_tools.running.handlers import ToolCalls
from workspace_host.commands.host import CommandHost
from workspace_host.folders.folders import Folders

log = structlog.get_logger()

Heard = Callable[[Msg], Awaitable[None]]
Forget = Callable[[str], Awaitable[None]]


def stopping(calls: ToolCalls, host: CommandHost, folders: Folders) -> tuple[Heard, Forget]:
    """What to do when the engine tells that nobody waits any more, and when a session was erased. A session
    that ended, or was rewound, has no commands any more, and its folder is laid out anew if need be. A
    call has none of its own."""
    ending: set[asyncio.Task[None]] = set()

    async def ended(session: SessionId, call: CallId | None = None) -> None:
        await host.end_of(session, call)
        if call is not None:
            return
        for folder in folders.of_session(session):
            await host.end_in(folder)
        await folders.drop(session)

    def end(session: SessionId, call: CallId | None = None) -> None:
        task = asyncio.create_task(ended(session, call))
        ending.add(task)
        task.add_done_callback(ending.discard)

    async def stop(message: Msg) -> None:
        try:
            session, call = parse_cancellation(message.subject, message.data)
        except Rejected as error:
            log.warning("cancellation.unreadable", subject=message.subject, reason=str(error))
            return
        calls.stop(session, call)
        end(session, call)

    async def erased(name: str) -> None:
        await ended(SessionId(name))

    return stop, erased
