"""Another way from an earlier point."""

from typing import Annotated

from pydantic import Field

from gateway.mcp.pieces import result
from gateway.mcp.reading import AddressArgument, SessionArgument, moment
from gateway.mcp.tool import Answer, McpArguments, McpCall
from gateway.operations.idempotency import asked
from gateway.operations.rewind.forks import NewFork


class ForkSession(McpArguments):
    """Where a session is to go another way."""

    session: SessionArgument
    at: AddressArgument
    title: Annotated[str | None, Field(max_length=200)] = None
    key: Annotated[str | None, Field(max_length=200, description="the same key makes the same fork once")] = (
        None
    )


async def fork_session(call: McpCall, args: ForkSession) -> Answer:
    """Begin a new session with the history of one up to an event; that one stays as it is. Then go on in the
    new one by ask_agent. It goes back to the last moment at which no call was open, at or before `at`."""
    session_id = await call.session(args.session)
    request = asked(args.key, args.model_dump(mode="json"), session_id)
    forked = await call.operations.forks.fork(session_id, NewFork(moment(args.at), title=args.title), request)
    made = {"session": forked.id, "forked_from": forked.forked_from, "at": forked.fork_sequence}
    text = f"Session {forked.id} has the history of {forked.forked_from} up to event {forked.fork_sequence}."
    return result(f"{text} Go on in it: ask_agent(session={forked.id!r}, message=…).", made)
