"""A list of what agents did, such as commands. Each other file in this folder declares one."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from agent_contracts.api.wire import ResponseBody
from agent_contracts.form_inputs import declared
from agent_contracts.timestamp import Timestamp

TEXT = msgspec.Meta(min_length=1, pattern=r"^[^\x00]*$")
"""Text that is looked for."""


class CallRecord(ResponseBody, frozen=True, kw_only=True):
    """Something that an event says about a call."""

    recorded_at: Timestamp
    """When the event was written."""
    agent_id: str
    session_id: str
    title: str | None
    call_id: str
    """Id of the call. For what an app called: the call that brought the app."""
    tool: str | None
    """Name of the tool; null: unknown."""
    sequence: int
    """Number of the event."""


class ListFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which rows; None: any. Each member is a parameter of the route and an option of the command."""

    agent_id: Annotated[str, declared("Agent", "Only this agent.")] | None = None
    session_id: (
        Annotated[
            str, declared("Session", "Only this session: its id, the first characters of it, or latest.")
        ]
        | None
    ) = None


R = TypeVar("R", bound=ResponseBody)


class ListKind(msgspec.Struct, Generic[R], frozen=True, kw_only=True):
    """One list. Its query is the file of the same name in `gateway/queries/`."""

    name: str
    """Its route (`/commands`), its command (`foldline commands`) and its files."""
    row: type[R]
    filter: type[ListFilter] = ListFilter
    operation: str
    """The route's name in OpenAPI."""
    about: str
    """What the API says of it."""
    help: str
    """What the command says of itself."""
    none: str
    """What the command says where there is nothing."""
    columns: Mapping[str, Callable[[R], str]]
    """A line of the command, by its headings. Columns that begin with `#` are figures."""


AnyListKind = ListKind[Any]


def when(one: CallRecord) -> str:
    """Its time, for a line."""
    return one.recorded_at[5:16].replace("T", " ")
