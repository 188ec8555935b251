"""A question about an agent's past sessions, over core NATS request/reply: runners ask, projectors answer."""

import msgspec

from agent_contracts.ids import AgentId, SessionId
from agent_contracts.outside import Sources

SEARCH_HISTORY = "history.search"
MOST_FOUND = 50
"""How many places one answer names at most."""
LONGEST_QUERY = 400
"""Characters."""


class SearchHistory(msgspec.Struct, frozen=True):
    """Where the agent's sessions say `query`. `but` is a session that is left out: the one that asks."""

    agent_id: AgentId
    query: str
    limit: int
    but: SessionId | None = None


class HistoryHit(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place that has it: in a message (`user` or `assistant`), or (`title`) what a session is called.

    `event` is its address, `time` when it was said (RFC 3339), `snippet` the words around,
    `outside` where material came from that the session has read.
    """

    session_id: SessionId
    title: str | None
    role: str
    event: str
    time: str
    snippet: str
    outside: Sources = ()


class HistoryAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was found, newest first; or in `error` why nothing could be."""

    found: tuple[HistoryHit, ...] = ()
    error: str | None = None
