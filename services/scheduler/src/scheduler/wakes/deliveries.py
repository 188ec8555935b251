"""From a wake to what becomes of it: an input of a session, a session of its own, or an item of the inbox."""

from datetime import timedelta
from typing import Literal

import msgspec

from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Conflict, Rejected, Transient
from agent_contracts.event_sources import SCHEDULER, Actor
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log import subjects
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import Expect
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.inputs import BegunBy, Created, Woken
from agent_contracts.wakes import INBOX_BYTES, INBOX_LIMIT, KEPT_DAYS, InboxItem, Wake, WakeOutcome, wake_key
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.sessions.directory import SessionDirectory
from agent_domain.wakes.credentials import WakeCredentials
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.entities.room import HasRoom
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.events import first_event
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock, rfc3339
from agent_platform.process.stop_points import stop_point
from scheduler.settings import SchedulerSettings
from scheduler.wakes.claims import Claim, Claims

_ATTEMPTS = 20
"""How often something is tried anew because somebody else was faster."""


class Deliveries:
    """Delivers each wake once: a claim says first what is to be written, and only then it is."""

    def __init__(
        self,
        log: Log,
        clock: Clock,
        claims: Claims,
        settings: EffectiveSettings[SchedulerSettings],
        room: HasRoom | None = None,
    ) -> None:
        self._log = log
        self._clock = clock
        self._claims = claims
        self._settings = settings
        self._directory = SessionDirectory(log)
        self._entities = Entities(log, clock, SCHEDULER)
        self._room = room

    async def deliver(
        self, source: str, wake: Wake, allowed: WakeCredentials | None, delivery: int | None = None
    ) -> WakeOutcome:
        """What became of the wake, now or before.

        `allowed` None: any agent. `Rejected`: `not_found` (no such target that these credentials may wake),
        `erased`, `session_closed`, `inbox_full`.
        """
        key = wake_key(source, wake)
        for _ in range(_ATTEMPTS):
            claim, revision = await self._claims.find(key)
            repeated = claim is not None and claim.counts(delivery, self._clock.now())
            try:
                if claim is None or not repeated:
                    claim = await self._claimed(source, wake, allowed, delivery)
                    revision = await self._claims.put(key, claim, revision)
                    await stop_point("wakes.claimed")
                if claim.outcome is not None:
                    return msgspec.structs.replace(claim.outcome, repeated=True)
                outcome = await self._written(source, wake, claim)
                await stop_point("wakes.written")
                await self._claims.put(key, msgspec.structs.replace(claim, outcome=outcome), revision)
                return msgspec.structs.replace(outcome, repeated=repeated)
            except Conflict:
                continue
        raise Transient("the wake was changed by others again and again: it is tried once more")

    async def _claimed(
        self, source: str, wake: Wake, allowed: WakeCredentials | None, delivery: int | None
    ) -> Claim:
        agent_id = await self._target(source, wake, allowed)
        keeps = wake.priority == "later" or (wake.waits and wake.priority != "now")
        if keeps:
            await self._require_room(agent_id, len(msgspec.json.encode(wake)))
        begins = wake.session_id is None and not keeps
        return Claim(
            at=rfc3339(self._clock.now()),
            after=await self._log.last_sequence(),
            event_id=self._clock.new_id("e"),
            agent_id=agent_id,
            delivery=delivery,
            session_id=SessionId(self._clock.new_id("s")) if begins else wake.session_id,
            begins=begins,
            inbox_id=self._clock.new_id("w") if keeps else None,
        )

    async def _require_room(self, agent_id: AgentId, more: int) -> None:
        kept = await self._entities.list(agent_id, EntityKind.INBOX)
        size = sum(len(msgspec.json.encode(one.value)) for one in kept)
        if len(kept) >= INBOX_LIMIT or size >= INBOX_BYTES:
            raise Rejected(
                f"the inbox of agent {agent_id} is full, with {len(kept):,} wakes of {size:,} bytes: take or "
                "dismiss some first",
                kind="inbox_full",
            )
        try:
            if self._room is not None:
                await self._room.require(agent_id, more)
        except Rejected as full:
            raise Rejected(f"nothing more is kept in the inbox: {full.message}", kind="inbox_full") from full

    async def _target(self, source: str, wake: Wake, allowed: WakeCredentials | None) -> AgentId:
        """Whose session is to be woken; the same answer for what doesn't exist and what isn't allowed."""
        refused = Rejected(
            f"There is no {_named(wake)} that {source} may wake: it is unknown, was deleted, or "
            "isn't allowed to these credentials",
            kind="not_found",
        )
        session = None
        agent_id = wake.agent_id
        if wake.session_id is not None:
            try:
                session = await self._directory.find(wake.session_id)
            except Rejected as error:
                raise refused if error.kind == "not_found" else error from error
            agent_id = session.agent_id
        assert agent_id is not None
        if allowed is not None and not allowed.allow(agent_id):
            raise refused
        known = await self._entities.current(EntityKey(agent_id, EntityKind.AGENT, agent_id))
        if known is None and agent_id != DEFAULT_AGENT:
            raise refused
        if session is not None and (closed := await self._directory.refusal(session)) is not None:
            raise closed
        return agent_id

    async def _written(self, source: str, wake: Wake, claim: Claim) -> WakeOutcome:
        if claim.inbox_id is not None:
            return await self._kept(source, wake, claim, claim.inbox_id)
        assert claim.session_id is not None
        session = SessionKey(claim.agent_id, claim.session_id)
        if claim.begins:
            await self._begun(session, source)
        sequence = await self._said(session, source, wake, claim)
        return WakeOutcome(
            "begun" if claim.begins else "delivered", claim.agent_id, claim.session_id, sequence
        )

    async def _begun(self, session: SessionKey, source: str) -> None:
        defaults = (await self._settings.of(session.agent_id)).new_session()
        created = defaults.created(session.agent_id, begun_by=BegunBy("wake", source))
        origin = Origin(SCHEDULER, Actor.SERVICE)
        message, _ = event_message(created, session.input(type_of(Created)), origin, self._clock)
        try:
            await self._log.append(message, Expect(subjects.any_agents_session_filter(session.session_id), 0))
        except Conflict:
            return  # it was begun in an earlier attempt: its id is this wake's alone
        await stop_point("wakes.begun")

    async def _said(self, session: SessionKey, source: str, wake: Wake, claim: Claim) -> int:
        """Append the input where it isn't yet; its sequence. Two who do this at once never both succeed: each
        expects to be the next on the subject."""
        subject = session.input(type_of(Woken))
        priority: Literal["now", "next"] = "next" if wake.priority == "next" else "now"
        event = Woken(source, wake.message, wake.id, wake.data, priority, wake.type)
        origin = Origin(SCHEDULER, Actor.SERVICE)
        message, _ = event_message(event, subject, origin, self._clock, claim.event_id)
        for _ in range(_ATTEMPTS):
            last = await self._log.last(subject)
            earlier = await first_event(
                self._log,
                subject,
                after=claim.after,
                such_that=lambda found: found.envelope.id == claim.event_id,
            )
            if earlier is not None:
                return earlier.sequence
            try:
                return await self._log.append(message, Expect(subject, last.sequence if last else 0))
            except Conflict:
                continue
        raise Transient(
            f"session {session.session_id} is woken by many at once: this wake is tried once more"
        )

    async def _kept(self, source: str, wake: Wake, claim: Claim, inbox_id: str) -> WakeOutcome:
        until = self._clock.now() + timedelta(days=KEPT_DAYS)
        item = InboxItem(
            source,
            wake.id,
            wake.message,
            claim.at,
            rfc3339(until),
            wake.data,
            wake.session_id,
            wake.priority,
            wake.type,
        )
        key = EntityKey(claim.agent_id, EntityKind.INBOX, inbox_id)
        writer = EntityWriter(claim.event_id, Actor.SERVICE, since=claim.after)
        changed = await self._entities.write(key, msgspec.to_builtins(item), writer)
        return WakeOutcome("kept", claim.agent_id, None, changed.sequence, inbox_id)


def _named(wake: Wake) -> str:
    return f"session {wake.session_id}" if wake.session_id is not None else f"agent {wake.agent_id}"
