"""Wakes: CloudEvents 1.0 by which other services wake sessions; how one is read, and what becomes of it.

A wake names a session (`session/<id>`) or an agent (`agent/<id>`) as its subject; its data is
`{"message": …, "data": …}`. Whose it is follows from the credentials with which it came, never from what it
says itself: its own `source` only tells its ids apart.
"""

import hashlib
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import unquote

import msgspec

from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId, check_id
from agent_contracts.json_reader import JsonLimits, read_json
from agent_contracts.json_value import Json

LARGEST_WAKE = 1024 * 1024
"""Bytes of a message of the stream `WAKE`, whatever its credentials allow."""
LONGEST_MESSAGE = 32_000
"""Characters of a wake's message."""
KEPT_DAYS = 30
"""So long a wake of priority `later` stays in the inbox."""
INBOX_LIMIT = 1000
"""Wakes that an agent's inbox holds."""
INBOX_BYTES = 16 * 1024 * 1024
"""Bytes that they have together."""
PERSON = "person"
"""Whose a wake is that came with the person's own token. No credentials have this name."""
STRUCTURED = "application/cloudevents+json"

Priority = Literal["now", "next", "later"]

SourceName = Annotated[str, msgspec.Meta(min_length=1, max_length=24, pattern="^[a-z][a-z0-9-]*$")]
"""What credentials and program tokens are called."""
_SOURCE = re.compile(r"[a-z][a-z0-9-]{0,23}")
_LONGEST_ATTRIBUTE = 256
_PREFIX = "ce-"
_LIMITS = JsonLimits(size=LARGEST_WAKE, depth=64)
_TARGETS = ("session", "agent")


class WakeData(msgspec.Struct, frozen=True):
    """What a wake says."""

    message: str
    """The message for the agent."""
    data: Json = None
    """Data of any shape for the agent; null: none."""


class CloudEventWake(msgspec.Struct, frozen=True):
    """A wake from a service: a CloudEvent 1.0 in structured mode. In binary mode its attributes are headers
    (`ce-id`, …) and the body is its data. Other attributes are ignored."""

    id: str
    """The service's id of the event. Together with `source` it is accepted once in 24 hours: a repeat changes
    nothing."""
    source: str
    """Where the event comes from, as the service names it."""
    type: str
    """The type of the event, as the service names it."""
    specversion: str
    """The version of CloudEvents: `1.0`."""
    subject: str
    """Who is woken: `session/<id>` or `agent/<id>`."""
    data: WakeData
    """What the wake says."""
    priority: Priority = "next"
    """`now`: start a turn, or join the running one. `next`: wait for the next turn, or start one if idle.
    `later`: stay in the inbox for 30 days."""
    datacontenttype: str | None = None
    """The media type of the data: `application/json`. Null: the same."""


class Wake(msgspec.Struct, frozen=True):
    """A wake that was read: `origin` is its CloudEvent's own `source`. One of the two targets is set.

    One that `waits` stays in the inbox until the agent looks, also with the priority `next`.
    """

    id: str
    origin: str
    type: str
    message: str
    data: Json = None
    priority: Priority = "next"
    session_id: SessionId | None = None
    agent_id: AgentId | None = None
    waits: bool = False


class InboxItem(msgspec.Struct, frozen=True, omit_defaults=True):
    """A wake that waits in an agent's inbox: entity `inbox`, by an id of ours. Taken, handed on or dismissed,
    it is deleted; its versions say by whom. `session_id`: the session that it was meant for, if it named one.

    `at` and `until` are RFC 3339 in UTC: when it came, and how long it is kept. `wake_type` is the
    type of its CloudEvent.
    """

    source: str
    wake_id: str
    message: str
    at: str
    until: str
    data: Json = None
    session_id: SessionId | None = None
    priority: Priority = "later"
    wake_type: str | None = None


class WakeOutcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of a wake. `delivered`: it is an input of a session, at `sequence` of the log; `begun`: of
    a session that was begun for it; `kept`: it is in the agent's inbox as `inbox_id`. `repeated`: the same
    was said before, and this is what became of it then."""

    became: Literal["delivered", "begun", "kept"]
    agent_id: AgentId
    session_id: SessionId | None = None
    sequence: int | None = None
    inbox_id: str | None = None
    repeated: bool = False


def check_source(name: str) -> str:
    """The name of credentials, by which people know whose a wake is; `Rejected` for one that can't be."""
    if not _SOURCE.fullmatch(name) or name == PERSON:
        raise Rejected(
            f"Credentials can't be named {name[:40]!r}: a name has 1 to 24 of a-z, 0-9 and -, begins with a "
            f"letter, and isn't {PERSON!r}",
            kind="invalid_request",
            path="/name",
        )
    return name


def wake_key(source: str, wake: Wake) -> str:
    """By what a repeat is known: the SHA-256 of whose the wake is, its own source, and its id."""
    named = "\x00".join((source, wake.origin, wake.id))
    return hashlib.sha256(named.encode()).hexdigest()


def read_wake(headers: Mapping[str, str], body: bytes) -> Wake:
    """A wake out of a message's headers and body, in either mode. `Rejected` says what is wrong with it, of
    kind `bad_wake`, `bad_text` or `too_large`."""
    attributes = {name.lower(): value for name, value in headers.items()}
    media_type = attributes.get("content-type", "").partition(";")[0].strip().lower()
    given: Any = read_json(body, _LIMITS, "its JSON")
    if "ce-specversion" in attributes and media_type != STRUCTURED:
        given = {**_from_headers(attributes), "data": given}
    try:
        return _checked(msgspec.convert(given, CloudEventWake))
    except msgspec.ValidationError as error:
        raise _bad(str(error)) from error


def _from_headers(attributes: Mapping[str, str]) -> dict[str, str]:
    """The attributes of binary mode, which are written there as in addresses."""
    try:
        return {
            name.removeprefix(_PREFIX): unquote(value, errors="strict")
            for name, value in attributes.items()
            if name.startswith(_PREFIX)
        }
    except UnicodeDecodeError as error:
        raise _bad(f"a header of it isn't UTF-8: {error}") from error


def _checked(event: CloudEventWake) -> Wake:
    if event.specversion != "1.0":
        raise _bad(f"its specversion is {event.specversion[:20]!r}, not '1.0'")
    for name in ("id", "source", "type"):
        value: str = getattr(event, name)
        if not value or len(value) > _LONGEST_ATTRIBUTE or not value.isprintable():
            raise _bad(f"its {name} must have 1 to {_LONGEST_ATTRIBUTE} printable characters")
    media_type = (event.datacontenttype or "application/json").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise _bad(f"its datacontenttype is {media_type[:60]!r}, not 'application/json'")
    message = event.data.message
    if not message.strip():
        raise _bad("its data has no message")
    if len(message) > LONGEST_MESSAGE:
        raise Rejected(f"A wake's message has at most {LONGEST_MESSAGE} characters", kind="too_large")
    kind, slash, name = event.subject.partition("/")
    if kind not in _TARGETS or not slash:
        raise _bad(f"its subject is {event.subject[:80]!r}, not 'session/<id>' or 'agent/<id>'")
    try:
        check_id(name, f"{kind} id")
    except Rejected as error:
        raise _bad(error.message) from error
    target = {"session_id": SessionId(name)} if kind == "session" else {"agent_id": AgentId(name)}
    return Wake(event.id, event.source, event.type, message, event.data.data, event.priority, **target)


def _bad(why: str) -> Rejected:
    return Rejected(f"This isn't a wake: {why}", kind="bad_wake")
