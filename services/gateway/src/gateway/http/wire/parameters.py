"""What routes take: the operations, ids from the path, and parameters that many have."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request

from agent_contracts.api.wire import MAX_SEQUENCE
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, CallId, SessionId, check_id
from agent_contracts.log.address import Address, parse_address
from gateway.deps import Deps
from gateway.operations.operations import Operations
from gateway.operations.sessions.turns import LONGEST_WAIT_S

_ADDRESS = "`N` (with all events of record N) or `N.i`"
LIMIT = "The greatest number of entries on one page."
_ID = "1 to 64 letters, digits, `_` or `-`."


async def _operations(request: Request) -> Operations:
    deps: Deps = request.app.state.deps
    return deps.operations


async def _deps(request: Request) -> Deps:
    deps: Deps = request.app.state.deps
    return deps


async def _session_id(
    session_id: Annotated[str, Path(description=f"Id of the session: {_ID}")],
) -> str:
    return check_id(session_id, "session id")


async def _agent_id(agent_id: Annotated[str, Path(description=f"Id of the agent: {_ID}")]) -> str:
    return check_id(agent_id, "agent id")


async def _call_id(call_id: Annotated[str, Path(description=f"Id of the tool call: {_ID}")]) -> str:
    return check_id(call_id, "call id")


async def _session_query(
    session_id: Annotated[str | None, Query(description="Only this session.")] = None,
) -> str | None:
    return None if session_id is None else check_id(session_id, "session_id")


async def _agent_query(
    agent_id: Annotated[str | None, Query(description="Only this agent.")] = None,
) -> str | None:
    return None if agent_id is None else check_id(agent_id, "agent_id")


async def _parent_query(
    parent_id: Annotated[str | None, Query(description="Only sub-sessions of this session.")] = None,
) -> str | None:
    return None if parent_id is None else check_id(parent_id, "parent_id")


async def _prefix_query(
    id_prefix: Annotated[str | None, Query(description="Only sessions whose ids begin with this.")] = None,
) -> str | None:
    return None if id_prefix is None else check_id(id_prefix, "id_prefix")


async def _watch_query(
    watch: Annotated[
        list[str] | None,
        Query(max_length=8, description="Sessions whose answers to stream too, piece by piece."),
    ] = None,
) -> frozenset[str]:
    return frozenset(check_id(one, "watch") for one in watch or ())


NamePath = Annotated[
    str, Path(description="Its name, as the list has it. Schedules and reminders have their id for it.")
]
Using = Annotated[Operations, Depends(_operations)]
"""What most routes need: what people can do."""
Around = Annotated[Deps, Depends(_deps)]
"""What the process itself is and has, for routes that tell of it."""
SessionPath = Annotated[SessionId, Depends(_session_id)]
AgentPath = Annotated[AgentId, Depends(_agent_id)]
CallPath = Annotated[CallId, Depends(_call_id)]
SessionFilter = Annotated[SessionId | None, Depends(_session_query)]
AgentFilter = Annotated[AgentId | None, Depends(_agent_query)]
Watched = Annotated[frozenset[str], Depends(_watch_query)]
ParentFilter = Annotated[SessionId | None, Depends(_parent_query)]
PrefixFilter = Annotated[str | None, Depends(_prefix_query)]


async def _after_query(
    after: Annotated[str | None, Query(description=f"Only events after this address: {_ADDRESS}.")] = None,
) -> Address | None:
    return None if after is None else parse_address(after, "an address to go on after")


Cursor = Annotated[
    str | None,
    Query(max_length=2_000, description="`next_cursor` of the page before. Left out: the first page."),
]


async def _address_cursor(cursor: Cursor = None) -> Address | None:
    return None if cursor is None else parse_address(cursor, "a cursor of this list")


async def _number_cursor(cursor: Cursor = None) -> int | None:
    if cursor is None:
        return None
    if not (cursor.isascii() and cursor.isdecimal() and 1 <= len(cursor) <= 19):
        raise Rejected("The cursor is not one that this list gave", kind="invalid_request")
    return min(int(cursor), MAX_SEQUENCE)


async def _at_query(
    at: Annotated[
        str | None, Query(description=f"As of this address: {_ADDRESS}. Left out: as it is now.")
    ] = None,
) -> Address | None:
    return None if at is None else _some_event(at)


async def _to_query(
    to: Annotated[str, Query(description=f"The address to go back to: {_ADDRESS}.")],
) -> Address:
    return _some_event(to)


async def _address(
    address: Annotated[str, Path(description=f"Address of the event: {_ADDRESS}.")],
) -> Address:
    return _some_event(address)


async def _record_query(moment: Annotated[Address | None, Depends(_at_query)] = None) -> int | None:
    return None if moment is None else moment.sequence


def _some_event(text: str) -> Address:
    found = parse_address(text)
    if not found.sequence:
        raise Rejected("The first event is 1", kind="invalid_request")
    return found


After = Annotated[Address | None, Depends(_after_query)]
AddressCursor = Annotated[Address | None, Depends(_address_cursor)]
"""Of a list of what events did: the address of the last on the page before."""
NumberCursor = Annotated[int | None, Depends(_number_cursor)]
"""Of a list that is ordered by numbers: that of the last on the page before."""
At = Annotated[Address | None, Depends(_at_query)]
To = Annotated[Address, Depends(_to_query)]
AddressPath = Annotated[Address, Depends(_address)]
MinSequence = Annotated[
    int | None,
    Query(ge=0, le=MAX_SEQUENCE, description="Wait at most 10 seconds until the answer includes this event."),
]
WaitQuery = Annotated[
    float,
    Query(
        ge=0,
        le=LONGEST_WAIT_S,
        description="Seconds to wait for the end of the turn, or until it waits for a person.",
    ),
]
AsOf = Annotated[int | None, Depends(_record_query)]
"""A moment of what an agent has: each change of it is alone in its record."""
VersionPath = Annotated[int, Path(ge=1, le=MAX_SEQUENCE, description="The newest version of this number.")]
