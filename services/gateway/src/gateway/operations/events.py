"""Events as they stand in the log, and listening to those that come."""

from contextlib import aclosing

import msgspec

from agent_contracts.api.events import EventRecord
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.address import Address, at_place
from agent_domain.sessions.directory import SessionDirectory
from agent_platform.log.port import Log
from gateway.live.event_filter import EventFilter
from gateway.live.event_listener import EventListener
from gateway.live.event_view import event_view
from gateway.live.feed import Feed
from gateway.operations.event_at import event_at

_PAGE_BYTES = 8 * 1024 * 1024


class EventPage(msgspec.Struct, frozen=True):
    """Events, oldest first. `more`: there are more after the last of them."""

    events: tuple[EventRecord, ...]
    more: bool


class EventReader:
    """Reads events straight from the log, and hands them on as they happen."""

    def __init__(self, log: Log, directory: SessionDirectory, feed: Feed) -> None:
        self._log = log
        self._directory = directory
        self._feed = feed

    async def of_session(
        self, session_id: SessionId, after: Address, limit: int, type: str | None = None
    ) -> EventPage:
        """At most `limit` events (and about 8 MiB) of a session after `after`.

        `type` is a type's name, or its short one: `user_message`.
        """
        session = await self._directory.find(session_id)
        found: list[EventRecord] = []
        size = 0
        stored = self._log.read(session.key.everything, after=after.complete)
        async with aclosing(stored) as messages:  # type: ignore[type-var]
            async for message in messages:
                if message.address.place <= after.end:
                    continue
                view = event_view(message)
                if type is not None and type != view.type and type not in view.type.split("."):
                    continue
                if len(found) == limit or size > _PAGE_BYTES:
                    return EventPage(tuple(found), more=True)
                found.append(view)
                size += len(message.data)
        return EventPage(tuple(found), more=False)

    async def of_agent(self, agent_id: AgentId, address: Address) -> EventRecord:
        """One event of the agent or of its sessions. `Rejected(kind="not_found")` if it has no such event."""
        message = await event_at(self._log, address)
        view = event_view(message) if message else None
        if view is None or view.agent_id != agent_id:
            raise Rejected(f"Agent {agent_id} has no event {address}", kind="not_found")
        return view

    async def listen(self, wanted: EventFilter, after: Address | None, heartbeat_s: float) -> EventListener:
        """Everything wanted after `after` (None: from now on).

        `Transient` while the log can't be reached, `Rejected`: `not_found` (no such session),
        `invalid_request` (the log hasn't come that far).
        """
        self._feed.check_following()
        if wanted.session_id is not None:
            await self._directory.find(SessionId(wanted.session_id))
        start = at_place(self._feed.position) if after is None else after
        if start.end > self._feed.position and start.sequence > (newest := await self._log.last_sequence()):
            raise Rejected(f"The log ends at event {newest}, before event {start}", kind="invalid_request")
        return EventListener(self._log, self._feed, wanted, start, heartbeat_s)
