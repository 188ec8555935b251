"""What goes over the wire for an answer and what goes wrong with it, as steps to carry out. Pure."""

from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Protocol

import msgspec
from msgspec import structs

from demo_model import faults
from demo_model.scripted_answer import ScriptedAnswer
from demo_model.wire import Stamp


class Wire(Protocol):
    """How an interface puts things. Its modules are such."""

    DONE: bytes

    def completion(self, answer: ScriptedAnswer, stamp: Stamp) -> dict[str, Any]:
        """The body of an answer that is not streamed."""
        ...

    def chunks(self, answer: ScriptedAnswer, stamp: Stamp) -> list[bytes]:
        """A streamed answer's content."""
        ...

    def ending(self, answer: ScriptedAnswer, stamp: Stamp, *, include_usage: bool) -> list[bytes]:
        """What closes a streamed answer."""
        ...

    def error(
        self, message: str, kind: str, code: str | None = None, param: str | None = None
    ) -> dict[str, Any]:
        """An error's body, from OpenAI's words for it."""
        ...

    def event(self, body: Any) -> bytes:
        """One server-sent event."""
        ...


@dataclass(frozen=True)
class StartStep:
    """Send the status and the headers."""

    status: int
    headers: dict[str, str]


@dataclass(frozen=True)
class SendStep:
    """Send a part of the body."""

    data: bytes


@dataclass(frozen=True)
class WaitStep:
    """Let time pass (seconds)."""

    seconds: float


@dataclass(frozen=True)
class HoldStep:
    """Go on when told to."""


@dataclass(frozen=True)
class HangStep:
    """Do nothing until the client goes away."""


@dataclass(frozen=True)
class CutStep:
    """Close the TCP connection."""


Step = StartStep | SendStep | WaitStep | HoldStep | HangStep | CutStep

JSON = {"content-type": "application/json"}
EVENTS = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}


@dataclass(frozen=True)
class ReplyFormat:
    """How the client wants the answer."""

    stream: bool
    include_usage: bool
    wire: Wire


def plan(
    answer: ScriptedAnswer, fault: faults.AnyFault | None, asked: ReplyFormat, stamp: Stamp
) -> list[Step]:
    """The steps that give this answer with this fault; the response ends after the last one, cleanly unless
    cut."""
    match fault:
        case faults.RateLimited() | faults.ServerError() | faults.BadRequest() | faults.ContextLength():
            return refusal(fault, asked.wire)
        case faults.WrongType():
            return [StartStep(200, {"content-type": fault.content_type}), SendStep(fault.body.encode())]
        case faults.EmptyBody():
            return [StartStep(200, EVENTS if asked.stream else JSON)]
        case faults.HangFault(after_chunks=None):
            return [HangStep()]
        case faults.EmptyFault():
            nothing = structs.replace(answer.usage, completion_tokens=0)
            answer = replace(answer, text="", calls=(), finish="stop", usage=nothing)
    return (
        _streamed(answer, fault, asked, stamp) if asked.stream else _whole(answer, fault, asked.wire, stamp)
    )


def refusal(
    fault: faults.RateLimited | faults.ServerError | faults.BadRequest | faults.ContextLength, wire: Wire
) -> list[Step]:
    """The steps of an error status."""
    match fault:
        case faults.RateLimited():
            headers = {} if fault.retry_after is None else {"retry-after": f"{fault.retry_after:g}"}
            body = wire.error("Rate limit reached for requests.", "requests", "rate_limit_exceeded")
            return failed(429, body, headers)
        case faults.ServerError():
            return failed(fault.status, wire.error(fault.message, "server_error"))
        case faults.BadRequest():
            return failed(fault.status, wire.error(fault.message, "invalid_request_error", fault.code))
        case faults.ContextLength():
            message = (
                f"This model's maximum context length is {fault.limit} tokens. However, your messages "
                "resulted in more tokens than that. Please reduce the length of the messages."
            )
            code = "context_length_exceeded"
            return failed(400, wire.error(message, "invalid_request_error", code, "messages"))


def failed(status: int, body: object, headers: dict[str, str] | None = None) -> list[Step]:
    """The steps of an error body."""
    return [StartStep(status, JSON | (headers or {})), SendStep(msgspec.json.encode(body))]


def _streamed(
    answer: ScriptedAnswer, fault: faults.AnyFault | None, asked: ReplyFormat, stamp: Stamp
) -> list[Step]:
    wire = asked.wire
    chunks = [] if isinstance(fault, faults.NoChoices) else wire.chunks(answer, stamp)
    paced: list[list[Step]] = [
        [*_pause(answer.pace.delay if index else answer.pace.first), SendStep(chunk)]
        for index, chunk in enumerate(chunks)
    ]
    after: int | None = getattr(fault, "after_chunks", None)
    before = len(paced) if after is None else after
    steps: list[Step] = [StartStep(200, EVENTS), *chain.from_iterable(paced[:before])]
    closing = wire.ending(answer, stamp, include_usage=asked.include_usage)
    match fault:
        case faults.CutFault():
            return [*steps, CutStep()]
        case faults.HangFault():
            return [*steps, HangStep()]
        case faults.NoDone():
            return steps
        case faults.BadChunk():
            steps.append(SendStep(b'data: {"id": "broken", "choices": [{"delta": {"content": \n\n'))
        case faults.ErrorChunk():
            return [
                *steps,
                SendStep(wire.event(wire.error(fault.message, "server_error"))),
                SendStep(wire.DONE),
            ]
        case faults.HoldFault():
            steps.append(HoldStep())
        case faults.NoChoices():
            return [*steps, SendStep(wire.DONE)]
    return [*steps, *chain.from_iterable(paced[before:]), *(SendStep(part) for part in closing)]


def _whole(answer: ScriptedAnswer, fault: faults.AnyFault | None, wire: Wire, stamp: Stamp) -> list[Step]:
    body = wire.completion(answer, stamp)
    if isinstance(fault, faults.NoChoices):
        body["choices"] = []
    data = msgspec.json.encode(body)
    start = StartStep(200, JSON | {"content-length": str(len(data))})
    steps: list[Step] = _pause(answer.pace.first)
    match fault:
        case faults.CutFault():
            return [*steps, start, SendStep(data[: len(data) // 2]), CutStep()]
        case faults.HangFault():
            return [*steps, start, SendStep(data[: len(data) // 2]), HangStep()]
        case faults.BadChunk():
            return [*steps, StartStep(200, JSON), SendStep(data[: len(data) // 2])]
        case faults.ErrorChunk():
            return failed(500, wire.error(fault.message, "server_error"))
        case faults.HoldFault():
            steps.append(HoldStep())
    return [*steps, start, SendStep(data)]


def _pause(seconds: float) -> list[Step]:
    return [WaitStep(seconds)] if seconds else []
