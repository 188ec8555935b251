"""Carry out a plan on a connection, watching for the client to go away."""

import asyncio
from collections.abc import Callable, Sequence

import structlog
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from demo_model import plan
from demo_model.recording import Outcome, ReceivedRequest, RequestRecording

log = structlog.get_logger(__name__)


class Player(Response):
    """A response that plays steps. Ends early when the client disconnects or the plan cuts the connection."""

    def __init__(
        self,
        steps: Sequence[plan.Step],
        received: ReceivedRequest,
        recording: RequestRecording,
        released: asyncio.Event,
        close: Callable[[Scope], None],
    ) -> None:
        super().__init__()
        self._steps = steps
        self._received = received
        self._recording = recording
        self._released = released
        self._close = close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Play; the connection is the client's again only if everything was sent."""
        outcome: Outcome = "aborted"
        gone = asyncio.create_task(_until_gone(receive))
        playing = asyncio.create_task(self._play(send))
        try:
            await asyncio.wait({gone, playing}, return_when=asyncio.FIRST_COMPLETED)
            if playing.done():
                outcome = playing.result()
            if outcome == "cut":
                self._close(scope)
                await gone
        finally:
            gone.cancel()
            playing.cancel()
            self._recording.end(self._received, outcome)
            log.debug("demo_model.answered", number=self._received.number, outcome=outcome)

    async def _play(self, send: Send) -> Outcome:
        refused = False
        for step in self._steps:
            match step:
                case plan.StartStep(status=status, headers=headers):
                    refused = status >= 400
                    self._received.status = status
                    named = headers | {"x-request-id": f"req_{self._received.number}"}
                    raw = [(name.encode(), value.encode()) for name, value in named.items()]
                    await send({"type": "http.response.start", "status": status, "headers": raw})
                case plan.SendStep(data=data):
                    await send({"type": "http.response.body", "body": data, "more_body": True})
                    self._received.chunks += 1
                    self._recording.changed()
                case plan.WaitStep(seconds=seconds):
                    await asyncio.sleep(seconds)
                case plan.HoldStep():
                    await self._hold()
                case plan.HangStep():
                    await asyncio.Event().wait()
                case plan.CutStep():
                    return "cut"
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        return "refused" if refused else "done"

    async def _hold(self) -> None:
        self._recording.held += 1
        self._recording.changed()
        try:
            await self._released.wait()
        finally:
            self._recording.held -= 1


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
