"""Many sessions, each of which is sent a message that isn't an event, at a random point."""

import asyncio
import json
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import msgspec

from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import DLQ_STREAM, LOG_STREAM, SKIPPED, dead_letter_subject
from agent_platform.services.consuming.dead_letter import DeadLetterRecord
from foldline_testing.product.chaos.log_view import LogView, log_view
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack
from foldline_testing.session_domain.misfits import OF_AGENTS, OF_SESSIONS
from projector.administration import check_projections

_AGENT = AgentId("default")
_AT_ONCE = 16
_PATIENCE_S = 120.0
_LATEST_S = 0.4
_SCRIPT = {"rules": [{"reply": {"text": "Hello to you."}}]}


@dataclass
class Sent:
    """A session, which misfit it was sent, and that one's sequence in the log."""

    session_id: str
    kind: str
    sequence: int = 0


class MisfitCrowd:
    """`sessions` of them, through the gateway of a stack; the kinds go round, the moments are drawn."""

    def __init__(self, stack: Stack, view: LogView, sessions: int, seed: int) -> None:
        self._view = view
        self._draw = random.Random(seed)
        self._few = asyncio.Semaphore(_AT_ONCE)
        headers = {"Authorization": f"Bearer {stack.token}"}
        self._client = httpx.AsyncClient(base_url=f"{stack.url}/api/v1", headers=headers, timeout=_PATIENCE_S)
        kinds = list(OF_SESSIONS)
        self.kinds = [kinds[number % len(kinds)] for number in range(sessions)]
        self.sent: list[Sent] = []
        self.broken: list[str] = []

    async def begin(self) -> None:
        """Each is told one turn, and sent its misfit: before, in the middle of, or after it."""
        self.sent += await asyncio.gather(*map(self._begun, self.kinds))

    async def spoil_agent(self) -> None:
        """Everything of the agent's that can be malformed is."""
        for make in OF_AGENTS.values():
            await self._view.log.append(make(SessionKey(_AGENT, SessionId("s"))))

    async def go_on(self) -> None:
        """Each is told one more turn, which must be answered; what is broken afterwards is in `broken`."""
        await asyncio.gather(*map(self._gone_on, self.sent))

    async def check_whole(self) -> None:
        """Of everything: the tables equal a rebuild, and each misfit has one dead letter."""
        report = await check_projections(self._view.postgres_dsn, self._view.log)
        for table in report.compared or ():
            if table.differing:
                self.broken.append(f"{table.differing} rows of {table.table} differ: {table.shown[:1]}")
        letters = self._view.stream(DLQ_STREAM)
        told = Counter(
            [
                msgspec.json.decode(one.data, type=DeadLetterRecord).sequence
                async for one in letters.read(dead_letter_subject(LOG_STREAM, SKIPPED))
            ]
        )
        for one in self.sent:
            if told[one.sequence] != 1:
                self.broken.append(f"{one.kind}: {told[one.sequence]} dead letters")

    async def close(self) -> None:
        """Nothing more is asked."""
        await self._client.aclose()

    async def _begun(self, kind: str) -> Sent:
        async with self._few:
            session = await self._asked("POST", "/sessions", {"message": "hello", "title": kind})
            one = Sent(session["id"], kind)
            await asyncio.sleep(self._draw.uniform(0, _LATEST_S))  # sleeps: work
            key = SessionKey(_AGENT, SessionId(one.session_id))
            one.sequence = await self._view.log.append(OF_SESSIONS[kind](key))
            return one

    async def _gone_on(self, one: Sent) -> None:
        async with self._few:
            try:
                await self._answered(one, 1)
                await self._asked("POST", f"/sessions/{one.session_id}/messages", {"text": "and now?"})
                await self._answered(one, 2)
                await self._checked(one)
            except (httpx.HTTPError, AssertionError, TimeoutError) as error:
                self.broken.append(f"{one.kind} ({one.session_id}): {error!r}")

    async def _answered(self, one: Sent, turns: int) -> None:
        async with asyncio.timeout(_PATIENCE_S):
            while True:
                page = await self._asked("GET", f"/sessions/{one.session_id}/messages")
                said = [message for message in page["items"] if message["role"] == "assistant"]
                found = await self._asked("GET", f"/sessions/{one.session_id}")
                if len(said) >= turns and found["status"] == "idle":
                    return
                await asyncio.sleep(0.2)

    async def _checked(self, one: Sent) -> None:
        replayed = await self._asked("POST", f"/sessions/{one.session_id}:replay", {"mode": "strict"})
        if replayed.get("difference"):
            self.broken.append(f"{one.kind}: verify differs: {replayed['difference']}")
        timeline = await self._asked("GET", f"/sessions/{one.session_id}/timeline", limit=500)
        lines = [row for row in timeline["items"] if row["sequence"] == one.sequence]
        if [bool(line["problem"]) for line in lines] != [True]:
            self.broken.append(f"{one.kind}: the history doesn't show it: {lines}")
        exported = await self._client.get(f"/sessions/{one.session_id}/export")
        exported.raise_for_status()
        imported = await self._client.post(
            "/sessions:import",
            params={"ids": "new"},
            content=exported.content,
            headers={"Content-Type": "application/x-ndjson"},
        )
        if imported.status_code != 201:
            self.broken.append(f"{one.kind}: its export can't be imported: {imported.text[:300]}")
            return
        copied = imported.json()["id"]
        replayed = await self._asked("POST", f"/sessions/{copied}:replay", {"mode": "strict"})
        if replayed.get("difference"):
            self.broken.append(f"{one.kind}: the copy differs: {replayed['difference']}")

    async def _asked(self, method: str, path: str, body: Any = None, **params: Any) -> Any:
        answer = await self._client.request(method, path, json=body, params=params)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text[:300]}"
        return json.loads(answer.content)


async def tell_misfits(folder: Path, sessions: int, seed: int) -> list[str]:
    """So many sessions; what is broken afterwards.

    Half of the sessions get theirs before a restart: they are folded cold, from the log as it is then.
    """
    with ModelServer(_SCRIPT) as model, Stack(folder / "data", env=model.environment()) as stack:
        async with log_view(stack.data_dir) as view:
            earlier = MisfitCrowd(stack, view, sessions // 2, seed)
            await earlier.begin()
            await earlier.spoil_agent()
            await earlier.close()
        stack.stop()
        stack.start()
        async with log_view(stack.data_dir) as view:
            crowd = MisfitCrowd(stack, view, sessions, seed + 1)
            crowd.kinds = crowd.kinds[sessions // 2 :]
            await crowd.begin()
            crowd.sent += earlier.sent
            await crowd.go_on()
            await crowd.check_whole()
            await crowd.close()
            return crowd.broken
