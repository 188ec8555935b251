"""In whose name a tool call writes."""

import itertools

from agent_platform.entity import Writer
from tool_runner.call import Call


class CallWriters:
    """Numbers the writes of one attempt at a call, in the order in which it makes them.

    Each number happens once, however often the call is run: so a tool must write in the same order each time,
    one write after another, whatever it writes to.
    """

    def __init__(self, call: Call) -> None:
        self._call = call
        self._numbers = itertools.count(1)

    def next(self) -> Writer:
        """The writer of the call's next write."""
        call = self._call
        return Writer.call(
            call.key.session_id,
            call.key.call_id,
            next(self._numbers),
            since=call.sequence,
            traceparent=call.traceparent,
        )
