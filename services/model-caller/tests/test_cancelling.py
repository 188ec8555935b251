"""Being told to stop, at any moment and by however many."""

import asyncio

import pytest

from agent_contracts.ids import CallId
from foldline_testing.model_caller.calling import SESSION
from model_caller.calls.cancelling import Cancellations, StopSignal, WorkStopped


async def test_who_is_told_to_stop_twice_stops_and_so_do_the_others_of_the_session() -> None:
    cancellations, closing, may_close = Cancellations(), asyncio.Event(), asyncio.Event()

    async def work(stop: StopSignal) -> None:
        async with stop.within(None):
            try:
                await asyncio.Event().wait()
            finally:
                closing.set()
                await may_close.wait()

    with (
        cancellations.watched(SESSION, CallId("m1")) as first,
        cancellations.watched(SESSION, CallId("m2")) as second,
    ):
        working = asyncio.create_task(work(first))
        await asyncio.sleep(0)
        cancellations.cancel(SESSION, CallId("m1"))
        await asyncio.wait_for(closing.wait(), 60)
        cancellations.cancel(SESSION)
        assert second.is_told
        may_close.set()
        with pytest.raises(WorkStopped):
            await asyncio.wait_for(working, 60)
