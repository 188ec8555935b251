"""One question of a tool to a model, over core NATS request/reply: runners ask, model callers answer.

It is not an event: what came of it is part of the result of the call that asked."""

from enum import StrEnum
from typing import Literal

import msgspec

from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.session_events.results import Usage

GENERATE = "llm.generate"
SIGN_OF_LIFE = b"{}"
SIGN_OF_LIFE_S = 3.0
"""While it works, the answering side sends this, this often, in seconds."""


class Intelligence(StrEnum):
    """How capable a model must be; settings say which model that is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class PromptTurn(msgspec.Struct, frozen=True):
    """What was said before the prompt."""

    role: Literal["user", "assistant"]
    text: str


class Generate(msgspec.Struct, frozen=True, omit_defaults=True):
    """What to ask, for which call of which agent. `images` are SHA-256 of blobs; `max_tokens` bounds the
    answer, which ends before any of `stop`. What was said `before` the prompt is shown as it was said.

    Without a session it is a page that asks.

    `schema` is a JSON Schema that the provider is told of, if it takes one; the answer is not checked by it.
    """

    agent_id: AgentId
    session_id: SessionId | None
    call_id: CallId
    prompt: str
    system: str = ""
    intelligence: Intelligence = Intelligence.LOW
    max_tokens: int = 4096
    temperature: float = 0.0
    schema: dict[str, Json] | None = None
    images: tuple[str, ...] = ()
    before: tuple[PromptTurn, ...] = ()
    stop: tuple[str, ...] = ()


class GenerationResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a `model` said, or in `error` why it didn't (`error_kind` is an `ErrorKind`). `is_cut`: it ended
    at its greatest length."""

    text: str = ""
    usage: Usage | None = None
    error_kind: str | None = None
    error: str | None = None
    model: str = ""
    is_cut: bool = False
