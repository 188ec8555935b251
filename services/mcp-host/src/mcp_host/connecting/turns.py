"""The calls that are under way on one connection: whose turn it is, and which of them a server's request is
about."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.client import ClientRequestContext
from mcp_types import (
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
)

from agent_contracts.errors import ErrorKind, Rejected
from mcp_host.connecting.under_way import CANCELLED, CURRENT, NOBODY_SAMPLES, UnderWay


class CallTurns:
    """`one_at_a_time`: calls wait for each other."""

    def __init__(self) -> None:
        self.one_at_a_time = False
        self._turn = asyncio.Lock()
        self._under_way: set[UnderWay] = set()

    @asynccontextmanager
    async def of(self, call: UnderWay, timeout_s: float) -> AsyncIterator[None]:
        """The call is under way. `Rejected` where it isn't its turn within this time."""
        self._under_way.add(call)
        try:
            if self.one_at_a_time:
                await self._take(call, timeout_s)
            yield
        finally:
            call.end()
            self._give(call)
            self._under_way.discard(call)

    def is_alone(self, call: UnderWay) -> bool:
        """Whether no other is under way."""
        return self._under_way == {call}

    async def elicited(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        """The server asks a person, while a call is under way. Others have their turn meanwhile."""
        call = CURRENT.get() or self._only_one()
        if call is None:
            return CANCELLED
        self._give(call)
        answer = await call.ask(params)
        if self.one_at_a_time and not call.has_ended:
            await self._take(call, None)
            self._give_if_ended(call)
        return answer

    async def sampled(
        self, context: ClientRequestContext, params: CreateMessageRequestParams
    ) -> CreateMessageResult | ErrorData:
        """The server has a model asked, while a call is under way, which keeps its turn."""
        call = CURRENT.get() or self._only_one()
        return NOBODY_SAMPLES if call is None else await call.have_sampled(params)

    def _only_one(self) -> UnderWay | None:
        """The call that a request of the server must be about, where nothing tells."""
        at_work = [one for one in self._under_way if one.has_turn or not (self.one_at_a_time or one.waits)]
        return at_work[0] if len(at_work) == 1 else None

    async def _take(self, call: UnderWay, timeout_s: float | None) -> None:
        try:
            async with asyncio.timeout(timeout_s):
                await self._turn.acquire()
        except TimeoutError as error:
            message = f"the server was busy with other calls for {timeout_s} seconds: nothing was sent"
            raise Rejected(message, kind=ErrorKind.TIMEOUT) from error
        call.has_turn = True

    def _give_if_ended(self, call: UnderWay) -> None:
        """It ended while it waited for its turn."""
        if call.has_ended:
            self._give(call)

    def _give(self, call: UnderWay) -> None:
        if call.has_turn:
            call.has_turn = False
            self._turn.release()
