"""Forks: made by the session engine, shown as they began."""

import msgspec

from agent_contracts.address import Address
from agent_contracts.codec import type_of
from agent_contracts.errors import Permanent
from agent_contracts.ids import SessionId
from agent_contracts.queries import FORK, ForkCommand
from agent_contracts.session_events.decisions import ForkedFrom
from agent_contracts.session_events.inputs import Created
from agent_contracts.session_view import SessionView
from agent_domain.sessions.directory import Directory
from agent_platform.log.decoding import decode, first_event
from agent_platform.log.port import Log, StoredMessage
from agent_platform.process.clock import Clock
from gateway.operations.asked import Asked
from gateway.operations.ports import KnownAgents, Questions
from gateway.operations.sessions.past import Past
from gateway.operations.sessions.rules import check_message, check_model, check_title
from gateway.queries.session_views import Session
from gateway.queries.view import Usage


class Forked(Session):
    """A fork, as it began. `at` is the event its history really goes up to: never between a call and its
    results, so at or before the one that was asked for."""

    forked_from: str
    at: int


class NewFork(msgspec.Struct, frozen=True):
    """A new session that begins with what was said up to `at`; `message` is the first thing said after it."""

    at: Address
    message: str | None = None
    model: str | None = None
    title: str | None = None

    def check(self) -> None:
        """`Rejected` for what no fork can begin with."""
        if self.message is not None:
            check_message(self.message)
        if self.model is not None:
            check_model(self.model)
        if self.title is not None:
            check_title(self.title)


class Forks:
    """Makes them."""

    def __init__(
        self, log: Log, clock: Clock, directory: Directory, agents: KnownAgents, questions: Questions
    ) -> None:
        self._log = log
        self._clock = clock
        self._directory = directory
        self._agents = agents
        self._questions = questions
        self._past = Past(log, questions)

    async def fork(self, session_id: SessionId, new: NewFork, request: Asked) -> Forked:
        """Begin a session with the history of this one up to an event; this one stays as it is.

        A repeat of the same key gets the same fork. A closed session can be forked too. `Rejected`:
        `not_found` (no such session or agent), `invalid_request` (no such event).
        """
        new.check()
        session = await self._directory.find(session_id)
        await self._agents.require(session.agent_id)
        await self._past.safe_point(session_id, new.at)
        child = SessionId(request.derived_id("s", session_id, "forks") or self._clock.new_id("s"))
        command = ForkCommand(
            session_id=session_id,
            child_id=child,
            at=new.at.sequence,
            message=new.message,
            model=new.model,
            title=new.title,
            request=request.recorded_digest,
        )
        await self._questions.ask(FORK, command)
        key = session.key.sibling(child)
        created = await self._stored(key.input(type_of(Created)))
        if request.key is not None:
            request.check_same(created.envelope.request if created.envelope else None)
        head = await self._stored(key.decision(type_of(ForkedFrom)))
        began = await self._past.state(child, Address(head.sequence))
        last = head.sequence + (0 if new.message is None else 1)
        return _forked(began, created, last)

    async def _stored(self, subject: str) -> StoredMessage:
        recorded = await first_event(self._log, subject, after=0)
        stored = await self._log.get(recorded.sequence) if recorded is not None else None
        if stored is None:
            raise Permanent(f"The fork was made, but nothing is stored at {subject}", kind="internal")
        return stored


def _forked(began: SessionView, created: StoredMessage, last_sequence: int) -> Forked:
    time = decode(created).envelope.time
    origin = began.forked_from
    if origin is None:
        raise Permanent(f"The fork {began.session_id} does not say where it comes from", kind="internal")
    return Forked(
        id=began.session_id,
        agent_id=began.agent_id,
        title=began.title,
        status=began.status,
        model=began.model,
        parent_id=began.parent_id,
        depth=began.depth,
        token_limit=began.token_limit,
        usage=Usage(input=0, output=0),
        error=None,
        created_at=time,
        updated_at=time,
        last_sequence=last_sequence,
        open_calls=[],
        children=[],
        forked_from=origin.session_id,
        at=origin.at,
    )
