"""An inbox is bounded by how many wakes it holds and by their bytes, each alone."""

import pytest

from agent_contracts import event_sources, wakes
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.log.subjects import WAKES_BUCKET
from agent_contracts.wakes import Wake, WakeOutcome
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_platform.entities.entities import Entities
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog
from scheduler.settings import SchedulerSettings
from scheduler.wakes import deliveries
from scheduler.wakes.claims import Claims
from scheduler.wakes.deliveries import Deliveries


class Inbox:
    """That of the agent that is always there."""

    def __init__(self) -> None:
        self.log, self.clock = MemoryLog(), SystemClock()
        self.entities = Entities(self.log, self.clock, event_sources.SCHEDULER)
        settings = EffectiveSettings(self.entities, SchedulerSettings())
        claims = Claims(Bucket(MemoryLog(), WAKES_BUCKET))
        self.deliveries = Deliveries(self.log, self.clock, claims, settings)
        self.sent = 0

    async def gets(self, size: int = 10) -> WakeOutcome:
        self.sent += 1
        wake = Wake(f"w{self.sent}", "shop", "t", "x" * size, priority="later", agent_id=DEFAULT_AGENT)
        return await self.deliveries.deliver("shop", wake, None)

    async def count(self) -> int:
        return len(await self.entities.list(DEFAULT_AGENT, EntityKind.INBOX))


async def refused(inbox: Inbox, *told: str) -> None:
    kept = await inbox.count()
    with pytest.raises(Rejected) as full:
        await inbox.gets()
    assert full.value.kind == "inbox_full"
    assert all(one in full.value.message for one in told), full.value.message
    assert await inbox.count() == kept


async def test_so_many_and_not_one_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "INBOX_LIMIT", 3)
    inbox = Inbox()
    for _ in range(3):
        assert (await inbox.gets()).became == "kept"
    await refused(inbox, "with 3 wakes", "take or dismiss some first")


async def test_so_many_bytes_however_few_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "INBOX_BYTES", 5_000)
    inbox = Inbox()
    for _ in range(2):
        assert (await inbox.gets(2_500)).became == "kept"
    await refused(inbox, "with 2 wakes")


def test_a_full_one_is_refused_before_a_read_of_it_is_heavy() -> None:
    assert (wakes.INBOX_LIMIT, wakes.INBOX_BYTES) == (1_000, 16 * 1024 * 1024)
