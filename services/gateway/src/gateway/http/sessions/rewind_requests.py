"""What the API takes to go back, and to go another way from an earlier point."""

from typing import Annotated, Literal

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema

from agent_contracts.errors import Rejected
from agent_contracts.log.address import PATTERN, Address, parse_address
from agent_contracts.model_chain import LONGEST_CHAIN
from agent_contracts.session_events.inputs import RewindPart
from gateway.http.wire.parameters import MAX_SEQUENCE
from gateway.http.wire.request import Id, Request, Text, Title
from gateway.http.wire.selection import RewindSelection
from gateway.operations.sessions.rules import MAX_FILES

MAX_INCLUDED = 1_000


def _moment(value: object) -> Address:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("Name an event: 12, or 12.1")
    try:
        found = parse_address(str(value))
    except Rejected as error:
        raise ValueError(error.message) from None
    if not found.sequence:
        raise ValueError("The first event is 1")
    return found


Moment = Annotated[
    Address,
    PlainValidator(_moment),
    PlainSerializer(str),
    WithJsonSchema(
        {
            "anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": PATTERN}],
            "description": "N (with all events of record N), or the address of an event: N.i",
        }
    ),
]
Model = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_CHAIN,
        description="a model, as provider/model, or a chain of several, separated by commas",
    ),
]


class SentVersion(Request):
    """A file of the agent's as it was at a version."""

    file_id: Id
    version: Annotated[int, Field(ge=1, le=MAX_SEQUENCE)]


class Fork(Request):
    """A new session that begins with what was said up to `at`; `message` is the first thing said after it,
    with `files`, of which the new session gets copies of its own."""

    at: Moment
    message: Text | None = None
    model: Model | None = None
    title: Title | None = None
    files: Annotated[list[SentVersion], Field(max_length=MAX_FILES)] = Field(default=[])


class RewindSession(Request):
    """What goes back to how it was at `to`.

    The parts `agent`, `files` and `database` take back what this session changed. What others changed too
    stays, unless `including` selects it.
    """

    to: Moment
    parts: Annotated[list[RewindPart], Field(min_length=1, max_length=4)]
    including: Annotated[list[RewindSelection], Field(max_length=MAX_INCLUDED, default_factory=list)]


class Replay(Request):
    """`strict`: compare every decision, with no effect. `live`: a fork at `at` that really goes on."""

    mode: Literal["strict", "live"] = "strict"
    at: Moment | None = None
    model: Model | None = None
    title: Title | None = None
