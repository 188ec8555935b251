"""What a script can make go wrong, and the only memory the server has: how often each fault has happened."""

from collections import Counter
from typing import Annotated

from msgspec import Meta, Struct

Times = Annotated[int, Meta(ge=1)]
Chunks = Annotated[int, Meta(ge=0)]


class Fault(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """Something goes wrong instead of the answer."""

    times: Times | None = None
    """For this many requests of the conversation (told apart by its first user message) that reach this
    answer; after them the answer is given. Not given: every time."""


class RateLimited(Fault, frozen=True, tag="rate_limited"):
    """429 with `Retry-After`."""

    retry_after: float | None = 1
    """Seconds, sent as given; null leaves the header out."""


class ServerError(Fault, frozen=True, tag="server_error"):
    """A status of 500 and above, with OpenAI's error body."""

    status: Annotated[int, Meta(ge=500, le=599)] = 500
    message: str = "The server had an error while processing your request."


class BadRequest(Fault, frozen=True, tag="bad_request"):
    """A status of 400 to 499, with OpenAI's error body."""

    status: Annotated[int, Meta(ge=400, le=499)] = 400
    message: str = "Invalid request."
    code: str | None = None


class ContextLength(Fault, frozen=True, tag="context_length"):
    """400 with OpenAI's code `context_length_exceeded`."""

    limit: int = 8192


class CutFault(Fault, frozen=True, tag="cut"):
    """The TCP connection is closed after some chunks, in the middle of the answer."""

    after_chunks: Chunks = 1


class BadChunk(Fault, frozen=True, tag="bad_chunk"):
    """After some chunks comes one that is not JSON. Not streamed, the body is not JSON."""

    after_chunks: Chunks = 1


class ErrorChunk(Fault, frozen=True, tag="error_chunk"):
    """After some chunks comes `{"error": …}` and the stream ends, as servers do when they fail half-way."""

    after_chunks: Chunks = 1
    message: str = "The server had an error while processing your request."


class NoDone(Fault, frozen=True, tag="no_done"):
    """The stream ends properly at the HTTP level after some chunks, but with no `finish_reason` and no
    `[DONE]`."""

    after_chunks: Chunks = 1


class EmptyFault(Fault, frozen=True, tag="empty"):
    """An answer with no text and no tool call."""


class NoChoices(Fault, frozen=True, tag="no_choices"):
    """An answer whose `choices` is empty; streamed, nothing but `[DONE]`."""


class EmptyBody(Fault, frozen=True, tag="empty_body"):
    """200 and a body of no bytes."""


class HangFault(Fault, frozen=True, tag="hang"):
    """Nothing more comes until the client goes away."""

    after_chunks: Chunks | None = None
    """Not given: not even the response's headers are sent."""


class HoldFault(Fault, frozen=True, tag="hold"):
    """The answer stops after some chunks until `DemoModel.release()` is called, then goes on."""

    after_chunks: Chunks = 0


class WrongType(Fault, frozen=True, tag="wrong_type"):
    """200 with something that is not an API answer, like a proxy's login page."""

    content_type: str = "text/html"
    body: str = "<!doctype html><title>Sign in</title><p>Please sign in to continue.</p>"


AnyFault = (
    RateLimited
    | ServerError
    | BadRequest
    | ContextLength
    | CutFault
    | BadChunk
    | ErrorChunk
    | NoDone
    | EmptyFault
    | NoChoices
    | EmptyBody
    | HangFault
    | HoldFault
    | WrongType
)
"""Every kind of fault, told apart by `kind`."""


class FaultCounts:
    """How often each fault with a `times` has happened, by conversation. Everything else about an answer is
    computed from the request alone."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str]] = Counter()

    def due(self, fault: Fault, conversation: str, place: str) -> bool:
        """Whether the fault happens now; counts it. `place` names where in the script it stands."""
        if fault.times is None:
            return True
        key = (conversation, place)
        if self._seen[key] >= fault.times:
            return False
        self._seen[key] += 1
        return True

    def forget(self) -> None:
        """Start counting again."""
        self._seen.clear()
