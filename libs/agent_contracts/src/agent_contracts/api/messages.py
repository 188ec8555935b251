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
    """Messages that the model no longer sees."""

    first: int
    """Number of the first of their records."""
    last: int
    """Number of the last of their records."""


class PromptOfMessage(ResponseBody, frozen=True, kw_only=True):
    """A prompt of an MCP server that a person chose."""

    server: str
    """Name of the server, as the agent has it."""
    name: str
    """The prompt's name at the server."""
    arguments: Mapping[str, str] = {}
    """What was filled in, by the arguments' names."""


class WholeThinking(ResponseBody, frozen=True, kw_only=True):
    """Where a long thinking is stored whole."""

    sha256: str
    size: int


class MessageThinking(ResponseBody, frozen=True, kw_only=True):
    """What a model thought before it answered."""

    text: str
    """The thinking; of a long one, the beginning and the end."""
    whole: WholeThinking | None = None
    """Where the whole of a long one is; null: `text` is whole."""


class TriedModel(ResponseBody, frozen=True, kw_only=True):
    """A model of a chain that gave no answer."""

    model: str
    """The model that was asked."""
    server: str
    """The model server: its address, or its provider's name."""
    kind: ModelFailure
    """What went wrong, for programs."""
    message: str
    """What went wrong, in words."""
    key: int = 0
    """Which of the model's keys was used, from 1; 0: it has only one."""
    keys: int = 0
    """How many keys the model has; 0: it has only one."""


class Message(ResponseBody, frozen=True, kw_only=True):
    """One message of the chat."""

    session_id: str
    """Id of the session in which it was said. A fork begins with messages of another session."""
    address: str
    """Address of its event."""
    sequence: int
    """Number of the record that holds it."""
    role: Literal["user", "assistant", "error", "summary"]
    """Who says it. `error`: a turn failed. `summary`: it stands for earlier messages."""
    text: str
    """The text as Markdown; for an `error`, what went wrong."""
    created_at: Timestamp
    model_call_id: str | None
    """Id of the model call whose answer it is; null: it isn't an answer."""
    model: str | None
    """The model that answered; null: it isn't an answer."""
    usage: TokensUsed | None
    """Tokens and cost of the model call; null: it isn't an answer."""
    files: list[SentFile]
    """Files that were sent with it."""
    tool_calls: list[ToolCall]
    """Tool calls that the answer asks for, in order."""
    source: str | None = None
    """Who said it where no person did: `reminder`, `outcome` (an unknown outcome was settled) or `foldline`.
    Null: a person, or the model."""
    refused: str | None = None
    """Why the session didn't take it; null: it did."""
    error_kind: str | None = None
    """What went wrong, for programs; null: not an `error`."""
    incomplete: Incomplete | None = None
    """Why the answer isn't whole; null: it is."""
    cut_words: str | None = None
    """What the model's server said when it broke the answer off; null: nothing."""
    thinking: MessageThinking | None = None
    """What the model thought before it answered; not part of the answer. Null: nothing is known."""
    adapted: tuple[str, ...] = ()
    """What its model doesn't take: `no_tools`, `no_pictures`."""
    tried: tuple[TriedModel, ...] = ()
    """Models and keys of the chain that were asked before `model` and gave no answer, in order."""
    hidden_by: str | None = None
    """Address of the rewind that took it out of the conversation; null: it is in it."""
    woken_by: str | None = None
    """Name of the service that sent it; null: no service did."""
    wake_type: str | None = None
    """Type of the event that the service sent; null: none."""
    client: str | None = None
    """Name of the program that said it for a person; null: none did."""
    speaker: str | None = None
    """What that person calls themselves, as the program told it: nobody checked it. Null: it told nothing."""
    prompt: PromptOfMessage | None = None
    """The MCP prompt that a person chose and whose words these are; null: none."""
    shadows: ShadowedRange | None = None
    """The messages that a summary replaces before the model; null: not a `summary`."""
    rating: Rating | None = None
    """How a person rated the answer; null: not rated."""
    rating_text: str | None = None
    """Why, in the person's words; null: they didn't say."""


class Messages(Page[Message], frozen=True, kw_only=True):
    """A page of messages, oldest first. The next page is the one before it."""

    sequence: int
    """The page shows everything up to this event. Follow live events after it to continue without a gap."""
    session: Session | None = None
    """The session at that moment; null on all but the newest page."""


class FoundMessage(ResponseBody, frozen=True, kw_only=True):
    """A message that contains what was searched for."""

    session_id: str
    """Id of the session in which it was said; in a fork it may be another one."""
    address: str
    """Address of the message."""
