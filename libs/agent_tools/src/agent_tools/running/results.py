"""From what a tool returned to the event that records it."""

from collections.abc import Awaitable, Callable

import msgspec

from agent_contracts.blob_ref import BlobRef, Excerpt
from agent_contracts.errors import ToolError
from agent_contracts.ids import CallId
from agent_contracts.outside import Sources
from agent_contracts.sampled import SampledQuestion
from agent_contracts.sent import CallEgress
from agent_contracts.session_events.results import (
    TaskStep,
    ToolCallCompleted,
    ToolCallFailed,
    ToolCallPending,
    Usage,
)
from agent_contracts.worked import CallCommands
from agent_platform.log.storable_text import storable
from agent_platform.process.clock import rfc3339
from agent_tools.tool import Pause, Result

LARGEST_RESULT = 256 * 1024
"""Bytes of JSON up to which a result stands in its event; a larger one is a blob."""
HEAD = 6_000
TAIL = 2_000
"""How many characters of a large result's JSON the model gets from its beginning and its end."""


class CallReport(msgspec.Struct, frozen=True):
    """Who ran a call, for how long, at which delivery, what it asked models for, which tasks it began and
    ended, where material came from that it read, what left in its name, what commands did in it, and what a
    server had models asked."""

    call_id: CallId
    runner: str
    attempt: int
    duration_ms: int
    usage: Usage | None = None
    tasks: tuple[TaskStep, ...] = ()
    outside: Sources = ()
    sent: CallEgress | None = None
    worked: CallCommands | None = None
    sampled: tuple[SampledQuestion, ...] = ()


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
        resume = outcome.resume and msgspec.structs.replace(
            outcome.resume, state=storable(outcome.resume.state)
        )
        return ToolCallPending(
            ran.call_id,
            show,
            ran.runner,
            expires_at,
            ran.sent,
            ran.usage,
            ran.worked,
            resume,
            ran.sampled,
        )
    result = storable(outcome.model_dump(mode="json", by_alias=True))
    whole = msgspec.json.encode(result)
    excerpt = None
    if len(whole) > LARGEST_RESULT:
        text = whole.decode()
        excerpt = Excerpt(text[:HEAD], text[-TAIL:], *await keep(whole))
        result = None
    return ToolCallCompleted(
        call_id=ran.call_id,
        result=result,
        runner=ran.runner,
        duration_ms=ran.duration_ms,
        attempt=ran.attempt,
        excerpt=excerpt,
        usage=ran.usage,
        tasks=ran.tasks,
        pictures=outcome.shown_pictures(),
        outside=ran.outside,
        sent=ran.sent,
        worked=ran.worked,
        sampled=ran.sampled,
    )


def failed(error: ToolError, ran: CallReport) -> ToolCallFailed:
    """The event for a call that ended in an error; overlong messages are cut."""
    message = storable(error.message)
    if len(message) > HEAD + TAIL:
        message = f"{message[:HEAD]} … {message[-TAIL:]}"
    return ToolCallFailed(
        ran.call_id,
        msgspec.structs.replace(
            error, message=message, path=storable(error.path), details=storable(error.details)
        ),
        ran.runner,
        ran.duration_ms,
        ran.attempt,
        ran.usage,
        ran.tasks,
        ran.outside,
        ran.sent,
        ran.worked,
        ran.sampled,
    )
