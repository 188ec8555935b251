"""The browser pools over core NATS: whoever holds a session's pages answers on the session's subject."""

import asyncio
import time

import msgspec

from agent_contracts.errors import Transient
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.subjects import hand_over_subject
from agent_contracts.questions.takeover import (
    Answer,
    TakeoverAct,
    TakeoverFinish,
    TakeoverLook,
    TakeoverLost,
    TakeoverQuestion,
    TakeoverRelease,
)
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.long_answers import ask_patiently

_DECODER: msgspec.msgpack.Decoder[Answer] = msgspec.msgpack.Decoder(Answer)
_NOBODY_S = 5.0
_AGAIN_S = 0.5
NOBODY = "the browser pool that held the pages stopped"


class NatsBrowsers:
    """`BrowserHolders` over a connection."""

    def __init__(self, connection: NatsConnection) -> None:
        self._connection = connection

    async def ask(
        self, session_id: SessionId, call_id: CallId, what: TakeoverLook | TakeoverAct | TakeoverFinish
    ) -> Answer:
        """See the port. Nobody is taken for gone before they had time to be heard again, as after NATS was
        away."""
        until = time.monotonic() + _NOBODY_S
        while True:
            try:
                return await self._asked(session_id, call_id, what)
            except Transient as failure:
                if failure.kind != "no_responders":
                    raise Transient(
                        f"The browser pool isn't answering ({failure.message}): try again"
                    ) from failure
            if time.monotonic() > until:
                return TakeoverLost(NOBODY)
            await asyncio.sleep(_AGAIN_S)

    async def tell(self, session_id: SessionId, call_id: CallId, what: TakeoverRelease) -> None:
        """See the port."""
        await self._connection.publish(hand_over_subject(session_id), _question(call_id, what))

    async def _asked(
        self, session_id: SessionId, call_id: CallId, what: TakeoverLook | TakeoverAct | TakeoverFinish
    ) -> Answer:
        answer = await ask_patiently(
            self._connection, hand_over_subject(session_id), _question(call_id, what)
        )
        return _DECODER.decode(answer)


def _question(call_id: CallId, what: TakeoverLook | TakeoverAct | TakeoverFinish | TakeoverRelease) -> bytes:
    return msgspec.msgpack.encode(TakeoverQuestion(call_id, what))
