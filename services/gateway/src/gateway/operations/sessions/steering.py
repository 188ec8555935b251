"""What a person can tell a session: a message, an answer, stop, go on, try again, close, another title."""

from typing import Protocol

import msgspec

from agent_contracts.api.sessions import AnswerReceipt, InputReceipt
from agent_contracts.errors import Rejected, Transient
from agent_contracts.files import SentFile
from agent_contracts.ids import CallId, SessionId, check_id
from agent_contracts.json_value import Json
from agent_contracts.log.address import Address, parse_address
from agent_contracts.log.record.records import event_of
from agent_contracts.policies import APPROVAL
from agent_contracts.session_events.inputs import (
    Archived,
    Continued,
    Feedback,
    Input,
    Interrupted,
    Pinned,
    Renamed,
    RetryAsked,
    ThinkingChanged,
    UserMessage,
)
from agent_contracts.session_events.results import ModelCallCompleted, ToolCallPending
from agent_contracts.sessions.rendering import MCP_INPUT
from agent_contracts.thinking_choice import ThinkingChoice
from agent_domain.sessions.directory import KnownSession, SessionDirectory
from agent_platform.log.port import Log
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.sessions.answers import AnsweringProgram, CallAnswers
from gateway.operations.sessions.inputs import Inputs
from gateway.operations.sessions.past_sessions import PastSessions
from gateway.operations.sessions.responses import fitting
from gateway.operations.sessions.rules import check_message, check_title, check_tokens
from gateway.operations.sessions.sent_files import SentFiles


class PreparedAnswer(msgspec.Struct, frozen=True):
    """An answer as it is to be recorded, and how many other calls *always* has released."""

    response: Json
    released: int = 0


class SpeakingProgram(msgspec.Struct, frozen=True):
    """The program that speaks for a person, and what it tells that they call themselves."""

    name: str
    speaker: str | None = None


class Approves(Protocol):
    """Who knows what an answer to a call that waits for a yes must be, and what follows from it."""

    async def prepared(
        self, session: KnownSession, pending: ToolCallPending, response: Json, request: IdempotentRequest
    ) -> PreparedAnswer:
        """The response as it is to be recorded. `Rejected` for one that doesn't fit."""
        ...


class SessionSteering:
    """Each is one event in the session's log; what comes of it shows there.

    `Rejected`: `not_found` (no such session), `session_closed`, `idempotency_mismatch`. A repeat of the same
    key gets its first answer, also from a session that was closed since. `saying` refuses what exceeds the
    agent's quota (`quota_exceeded`): a message begins new work, all else ends or steers what there is.
    """

    def __init__(  # noqa: PLR0913 — what it reads, what it writes by, what can be sent
        self,
        log: Log,
        directory: SessionDirectory,
        inputs: Inputs,
        past: PastSessions,
        saying: Inputs,
        files: SentFiles,
        approving: Approves,
    ) -> None:
        self._log = log
        self._past = past
        self._saying = saying
        self._files = files
        self._approving = approving
        self._directory = directory
        self._inputs = inputs
        self._answers = CallAnswers(log, directory, inputs)

    async def say(
        self,
        session_id: SessionId,
        text: str,
        request: IdempotentRequest,
        files: tuple[str, ...] = (),
        by: SpeakingProgram | None = None,
    ) -> InputReceipt:
        """Say something, or send files, by the ids of those that the session sees. In a running session it
        joins the next model call. `by`: the program that says it in a person's name."""
        check_message(text, files)
        session = await self._directory.find(session_id)
        sent, refusal = await self._sent(session, files)
        client, speaker = (by.name, by.speaker) if by else (None, None)
        event = UserMessage(text=text, files=sent, client=client, speaker=speaker)
        refusal = refusal or await self._directory.refusal(session)
        return await self._saying.append_unless_refused(session, event, request, refusal)

    async def answer(
        self,
        session_id: SessionId,
        call_id: CallId,
        response: Json,
        request: IdempotentRequest,
        by: AnsweringProgram | None = None,
    ) -> AnswerReceipt:
        """Answer a pending call; see `CallAnswers.record`."""
        session = await self._directory.find(session_id)
        checked = CallId(check_id(call_id, "call id"))
        may_approve = by is None or by.approves
        approval = await self._approval(session, checked, response, request) if may_approve else None

        def fitted(pending: ToolCallPending) -> Json:
            kind = pending.show.get("kind")
            if by is not None and (kind == MCP_INPUT or (kind == APPROVAL and not may_approve)):
                raise Rejected("Only a person can answer this call, in Foldline", kind="not_permitted")
            if kind != APPROVAL:
                return fitting(pending, response)
            if approval is None:
                raise Transient("The call has only just asked; try again")
            return approval.response

        done = await self._answers.record(session, checked, fitted, request, by)
        released = approval.released if approval else 0
        return AnswerReceipt(event_id=done.event_id, sequence=done.sequence, released=released)

    async def _approval(
        self, session: KnownSession, call_id: CallId, response: Json, request: IdempotentRequest
    ) -> PreparedAnswer | None:
        """The answer as it is recorded, of a call that waits for a yes; None for any other."""
        try:
            pending = await self._answers.pending(session, call_id)
        except Rejected:
            return None  # it is over: `record` says how
        if pending.show.get("kind") != APPROVAL:
            return None
        return await self._approving.prepared(session, pending, response, request)

    async def interrupt(self, session_id: SessionId, request: IdempotentRequest) -> InputReceipt:
        """Stop what the session is doing; it becomes idle."""
        return await self._tell(await self._directory.find(session_id), Interrupted(), request)

    async def archive(self, session_id: SessionId, request: IdempotentRequest) -> InputReceipt:
        """Close the session. Only `SessionReopening` opens it again."""
        return await self._tell(await self._directory.find(session_id), Archived(), request)

    async def go_on(
        self, session_id: SessionId, token_limit: int, request: IdempotentRequest
    ) -> InputReceipt:
        """Raise the token limit; a session that had reached its limit goes on.

        `Rejected(kind="invalid_request")` for one that the session has used up already.
        """
        check_tokens(token_limit)
        session = await self._directory.find(session_id)
        refusal = await self._directory.refusal(session) or await self._of_no_help(session, token_limit)
        event = Continued(token_limit=token_limit)
        return await self._inputs.append_unless_refused(session, event, request, refusal)

    async def think(
        self, session_id: SessionId, choice: ThinkingChoice | None, request: IdempotentRequest
    ) -> InputReceipt:
        """Choose how much the model thinks from its next call on; None: as settings say."""
        return await self._tell(await self._directory.find(session_id), ThinkingChanged(choice), request)

    async def retry(self, session_id: SessionId, request: IdempotentRequest) -> InputReceipt:
        """Ask the model again where the last turn failed.

        Nothing comes of it in a session that is at work, or whose turn did not fail.
        """
        return await self._tell(await self._directory.find(session_id), RetryAsked(), request)

    async def rename(self, session_id: SessionId, title: str, request: IdempotentRequest) -> InputReceipt:
        """Give the session another title; a closed one too."""
        check_title(title)
        session = await self._directory.find(session_id)
        return await self._inputs.append_unless_refused(session, Renamed(title=title), request, None)

    async def pin(self, session_id: SessionId, pinned: bool, request: IdempotentRequest) -> InputReceipt:
        """Put the session above the others in the list, or back among them; a closed one too."""
        session = await self._directory.find(session_id)
        return await self._inputs.append_unless_refused(session, Pinned(pinned=pinned), request, None)

    async def rate(
        self, session_id: SessionId, feedback: Feedback, request: IdempotentRequest
    ) -> InputReceipt:
        """Rate an answer, by its address or that of its record, in a closed session too.

        `Rejected(kind="not_found")` for what is not an answer of this session.
        """
        session = await self._directory.find(session_id)
        answer = await self._answer_at(session, parse_address(feedback.answer))
        refusal = None
        if answer is None:
            refusal = Rejected(
                f"Event {feedback.answer} is not an answer of session {session_id}. An answer that a fork "
                "begins with is rated in the session that gave it",
                kind="not_found",
            )
        feedback = msgspec.structs.replace(feedback, answer=str(answer or feedback.answer))
        return await self._inputs.append_unless_refused(session, feedback, request, refusal)

    async def _answer_at(self, session: KnownSession, address: Address) -> Address | None:
        """Where exactly an answer of this session stands; None if there is no answer there."""
        for one in await self._log.record(address.sequence) if address.sequence else ():
            recorded = event_of(one) if one.subject.startswith(f"{session.key.prefix}.") else None
            event = recorded and recorded.event
            if isinstance(event, ModelCallCompleted) and event.purpose != "summary":
                return one.address if address in (one.address, Address(one.sequence)) else None
        return None

    async def _tell(self, session: KnownSession, event: Input, request: IdempotentRequest) -> InputReceipt:
        refusal = await self._directory.refusal(session)
        return await self._inputs.append_unless_refused(session, event, request, refusal)

    async def _of_no_help(self, session: KnownSession, token_limit: int) -> Rejected | None:
        """Why the session would stop at once with this limit; None: it wouldn't, or nobody can tell now."""
        try:
            state = await self._past.state(session.session_id, messages=0, beginnings=0)
        except Transient:
            return None  # the limit is a fact all the same; the engine says what comes of it
        used = state.usage.tokens
        if token_limit > used:
            return None
        return Rejected(
            f"The session has used {used:,} tokens already: to go on, it needs a token limit of at least "
            f"{state.least_token_limit:,}",
            kind="invalid_request",
        )

    async def _sent(
        self, session: KnownSession, files: tuple[str, ...]
    ) -> tuple[tuple[SentFile, ...], Rejected | None]:
        """The files, or why they can't be sent: a repeat gets its first answer all the same."""
        try:
            return await self._files.of(session.session_id, files), None
        except Rejected as refused:
            return (), refused
