"""Vectors for texts, over core NATS request/reply: runners ask, model callers answer.

As with `generation`, it is not an event: what came of it is part of the result of the call that asked."""

import array
import base64

import msgspec

from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.session_events.results import Usage

EMBED = "llm.embed"
MOST_TEXTS = 16
"""In one question: vectors of 4,096 numbers are then 350 KB."""


class Embed(msgspec.Struct, frozen=True):
    """What to give vectors for, for which call of which agent. Without a session it is a page that asks."""

    agent_id: AgentId
    session_id: SessionId | None
    call_id: CallId
    texts: tuple[str, ...]


class EmbeddingsGiven(msgspec.Struct, frozen=True, omit_defaults=True):
    """A vector for each text, `packed`, and the model that gave them; or in `error` why there are none
    (`error_kind` is an `ErrorKind`)."""

    model: str = ""
    vectors: tuple[str, ...] = ()
    usage: Usage | None = None
    error_kind: str | None = None
    error: str | None = None


def packed(vector: list[float]) -> str:
    """A vector as text: 32-bit numbers in base64."""
    return base64.b64encode(array.array("f", vector).tobytes()).decode()


def unpacked(text: str) -> tuple[float, ...]:
    """The vector in a text."""
    vector = array.array("f")
    vector.frombytes(base64.b64decode(text))
    return tuple(vector)
