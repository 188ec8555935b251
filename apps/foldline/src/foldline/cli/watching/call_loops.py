"""Turns that get nowhere: the same call again and again."""

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

import msgspec

from agent_contracts.api.calls import ToolCall
from agent_contracts.api.messages import Message

SAME_CALLS = 3
"""So many equal calls in one turn are named."""
CALLS_OF_ONE_TOOL = 15
"""So many calls of one tool in one turn are named, whatever their arguments."""
LOOKED_AT = 60
"""Messages of a session that are looked at."""


class CallLoop(msgspec.Struct, frozen=True):
    """A turn's call that is made again and again. `arguments`: those of each; null: they differ."""

    tool: str
    calls: int
    arguments: dict[str, Any] | None
    since_at: str | None
    to_do: str

    @property
    def words(self) -> str:
        """What the agent does."""
        if self.arguments is None:
            return f"called {self.tool} {self.calls} times in this turn, with different arguments"
        given = msgspec.json.encode(self.arguments).decode()
        return f"called {self.tool} {self.calls} times in this turn with the same arguments: {given}"


def call_loop(session_id: str, messages: Sequence[Message]) -> CallLoop | None:
    """What the newest turn does again and again, by the session's newest messages, oldest first."""
    of_turn = [*takewhile(lambda message: message.role != "user", reversed(messages))]
    calls = [call for message in reversed(of_turn) for call in message.tool_calls]
    for key, least in ((_as_made, SAME_CALLS), (_tool, CALLS_OF_ONE_TOOL)):
        for made, times in Counter(map(key, calls)).most_common(1):
            if times >= least:
                first = next(call for call in calls if key(call) == made)
                return CallLoop(
                    tool=first.tool,
                    calls=times,
                    arguments=first.arguments if key is _as_made else None,
                    since_at=first.requested_at,
                    to_do=f"foldline stop {session_id} ends the turn",
                )
    return None


def _as_made(call: ToolCall) -> str:
    return f"{call.tool} {msgspec.json.encode(call.arguments, order='sorted').decode()}"


def _tool(call: ToolCall) -> str:
    return call.tool
