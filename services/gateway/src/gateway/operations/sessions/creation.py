"""Sessions: begun once, however often they are asked for."""

import msgspec

from agent_contracts.api.sessions import Session, SessionThinking
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Conflict, Rejected
from agent_contracts.ids import AgentId, SessionId, check_id
from agent_contracts.log import subjects
from agent_contracts.log.record.records import Expect, decode
from agent_contracts.log.record.session_subjects import SessionKey, parse_session_subject
from agent_contracts.session_events.inputs import Created, UserMessage
from agent_contracts.session_events.results import Usage
from agent_contracts.sessions.session_view import TokensUsed
from agent_contracts.thinking_choice import ThinkingChoice
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.sessions.directory import SessionDirectory
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock
from gateway.operations.idempotency import IdempotentRequest, erased_answer
from gateway.operations.ports import KnownAgents
from gateway.operations.sessions.inputs import Inputs
from gateway.operations.sessions.rules import check_message, check_model, check_title, check_tokens
from gateway.operations.sessions.sent_files import SentFiles
from gateway.settings import GatewaySettings


class NewSession(msgspec.Struct, frozen=True):
    """How a session begins. Everything may be left out. `message` is said at once, with `files`, by the ids
    of those that all sessions of the agent see; `model`: as provider/model. `thinking`: how much
    it is to think. `client`: the program that says it."""

    agent_id: AgentId | None = None
    message: str | None = None
    model: str | None = None
    token_limit: int | None = None
    title: str | None = None
    files: tuple[str, ...] = ()
    client: str | None = None
    thinking: ThinkingChoice | None = None

    def check(self) -> None:
        """`Rejected` for what no session can begin with."""
        if self.agent_id is not None:
            check_id(self.agent_id, "agent_id")
        if self.is_said:
            check_message(self.message or "", self.files)
        if self.model is not None:
            check_model(self.model)
        if self.thinking is not None:
            self.thinking.check()
        if self.token_limit is not None:
            check_tokens(self.token_limit)
        if self.title is not None:
            check_title(self.title)

    @property
    def is_said(self) -> bool:
        """Whether it begins with a message."""
        return self.message is not None or bool(self.files)


class Creation:
    """Begins sessions."""

    def __init__(  # noqa: PLR0913 — what it reads, what it writes by, what can be sent
        self,
        log: Log,
        clock: Clock,
        agents: KnownAgents,
        inputs: Inputs,
        files: SentFiles,
        settings: EffectiveSettings[GatewaySettings],
    ) -> None:
        self._log = log
        self._clock = clock
        self._directory = SessionDirectory(log)
        self._agents = agents
        self._inputs = inputs
        self._files = files
        self._settings = settings

    async def create(self, new: NewSession, request: IdempotentRequest) -> Session:
        """Begin a session; a repeat of the same key gets the one that the first request began.

        `Rejected`: `not_found` (no such agent), `erased` (the session of this key was deleted),
        `idempotency_mismatch` (the key made another session),
        `invalid_request` (such as a file that doesn't exist; nothing is begun then).
        """
        new.check()
        session_id = SessionId(request.derived_id("s", "sessions") or self._clock.new_id("s"))
        owner = SessionKey(new.agent_id or DEFAULT_AGENT, session_id)
        if request.key is not None:
            await self._directory.refuse_if_erased(session_id)
        await self._agents.require(owner.agent_id)
        said = await self._inputs.earlier(owner, UserMessage, request) if new.is_said else None
        files = await self._files.of_agent(owner.agent_id, new.files) if said is None else ()
        created = await self._created(new, owner)
        nothing_yet = Expect(subjects.any_agents_session_filter(session_id), 0)
        try:
            accepted = await self._inputs.append(owner, created, request, nothing_yet)
        except Conflict:
            raise Rejected(
                "This Idempotency-Key was used for another session; use a fresh key",
                kind="idempotency_mismatch",
            ) from None
        if new.is_said and said is None:
            message = UserMessage(text=new.message or "", files=files, client=new.client)
            said = await self._inputs.append(owner, message, request)
        return await self._as_created(accepted.sequence, (said or accepted).sequence)

    async def _created(self, new: NewSession, owner: SessionKey) -> Created:
        defaults = (await self._settings.of(owner.agent_id)).new_session()
        created = defaults.created(
            owner.agent_id, token_limit=new.token_limit, title=new.title, model=new.model
        )
        return msgspec.structs.replace(created, thinking=new.thinking)

    async def _as_created(self, first: int, last: int) -> Session:
        """The session as its first event made it, the same however often the request is repeated."""
        stored = await self._log.get(first)
        if stored is None:
            raise erased_answer()
        recorded = decode(stored)
        created: Created = recorded.event
        thinking = created.thinking
        return Session(
            id=parse_session_subject(recorded.subject).key.session_id,
            agent_id=created.agent_id,
            title=created.title,
            status="running" if last > first else "idle",
            model=created.model,
            thinking=None
            if thinking is None
            else SessionThinking(effort=thinking.effort, budget=thinking.budget),
            parent_id=created.parent_id,
            depth=created.depth,
            token_limit=created.token_limit,
            usage=TokensUsed.of(Usage(0, 0)),
            error=None,
            created_at=recorded.envelope.time,
            active_at=recorded.envelope.time,
            updated_at=recorded.envelope.time,
            last_sequence=last,
            open_calls=[],
            children=[],
        )
