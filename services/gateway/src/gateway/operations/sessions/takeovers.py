"""A browser that was handed over to a person: what they see and do there, and how its call ends."""

from collections.abc import Sequence

from cachetools import TTLCache

from agent_contracts.api.browser import BrowserActed, BrowserEnded, BrowserView
from agent_contracts.errors import Permanent, Rejected, Transient
from agent_contracts.ids import CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.questions.takeover import (
    HAND_OVER,
    Ending,
    PersonsInput,
    TakeoverAct,
    TakeoverActResult,
    TakeoverFinish,
    TakeoverLook,
    TakeoverLost,
    TakeoverRefusal,
    TakeoverRelease,
    TakeoverResult,
    TakeoverView,
)
from agent_contracts.session_events.results import ToolCallPending
from agent_domain.sessions.directory import KnownSession, SessionDirectory
from gateway.operations.idempotency import asked
from gateway.operations.ports import BrowserHolders
from gateway.operations.sessions.answers import CallAnswers
from gateway.operations.sessions.takeover_views import lost, viewed

_BELIEVED_S = 2.0
_KNOWN = 1_000


class SessionTakeovers:
    """Only while its call is pending, and only of this session's pages. Where those are gone, the call ends
    as `context_lost`, and whoever looks is told."""

    def __init__(self, directory: SessionDirectory, answers: CallAnswers, holders: BrowserHolders) -> None:
        self._directory = directory
        self._answers = answers
        self._holders = holders
        self._pending: TTLCache[tuple[SessionId, CallId], bool] = TTLCache(_KNOWN, _BELIEVED_S)

    async def look(self, session_id: SessionId, call_id: CallId, viewer: str, after: int) -> BrowserView:
        """What there is to see, once it is newer than `after`, or else after a few seconds.

        `Rejected`: `not_found`, `call_not_open` (it ended), `rate_limited` (too many look).
        """
        session = await self._open(session_id, call_id)
        answer = await self._holders.ask(session_id, call_id, TakeoverLook(viewer, after))
        match answer:
            case TakeoverView():
                return viewed(answer)
            case TakeoverLost(reason=reason):
                await self._lost(session, call_id, reason)
                return lost(after, reason)
            case _:
                raise _failure(answer)

    async def act(
        self, session_id: SessionId, call_id: CallId, inputs: Sequence[PersonsInput]
    ) -> BrowserActed:
        """Do in the page what a person did in its picture, in this order."""
        session = await self._open(session_id, call_id)
        answer = await self._holders.ask(session_id, call_id, TakeoverAct(tuple(inputs)))
        match answer:
            case TakeoverActResult(focus=focus, problem=problem):
                return BrowserActed(editable=focus.editable, secret=focus.secret, problem=problem)
            case TakeoverLost(reason=reason):
                await self._lost(session, call_id, reason)
                return BrowserActed(editable=False, secret=False, problem=reason)
            case _:
                raise _failure(answer)

    async def end(
        self, session_id: SessionId, call_id: CallId, *, done: bool, keep_login: bool
    ) -> BrowserEnded:
        """The person is done, or won't. `keep_login`: what the visited sites stored is kept for the agent; if
        that can't be, nothing has ended, and it says why."""
        session = await self._known(session_id)
        await self._refuse_unless_pending(session, call_id)
        answer = await self._holders.ask(session_id, call_id, TakeoverFinish(keep=done and keep_login))
        match answer:
            case TakeoverResult(url=url, title=title, kept=kept):
                ending: Ending = "done" if done else "declined"
                result: dict[str, Json] = {"ended": ending, "url": url, "title": title}
                if kept:
                    result["login_kept"] = True
                await self._record(session, call_id, result)
                await self._release(session_id, call_id)
                return BrowserEnded(ended=ending, kept=list(kept))
            case TakeoverLost(reason=reason):
                await self._lost(session, call_id, reason)
                return BrowserEnded(ended="context_lost", kept=[], reason=reason)
            case _:
                raise _failure(answer)

    async def _open(self, session_id: SessionId, call_id: CallId) -> KnownSession:
        session = await self._known(session_id)
        if (session_id, call_id) not in self._pending:
            await self._refuse_unless_pending(session, call_id)
            self._pending[session_id, call_id] = True
        return session

    async def _known(self, session_id: SessionId) -> KnownSession:
        return await self._directory.find(session_id)

    async def _refuse_unless_pending(self, session: KnownSession, call_id: CallId) -> None:
        _of_a_browser(call_id, await self._answers.pending(session, call_id))

    async def _lost(self, session: KnownSession, call_id: CallId, reason: str) -> None:
        """The call ends by itself; of several that find it out, one says so."""
        try:
            await self._record(session, call_id, {"ended": "context_lost", "reason": reason})
        except Rejected as refused:
            if refused.kind not in ("already_answered", "call_not_open"):
                raise
        await self._release(session.session_id, call_id)

    async def _record(self, session: KnownSession, call_id: CallId, result: dict[str, Json]) -> None:
        self._pending.pop((session.session_id, call_id), None)

        def response(pending: ToolCallPending) -> Json:
            _of_a_browser(call_id, pending)
            return result

        await self._answers.record(session, call_id, response, asked())

    async def _release(self, session_id: SessionId, call_id: CallId) -> None:
        """Best effort: what nobody releases, the pool gives back when the call's time is over."""
        try:
            await self._holders.tell(session_id, call_id, TakeoverRelease())
        except Transient:
            return


def _of_a_browser(call_id: CallId, pending: ToolCallPending) -> None:
    if pending.show.get("kind") != HAND_OVER:
        raise Rejected(f"Call {call_id} did not hand a browser over", kind="not_found")


def _failure(answer: object) -> Rejected | Transient | Permanent:
    match answer:
        case TakeoverRefusal(kind="unavailable", message=message):
            return Transient(message)
        case TakeoverRefusal(kind="internal", message=message):
            return Permanent(message, kind="internal")
        case TakeoverRefusal(kind=kind, message=message):
            return Rejected(message, kind=kind)
        case _:
            return Permanent("The browser pool answered something else than was asked", kind="internal")
