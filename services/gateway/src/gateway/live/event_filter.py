"""What a listener wants to hear of."""

import msgspec


class EventFilter(msgspec.Struct, frozen=True):
    """Which events a listener wants: of one session, of one agent, or (both None) all.

    `watch` names sessions whose answers it wants to see streaming, beside its events. `rows`: with each event
    come the rows that it changed; of sessions that are not watched, only the session's own.
    """

    session_id: str | None = None
    agent_id: str | None = None
    watch: frozenset[str] = frozenset()
    rows: bool = False

    @property
    def streaming(self) -> frozenset[str]:
        """The sessions whose streaming answers are wanted: the one that is listened to, and those watched."""
        return self.watch if self.session_id is None else self.watch | {self.session_id}

    def matches(self, session_id: str | None, agent_id: str) -> bool:
        """Whether an event of this session and agent is among them."""
        return (self.session_id is None or self.session_id == session_id) and (
            self.agent_id is None or self.agent_id == agent_id
        )
