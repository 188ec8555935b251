"""Runs a chat channel: who may write is looked up, and the conversation of each goes on."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from typing import TypeVar

import structlog

from agent_contracts.api.chats import ChatPartner
from agent_contracts.errors import Failure, Transient
from agent_contracts.log.subjects import CHATS_BUCKET
from agent_domain.chats.book import ChatBook, partner_id_of
from agent_platform.log.bucket import bucket
from agent_platform.process.clock import Clock, SystemClock
from agent_platform.process.interruption import Interruption
from agent_platform.secrecy.failure_text import failure_of
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.services.service import running_service
from agent_tools.chats import words
from agent_tools.chats.channel import ChatChannel, ChatMessage
from agent_tools.chats.conversation import PartnerConversation
from egress.foldline_api import FoldlineApi
from egress.settings import ApiSettings

_FIRST_WAIT_S, _LONGEST_WAIT_S = 1.0, 60.0
_ATTEMPTS = 5
_FULL_S = 60.0
"""Seconds for which strangers aren't looked at after there were too many."""

S = TypeVar("S", bound=ApiSettings)
T = TypeVar("T")
log = structlog.get_logger()


class ChatHost:
    """One channel, and everybody who writes there."""

    def __init__(
        self, name: str, book: ChatBook, foldline: FoldlineApi, channel: ChatChannel, clock: Clock
    ) -> None:
        self._clock = clock
        self._name = name
        self._book = book
        self._foldline = foldline
        self._channel = channel
        self._conversations: dict[str, tuple[ChatPartner, PartnerConversation, asyncio.Task[None]]] = {}
        self._full_until = 0.0
        self._problems: dict[str, str] = {}

    async def run(self) -> None:
        """Receive for ever. What was not told before it ended is told now."""
        await self._patiently(lambda: self._book.begin(self._name))
        try:
            for partner in await self._patiently(lambda: self._book.partners(self._name)):
                if partner.allowed_at is not None:
                    self._conversation(partner)
            await self._received()
        finally:
            tasks = [task for _, _, task in self._conversations.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _received(self) -> None:
        wait = _FIRST_WAIT_S
        cursor = await self._patiently(lambda: self._book.cursor(self._name))
        while True:
            try:
                received = await self._channel.receive(cursor)
            except Exception as error:  # it is somebody else's code
                await self._trouble("receive", error)
                await asyncio.sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT_S)
                continue
            wait = _FIRST_WAIT_S
            await self._works("receive")
            now = self._clock.now()
            for message in received.messages:
                await self._taken(message, now)
            if received.cursor != cursor:
                cursor = received.cursor
                await self._patiently(partial(self._book.keep_cursor, self._name, cursor))

    async def _taken(self, message: ChatMessage, received_at: datetime) -> None:
        """However long the log or the gateway can't be reached: the channel must not forget it before."""
        while True:
            try:
                await self._take(message, received_at)
            except Transient as failure:
                await self._trouble("receive", failure)
                await asyncio.sleep(failure.retry_after or _FIRST_WAIT_S)
            except Failure as failure:  # of this message: it would never be taken
                log.error("chat.refused", channel=self._name, reason=failure.message)
                return
            else:
                await self._works("receive")
                return

    async def _take(self, message: ChatMessage, received_at: datetime) -> None:
        partner_id = partner_id_of(self._name, message.chat, message.sender)
        partner = await self._book.find(self._name, partner_id)
        if partner is None:
            await self._meet(message, partner_id)
        elif partner.allowed_at is not None:
            await self._conversation(partner).take(message, received_at)
        else:
            await self._book.see(self._name, partner_id, message.id)

    async def _meet(self, message: ChatMessage, partner_id: str) -> None:
        """A stranger is told a code once; no session begins and no model is asked."""
        self._forget(partner_id)
        if time.monotonic() < self._full_until or await self._book.saw(self._name, partner_id, message.id):
            return
        name = message.name or message.sender
        partner = await self._book.ask(self._name, message.chat, message.sender, name)
        if partner is None or partner.code is None:
            self._full_until = time.monotonic() + _FULL_S
            log.warning("chat.too_many_strangers", channel=self._name)
            return
        log.info("chat.stranger", channel=self._name, partner=partner.id)
        await self._book.see(self._name, partner_id, message.id)
        await self._tell(message.chat, words.introduced(partner.code))

    def _conversation(self, partner: ChatPartner) -> PartnerConversation:
        known = self._conversations.get(partner.id)
        if known is not None and known[0].allowed_at == partner.allowed_at:
            return known[1]
        self._forget(partner.id)
        made = PartnerConversation(partner, self._book, self._foldline, self._tell, self._clock)
        self._conversations[partner.id] = (partner, made, asyncio.create_task(made.follow()))
        return made

    def _forget(self, partner_id: str) -> None:
        known = self._conversations.pop(partner_id, None)
        if known is not None:
            known[2].cancel()

    async def _tell(self, chat: str, text: str) -> None:
        for piece in words.pieces_of(text, self._channel.longest):
            if not await self._sent(chat, piece):
                return

    async def _sent(self, chat: str, text: str) -> bool:
        wait = _FIRST_WAIT_S
        for attempt in range(_ATTEMPTS):
            try:
                await self._channel.send(chat, text)
            except Exception as error:  # it is somebody else's code
                await self._trouble("send", error)
                if attempt + 1 < _ATTEMPTS:
                    await asyncio.sleep(wait)
                wait *= 2
            else:
                await self._works("send")
                return True
        return False

    async def _trouble(self, way: str, error: Exception) -> None:
        self._problems[way] = why = _words_of(error)
        log.error("chat.trouble", channel=self._name, way=way, reason=why)
        await self._patiently(lambda: self._book.tell(self._name, why))

    async def _works(self, way: str) -> None:
        self._problems.pop(way, None)
        problem = next(iter(self._problems.values()), None)
        await self._patiently(lambda: self._book.tell(self._name, problem))

    async def _patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        interruption = Interruption("chat.book", channel=self._name)
        while True:
            try:
                done = await ask()
            except Transient as failure:
                interruption.hit(failure.message)
                await asyncio.sleep(_FIRST_WAIT_S)
            else:
                interruption.over()
                return done


def _words_of(error: Exception) -> str:
    return error.message if isinstance(error, Failure) else failure_of(error)


async def converse(declared: ServiceDeclaration, settings: S, make: Callable[[S], ChatChannel]) -> None:
    """Run the channel that `make` makes of the settings, until cancelled. What that raises is told like any
    trouble of the channel, and ends the service, which is started again."""
    async with running_service(declared, settings) as service, FoldlineApi(settings) as foldline:
        clock = SystemClock()
        book = ChatBook(bucket(service.connection, CHATS_BUCKET), clock)
        try:
            channel = make(settings)
        except Exception as error:
            await book.tell(declared.name, _words_of(error))
            raise
        await ChatHost(declared.name, book, foldline, channel, clock).run()
