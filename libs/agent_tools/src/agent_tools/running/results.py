"""From what a tool returned to the event that records it."""

from collections.abc import Awaitable, Callable

import msgspec
from msgspec.structs import asdict, replace

from agent_contracts.blob_ref import BlobRef, Excerpt
from agent_contracts.errors import ToolError
from agent_contracts.ids import CallId
from agent_contracts.outside import Sources
from agent_contracts.session_events.results import (
    Accounting,
    ToolCallCompleted,
    ToolCallFailed,
    ToolCallPending,
)
from agent_platform.log.storable_text import storable
from agent_platform.process.clock import rfc3339
from agent_tools.tool import Pause, Result

LARGEST_RESULT = 256 * 1024
"""Bytes of JSON up to which a result stands in its event; a larger one is a blob."""
HEAD = 6_000
TAIL = 2_000
"""How many characters of a large result's JSON the model gets from its beginning and its end."""


class CallReport(msgspec.Struct, frozen=True):
    """Who ran a call, what that took and did, and where material came from that the call read."""

    call_id: CallId
    runner: str
    accounting: Accounting
    outside: Sources = ()


ResultEvent = ToolCallCompleted | ToolCallFailed | ToolCallPending


Keep = Callable[[bytes], Awaitable[tuple[BlobRef, str | None]]]
"""Stores the JSON of a large result: its blob, and the file that the model can read it from."""


async def succeeded(
    outcome: Result | Pause, ran: CallReport, keep: Keep
) -> ToolCallCompleted | ToolCallPending:
    """The event for a tool's return value; a result over `LARGEST_RESULT` is kept elsewhere first.

    Raises `Transient` where that can't be stored.
    """
    if isinstance(outcome, Pause):
        expires_at = rfc3339(outcome.expires_at) if outcome.expires_at else None
        show = storable(outcome.show)
        resume = outcome.resume and replace(outcome.resume, state=storable(outcome.resume.state))
        return ToolCallPending(ran.call_id, show, ran.runner, expires_at, resume, **asdict(ran.accounting))
    result = storable(outcome.model_dump(mode="json", by_alias=True))
    whole = msgspec.json.encode(result)
    excerpt = None
    if len(whole) > LARGEST_RESULT:
        text = whole.decode()
        excerpt = Excerpt(text[:HEAD], text[-TAIL:], *await keep(whole))
        result = None
    pictures, took = outcome.shown_pictures(), asdict(ran.accounting)
    return ToolCallCompleted(ran.call_id, result, ran.runner, excerpt, pictures, ran.outside, **took)


def failed(error: ToolError, ran: CallReport) -> ToolCallFailed:
    """The event for a call that ended in an error; overlong messages are cut."""
    message = storable(error.message)
    if len(message) > HEAD + TAIL:
        message = f"{message[:HEAD]} … {message[-TAIL:]}"
    told = replace(error, message=message, path=storable(error.path), details=storable(error.details))
    return ToolCallFailed(ran.call_id, told, ran.runner, ran.outside, **asdict(ran.accounting))
