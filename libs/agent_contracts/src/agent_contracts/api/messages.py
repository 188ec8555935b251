"""Messages of a chat."""

from collections.abc import Mapping
from typing import Literal

from agent_contracts.api.calls import ToolCall
from agent_contracts.api.sessions import Session
from agent_contracts.api.wire import Page, ResponseBody
from agent_contracts.files import SentFile
from agent_contracts.session_events.inputs import Rating
from agent_contracts.session_events.results import Incomplete, ModelFailure
from agent_contracts.sessions.session_view import TokensUsed
from agent_contracts.timestamp import Timestamp


class ShadowedRange(ResponseBody, frozen=True, kw_only=True):
    """Messages of records `first` to `last`, which the model doesn't see any more."""

    first: int
    last: int


class PromptOfMessage(ResponseBody, frozen=True, kw_only=True):
    """A prompt of a foreign server (MCP): whose it is, its name there, and what was put in."""

    server: str
    name: str
    arguments: Mapping[str, str] = {}


class WholeThinking(ResponseBody, frozen=True, kw_only=True):
    """Where all of a long thinking is, by its SHA-256, and its bytes."""

    sha256: str
    size: int


class MessageThinking(ResponseBody, frozen=True, kw_only=True):
    """What a model thought. Of a long one, `text` has the beginning and the end."""

    text: str
    whole: WholeThinking | None = None


class TriedModel(ResponseBody, frozen=True, kw_only=True):
    """A model of a chain that gave no answer: with which of how many `keys` (0 of 0: it has one), at which
    server, and what went wrong."""

    model: str
    server: str
    kind: ModelFailure
    message: str
    key: int = 0
    keys: int = 0


class Message(ResponseBody, frozen=True, kw_only=True):
    """One message of the chat; `address` is its event's, `sequence` its record's.

    `source` is who said it where that isn't a person: `reminder`, `outcome` (an unknown outcome was settled),
    or `foldline`. `refused`: why the session didn't take it. `session_id` is the session that it was said in:
    a fork begins with messages of another. `hidden_by`: the rewind (its address) that took it out of the
    conversation. A `summary` stands before the model in place of the messages that it `shadows`.
    `incomplete`: why this isn't a whole answer, `cut_words`: what the model's server said of it. `thinking`:
    what the model thought before it answered, no part of the answer. `adapted`: what its model doesn't take:
    `no_tools`, `no_pictures`. `tried`: the models and keys of its chain that were asked before `model`, in
    order. `woken_by`: the service that sent it, `wake_type`: the type of the event that this service sent.
    `client`: the MCP client that said it in a person's name. `prompt`: a person chose it, and its server said
    the words. `rating` is what a person thinks of this answer, `rating_text` why."""

    session_id: str
    address: str
    sequence: int
    role: Literal["user", "assistant", "error", "summary"]
    text: str
    created_at: Timestamp
    model_call_id: str | None
    model: str | None
    usage: TokensUsed | None
    files: list[SentFile]
    tool_calls: list[ToolCall]
    source: str | None = None
    refused: str | None = None
    error_kind: str | None = None
    incomplete: Incomplete | None = None
    cut_words: str | None = None
    thinking: MessageThinking | None = None
    adapted: tuple[str, ...] = ()
    tried: tuple[TriedModel, ...] = ()
    hidden_by: str | None = None
    woken_by: str | None = None
    wake_type: str | None = None
    client: str | None = None
    prompt: PromptOfMessage | None = None
    shadows: ShadowedRange | None = None
    rating: Rating | None = None
    rating_text: str | None = None


class Messages(Page[Message], frozen=True, kw_only=True):
    """A page, oldest first; the next page is the one before it.

    `sequence`: the page shows everything up to there, so live events after it continue without a gap.
    `session` is the session at that same moment; it comes with the newest page only.
    """

    sequence: int
    session: Session | None = None


class FoundMessage(ResponseBody, frozen=True, kw_only=True):
    """A message that holds what was searched for. `session_id`: in a fork maybe that of another session."""

    session_id: str
    address: str
