"""What happened: sessions, their messages, events, states; and what going back would undo."""

from typing import Annotated, Any

import msgspec
from pydantic import Field

from agent_contracts.api.wire import ResponseBody
from agent_contracts.errors import Rejected
from agent_contracts.log.address import Address, parse_address
from agent_contracts.sessions.session_view import SessionStatus
from gateway.mcp.pieces import PieceArguments, whole_or_piece
from gateway.mcp.tool import Answer, McpArguments, McpCall
from gateway.operations.sessions.projection_reader import PageBefore
from gateway.queries.sessions import SessionQuery

LONGEST_TEXT = 4_000
"""Characters of one message in a list; `read_event` has all of it."""
_LARGEST_ARGUMENTS = 2_000

SessionArgument = Annotated[str, Field(max_length=64, description="the id of a session")]
AddressArgument = Annotated[
    str | int, Field(description="the address of an event: N (with all of record N), or N.i")
]


class ListSessions(McpArguments):
    """Which sessions."""

    query: Annotated[
        str | None, Field(max_length=200, description="only those whose title or messages have it")
    ] = None
    status: SessionStatus | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    cursor: Annotated[str | None, Field(max_length=300, description="next_cursor of the page before")] = None


class ReadSession(PieceArguments):
    """Which messages of which session."""

    session: SessionArgument
    limit: Annotated[int, Field(ge=1, le=100, description="messages")] = 20
    before: Annotated[str | None, Field(max_length=40, description="only messages before this address")] = (
        None
    )


class ReadEvent(PieceArguments):
    """Which event."""

    address: AddressArgument


class StateAt(PieceArguments):
    """Which state of which session."""

    session: SessionArgument
    at: AddressArgument | None = None
    messages: Annotated[int, Field(ge=0, le=200, description="the newest so many messages")] = 20


class PreviewRewind(PieceArguments):
    """Back to where, in which session."""

    session: SessionArgument
    to: AddressArgument


async def list_sessions(call: McpCall, args: ListSessions) -> Answer:
    """List the agent's sessions, newest first: id, title, status, times, usage."""
    wanted = SessionQuery(agent_id=call.client.agent_id, status=args.status, q=args.query)
    found = await call.operations.reading.sessions(wanted, args.cursor, args.limit)
    return whole_or_piece(json_of(found), 0)


async def read_session(call: McpCall, args: ReadSession) -> Answer:
    """Read a session's status and its messages, oldest first, the newest page unless `before` is given. A
    long text is cut: read_event has it whole, by the message's address."""
    session_id = await call.session(args.session)
    before = None if args.before is None else parse_address(args.before, "an address to end before")
    messages = await call.operations.reading.messages(session_id, PageBefore(before, args.limit))
    shown = json_of(messages)
    for message in shown["items"]:
        message["text"] = _cut(message["text"])
        message["tool_calls"] = [_call(one) for one in message["tool_calls"]]
    if args.before is None:
        shown["session"] = json_of(await call.operations.reading.session(session_id))
    return whole_or_piece(shown, args.offset)


async def read_event(call: McpCall, args: ReadEvent) -> Answer:
    """Read one event of the agent or of its sessions, as it stands in the log."""
    view = await call.operations.events.of_agent(call.client.agent_id, moment(args.address))
    return whole_or_piece(msgspec.to_builtins(view), args.offset)


async def state_at(call: McpCall, args: StateAt) -> Answer:
    """Read what a session's state was after an event, folded from the log; without `at`, what it is now."""
    session_id = await call.session(args.session)
    at = None if args.at is None else moment(args.at)
    state = await call.operations.folds.state(session_id, at, args.messages)
    return whole_or_piece(msgspec.to_builtins(state), args.offset)


async def preview_rewind(call: McpCall, args: PreviewRewind) -> Answer:
    """Show what going back to an event would undo in a session: messages, and what it changed of the agent,
    its files and its database. Nothing changes. Only a person can go back, in Foldline itself."""
    session_id = await call.session(args.session)
    preview = await call.operations.session_previews.preview(session_id, moment(args.to))
    return whole_or_piece(json_of(preview), args.offset)


def moment(address: str | int) -> Address:
    """An address as an event that there can be."""
    found = parse_address(str(address))
    if not found.sequence:
        raise Rejected("The first event is 1", kind="invalid_request")
    return found


def json_of(view: ResponseBody) -> Any:
    """A view as JSON."""
    return msgspec.to_builtins(view)


def _call(call: dict[str, Any]) -> dict[str, Any]:
    """What of a tool call stands in a list: its arguments, if they are short; not its result."""
    told = ("call_id", "tool", "status", "error", "request_address", "result_address")
    kept = {name: call[name] for name in told}
    short = len(msgspec.json.encode(call["arguments"])) <= _LARGEST_ARGUMENTS
    return {**kept, "arguments": call["arguments"]} if short else kept


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}… ({len(text):,} characters)"
