"""In whose name a tool call writes."""

import itertools
from collections.abc import Callable

from agent_contracts.envelope import Actor
from agent_contracts.ids import CallId, SessionId
from agent_platform.entities.entity import Writer
from agent_tools.running.call import Call


class CallWriters:
    """Numbers the writes of one attempt at a call, in the order in which it makes them.

    Each number happens once, however often the call is run: so a tool must write in the same order each time,
    one write after another, whatever it writes to.
    """

    def __init__(self, writer: Callable[[int], Writer]) -> None:
        """`writer` is who makes the n-th write."""
        self._writer = writer
        self._numbers = itertools.count(1)

    def next(self) -> Writer:
        """The writer of the call's next write."""
        return self._writer(next(self._numbers))


def writers_of(call: Call) -> CallWriters:
    """Those of a session's call."""
    key = call.key

    def writer(n: int) -> Writer:
        since, trace = call.sequence, call.traceparent
        return Writer.call(key.session.session_id, key.call_id, n, since=since, traceparent=trace)

    return CallWriters(writer)


def writers_of_code(session_id: SessionId, call_id: CallId, number: int, since: int) -> CallWriters:
    """Those of what a call's code asked another runner for, as the `number`-th: beside those of the call."""

    def writer(n: int) -> Writer:
        id = f"{session_id}:{call_id}:code-{number}:{n}"
        return Writer(id, Actor.AGENT, session_id, call_id, since)

    return CallWriters(writer)


def writers_of_page(call_id: CallId, since: int) -> CallWriters:
    """Those of a function's call from a page, which was made after event `since`."""
    return CallWriters(lambda n: Writer(f"{call_id}:{n}", Actor.AGENT, call_id=call_id, since=since))
