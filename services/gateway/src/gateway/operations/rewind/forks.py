"""Forks: made by the session engine, shown as they began."""

import msgspec

from agent_contracts.api.sessions import ForkedSession, SentVersion
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.files import SentFile
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.address import Address
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import StoredMessage, decode
from agent_contracts.questions.queries import FORK, ForkCommand
from agent_contracts.session_events.decisions import ForkedFrom
from agent_contracts.session_events.inputs import Created
from agent_contracts.session_events.results import Usage
from agent_contracts.sessions.session_view import SessionView, TokensUsed
from agent_domain.sessions.directory import SessionDirectory
from agent_platform.log.events import first_event
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock
from gateway.operations.files.contents import FileContents
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.ports import KnownAgents, Questions
from gateway.operations.sessions.past_sessions import PastSessions
from gateway.operations.sessions.rules import check_message, check_model, check_title


class NewFork(msgspec.Struct, frozen=True):
    """A new session that begins with what was said up to `at`; `message` is the first thing said after it,
    with `files` of the agent's: the fork gets copies of its own."""

    at: Address
    message: str | None = None
    model: str | None = None
    title: str | None = None
    files: tuple[SentVersion, ...] = ()

    @property
    def said(self) -> str | None:
        """The text of its first message; empty where that has only files."""
        return (self.message or "") if self.files else self.message

    def check(self) -> None:
        """`Rejected` for what no fork can begin with."""
        if self.said is not None:
            check_message(self.said, [one.file_id for one in self.files])
        if self.model is not None:
            check_model(self.model)
        if self.title is not None:
            check_title(self.title)


class SessionForks:
    """Makes them."""

    def __init__(  # noqa: PLR0913 — what it reads, whom it asks, what can be sent
        self,
        log: Log,
        clock: Clock,
        directory: SessionDirectory,
        agents: KnownAgents,
        questions: Questions,
        contents: FileContents,
    ) -> None:
        self._log = log
        self._clock = clock
        self._directory = directory
        self._agents = agents
        self._questions = questions
        self._contents = contents
        self._past = PastSessions(log, questions)

    async def fork(self, session_id: SessionId, new: NewFork, request: IdempotentRequest) -> ForkedSession:
        """Begin a session with the history of this one up to an event; this one stays as it is.

        A repeat of the same key gets the same fork. A closed session can be forked too. `Rejected`:
        `not_found` (no such session or agent), `invalid_request` (no such event or file).
        """
        new.check()
        session = await self._directory.find(session_id)
        await self._agents.require(session.agent_id)
        await self._past.safe_point(session_id, new.at)
        child = SessionId(request.derived_id("s", session_id, "forks") or self._clock.new_id("s"))
        if request.key is not None:
            await self._directory.refuse_if_erased(child)
        command = ForkCommand(
            session_id=session_id,
            child_id=child,
            at=new.at.sequence,
            message=new.said,
            model=new.model,
            title=new.title,
            request=request.recorded_digest,
            files=await self._sent(session.agent_id, new.files),
        )
        await self._questions.ask(FORK, command)
        key = session.key.sibling(child)
        created = await self._stored(key.input(type_of(Created)))
        if request.key is not None:
            request.check_same(created.envelope.request if created.envelope else None)
        head = await self._stored(key.decision(type_of(ForkedFrom)))
        began = await self._past.state(child, Address(head.sequence), messages=0)
        last = head.sequence + (0 if new.said is None else 1)
        return _forked(began, created, last)

    async def _sent(self, agent_id: AgentId, files: tuple[SentVersion, ...]) -> tuple[SentFile, ...]:
        found = []
        for number, one in enumerate(files):
            try:
                owned = await self._contents.find(one.file_id, one.version)
            except Rejected as refused:
                if refused.kind != "not_found":
                    raise
                owned = None
            if owned is None or owned.agent_id != agent_id:
                raise Rejected(
                    f"Agent {agent_id} has no file {one.file_id} with a version {one.version}",
                    kind="invalid_request",
                    path=f"/files/{number}",
                )
            file = owned.file
            found.append(
                SentFile(file.file_id, file.path, file.media_type, file.size, file.version, file.blob)
            )
        return tuple(found)

    async def _stored(self, subject: str) -> StoredMessage:
        recorded = await first_event(self._log, subject, after=0)
        stored = await self._log.get(recorded.sequence) if recorded is not None else None
        if stored is None:
            raise Permanent(f"The fork was made, but nothing is stored at {subject}", kind="internal")
        return stored


def _forked(began: SessionView, created: StoredMessage, last_sequence: int) -> ForkedSession:
    time = decode(created).envelope.time
    origin = began.forked_from
    if origin is None:
        raise Permanent(f"The fork {began.session_id} does not say where it comes from", kind="internal")
    return ForkedSession(
        id=began.session_id,
        agent_id=began.agent_id,
        title=began.title,
        status=began.status,
        model=began.model,
        parent_id=began.parent_id,
        depth=began.depth,
        token_limit=began.token_limit,
        usage=TokensUsed.of(Usage(0, 0)),
        error=None,
        created_at=time,
        active_at=time,
        updated_at=time,
        last_sequence=last_sequence,
        open_calls=[],
        children=[],
        forked_from=origin.session_id,
        fork_sequence=origin.sequence,
    )
