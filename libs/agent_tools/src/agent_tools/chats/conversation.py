"""The conversation with one person: what they write is said or answers something, and they are told what
comes of it."""

import asyncio
import contextlib
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any

import msgspec
import structlog

from agent_contracts.api.chats import ChatPartner
from agent_contracts.api.sessions import MAX_SPEAKER
from agent_contracts.api.turns import GOES_ON
from agent_contracts.errors import Failure, Rejected, Transient
from agent_domain.chats.book import ChatBook, ChatProgress
from agent_platform.process.clock import Clock
from agent_platform.process.interruption import Interruption
from agent_tools.chats import words
from agent_tools.chats.channel import ChatMessage
from egress.foldline_api import FoldlineApi

Tell = Callable[[str, str], Awaitable[None]]
"""Sends a text of any length to a chat, and returns when it was sent or can't be."""
_WAIT_S = 45
_LOOK_S = 10.0
"""Seconds between looks at something that waits for a person, who may answer it elsewhere."""
_AGAIN_S = 2.0
_OVER = frozenset({"already_answered", "call_not_open", "not_found", "erased"})
_OURS_TO_MEND = frozenset({"unauthorized", "not_permitted", "too_many_attempts"})
"""What is wrong with the token: the message waits until that is mended."""
_EDITED = "idempotency_mismatch"
"""This message was taken with another text."""
_CLOSED = frozenset({"session_closed", "not_found", "erased"})

log = structlog.get_logger()


class PartnerConversation:
    """One person in one chat. What it knows is in the book after each step, so that it goes on after a crash;
    what is asked of the gateway carries a key of the message, so that it is done once."""

    def __init__(
        self, partner: ChatPartner, book: ChatBook, foldline: FoldlineApi, tell: Tell, clock: Clock
    ) -> None:
        self._clock = clock
        self._partner = partner
        self._book = book
        self._foldline = foldline
        self._tell = tell
        self._changing = asyncio.Lock()
        self._moved = asyncio.Event()

    async def take(self, message: ChatMessage, received_at: datetime) -> None:
        """Do what they wrote. A message that came before changes nothing, and neither does one of before they
        were allowed. `Transient` while that can't be known, or done."""
        written_at = _written_at(message, received_at)
        async with self._changing:
            progress = await self._book.progress(self._partner)
            if progress.has_seen(message.id):
                return
            reply = ""
            if _is_before(written_at, self._partner.allowed_at or ""):
                log.info("chat.older_than_allowed", partner=self._partner.id)
            else:
                progress, reply = await self._done(progress, message, written_at)
            await self._book.keep(self._partner, progress.with_seen(message.id))
        if reply:
            await self._say(reply)
        self._moved.set()

    async def _done(
        self, progress: ChatProgress, message: ChatMessage, written_at: datetime
    ) -> tuple[ChatProgress, str]:
        text = message.text.strip()
        key = hashlib.sha256(f"{self._partner.id} {message.id}".encode()).hexdigest()
        if not text:
            return progress, words.ONLY_TEXT
        if len(text) > words.LONGEST_MESSAGE:
            return progress, words.TOO_LONG
        try:
            match text.split(maxsplit=1)[0].lower():
                case "/start" | "/help":
                    return progress, words.HELP
                case "/new" | "/stop" if _is_before(written_at, progress.said_at):
                    return progress, ""  # it is about something that they said earlier
                case "/new":
                    new = ChatProgress(progress.conversation + 1, seen=progress.seen)
                    return new, words.BEGINS
                case "/stop":
                    return await self._stopped(progress)
            if progress.asked:
                if _is_before(written_at, progress.asked_at):
                    return progress, words.TOO_EARLY
                return await self._answered(progress, text, key)
            progress = await self._said(progress, text, key, _speaker(message))
            return msgspec.structs.replace(progress, said_at=written_at.isoformat()), ""
        except Rejected as refused:
            if refused.kind in _OURS_TO_MEND:
                raise Transient(refused.message, kind=refused.kind) from refused
            if refused.kind == _EDITED:
                return progress, words.EDITED
            return progress, refused.message

    async def _stopped(self, progress: ChatProgress) -> tuple[ChatProgress, str]:
        if progress.session_id is None or not progress.turns:
            return progress, "Nothing is going on."
        await self._foldline.post(f"/sessions/{progress.session_id}:interrupt")
        return msgspec.structs.replace(progress, asked=""), ""

    async def _said(
        self, progress: ChatProgress, text: str, key: str, speaker: dict[str, str]
    ) -> ChatProgress:
        progress = await self._begun(progress)
        body = {"text": text, **speaker}
        try:
            said = await self._foldline.post(self._messages(progress), body, key=key)
        except Rejected as refused:
            if refused.kind not in _CLOSED:
                raise
            again = ChatProgress(progress.conversation + 1, turns=progress.turns, seen=progress.seen)
            progress = await self._begun(again)
            said = await self._foldline.post(self._messages(progress), body, key=key)
        turn = f"{progress.session_id}/turns/{said['sequence']}"
        return msgspec.structs.replace(progress, turns=tuple(dict.fromkeys((*progress.turns, turn))))

    def _messages(self, progress: ChatProgress) -> str:
        return f"/sessions/{progress.session_id}/messages"

    async def _begun(self, progress: ChatProgress) -> ChatProgress:
        if progress.session_id is not None:
            return progress
        partner = self._partner
        key = f"chat {partner.id} {partner.allowed_at} {progress.conversation}"
        made = await self._foldline.post("/sessions", {"agent_id": partner.agent_id}, key=key)
        return msgspec.structs.replace(progress, session_id=made["id"])

    async def _answered(self, progress: ChatProgress, text: str, key: str) -> tuple[ChatProgress, str]:
        path = progress.asked.partition(" ")[0]
        answered = msgspec.structs.replace(progress, asked="", answered=progress.asked)
        try:
            if path.startswith("/approvals/"):
                body: dict[str, Any] = {"decision": words.decision_of(text)}
            else:
                body = words.answer_of((await self._foldline.get(path))["show"], text)
            await self._foldline.post(path, body, key=key)
        except Rejected as refused:
            if refused.kind in _OVER:
                return answered, words.ELSEWHERE
            raise
        return answered, ""

    async def follow(self) -> None:
        """Tell them what comes of what they wrote, for as long as anything may."""
        interruption = Interruption("chat.following", partner=self._partner.id)
        while True:
            self._moved.clear()
            try:
                progress = await self._book.progress(self._partner)
                waits_s = await self._followed(progress) if progress.turns else None
                interruption.over()
            except Failure as failure:
                interruption.hit(failure.message)
                waits_s = _AGAIN_S
            except Exception as bug:  # whatever it is: they must be told what comes later
                interruption.hit(str(bug), bug=bug)
                waits_s = _LOOK_S
            if waits_s != 0:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(waits_s):
                        await self._moved.wait()

    async def _followed(self, progress: ChatProgress) -> float:
        """Seconds until it is looked at again."""
        path = progress.turns[0]
        try:
            turn = await self._foldline.get(f"/sessions/{path}", wait=_WAIT_S)
        except Rejected as gone:
            if gone.kind not in _CLOSED:
                raise
            await self._ended(path, f"Nobody can tell what came of your message: {gone.message}")
            return 0
        if turn["status"] in GOES_ON:
            if progress.asked:  # somebody answered it elsewhere
                await self._ask("")
            return 0
        if turn["status"] == "waiting_for_input":
            return await self._asked(progress, turn)
        turns = (await self._book.progress(self._partner)).turns  # others may have come meanwhile
        joined = len(turns) > 1 and await self._ends_with(turns[1], turn)
        await self._ended(path, "" if joined else words.ending_text(turn))
        return 0

    async def _ends_with(self, path: str, turn: Mapping[str, Any]) -> bool:
        """Whether the message after this one joined its turn, and so has its end."""
        try:
            after = await self._foldline.get(f"/sessions/{path}")
        except Rejected:
            return False
        return bool(after["ended_at"] and after["ended_at"] == turn["ended_at"])

    async def _asked(self, progress: ChatProgress, turn: Mapping[str, Any]) -> float:
        approvals = [(f"/approvals/{one['id']}", one, words.approval_text) for one in turn["approvals"]]
        questions = [(f"/questions/{one['id']}", one, words.question_text) for one in turn["questions"]]
        for path, one, text_of in (*approvals, *questions):
            asking = f"{path} {one['requested_at']}"  # the same call may ask again
            if asking == progress.answered:
                continue
            if asking != progress.asked:
                await self._ask(asking, text_of(one))
            return _LOOK_S
        return _AGAIN_S  # what they answered isn't there yet

    async def _ended(self, path: str, text: str) -> None:
        if text:
            await self._say(text)
        async with self._changing:
            progress = await self._book.progress(self._partner)
            if path in progress.turns:
                turns = tuple(one for one in progress.turns if one != path)
                ended = msgspec.structs.replace(progress, turns=turns, asked="")
                await self._book.keep(self._partner, ended)

    async def _ask(self, asked: str, text: str = "") -> None:
        """Ask them something, or (empty) nothing any more. An answer that comes at once waits until this is
        noted: it would be taken for something new."""
        async with self._changing:
            progress = await self._book.progress(self._partner)
            if progress.turns:
                now = self._clock.now().isoformat()
                if text:
                    await self._say(text)
                asking = msgspec.structs.replace(progress, asked=asked, asked_at=now)
                await self._book.keep(self._partner, asking)

    async def _say(self, text: str) -> None:
        await self._tell(self._partner.chat, text)


def _speaker(message: ChatMessage) -> dict[str, str]:
    """What they call themselves, as the gateway takes it."""
    name = "".join(one if one.isprintable() else " " for one in message.name).strip()[:MAX_SPEAKER]
    return {"speaker": name} if name else {}


def _written_at(message: ChatMessage, received_at: datetime) -> datetime:
    return received_at if message.at is None else min(message.at, received_at)


def _is_before(written_at: datetime, moment: str) -> bool:
    """Whether it was written before this moment, as far as the clocks tell: many programs count in whole
    seconds."""
    if not moment:
        return False
    limit = datetime.fromisoformat(moment)
    return written_at < (limit if written_at.microsecond else limit.replace(microsecond=0))
