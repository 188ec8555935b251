"""In whose name a tool call writes."""

import itertools
from collections.abc import Callable

import msgspec

from agent_contracts.event_sources import Actor
from agent_contracts.ids import CallId
from agent_contracts.questions.code_calls import CodeCall
from agent_platform.entities.entity import EntityWriter
from agent_tools.context import CallSources
from agent_tools.running.call import RequestedCall


class CallWriters:
    """Numbers the writes of one attempt at a call, in the order in which it makes them.

    Each number happens once, however often the call is run: so a tool must write in the same order each time,
    one write after another, whatever it writes to.
    """

    def __init__(self, writer: Callable[[int], EntityWriter], outside: CallSources) -> None:
        """`writer` is who makes the n-th write, who by then has what is `outside`."""
        self._writer = writer
        self._outside = outside
        self._numbers = itertools.count(1)

    def next(self) -> EntityWriter:
        """The writer of the call's next write."""
        return self._writer(next(self._numbers)).having(self._outside.all)


def writers_of(call: RequestedCall, outside: CallSources) -> CallWriters:
    """Those of a session's call."""
    key = call.key
    again = f"~{call.resumed.round}" if call.resumed is not None else ""

    def writer(n: int) -> EntityWriter:
        since, trace = call.sequence, call.traceparent
        made = EntityWriter.call(key.session.session_id, key.call_id, n, since=since, traceparent=trace)
        return msgspec.structs.replace(made, id=f"{made.id}{again}")

    return CallWriters(writer, outside)


def writers_of_code(asked: CodeCall, outside: CallSources) -> CallWriters:
    """Those of what a call's code asked another runner for, beside those of the call."""

    def writer(n: int) -> EntityWriter:
        id = f"{asked.session_id}:{asked.call_id}:code-{asked.number}:{n}"
        return EntityWriter(id, Actor.AGENT, asked.session_id, asked.call_id, asked.sequence)

    return CallWriters(writer, outside)


def writers_of_page(call_id: CallId, since: int, outside: CallSources) -> CallWriters:
    """Those of a function's call from a page, which was made after event `since`."""
    return CallWriters(
        lambda n: EntityWriter(f"{call_id}:{n}", Actor.AGENT, call_id=call_id, since=since), outside
    )
