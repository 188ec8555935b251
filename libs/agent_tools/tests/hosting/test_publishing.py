"""A worker that starts while nothing can be stored waits with its catalogue, and doesn't end."""

import pytest
from structlog.testing import capture_logs

from agent_contracts.errors import Transient
from agent_contracts.log.subjects import CATALOG_BUCKET
from agent_domain.catalog import Catalog
from agent_platform.log.bucket import Bucket
from agent_tools.hosting import host
from agent_tools.registry import Pack
from foldline_testing.agent_platform.memory_log import MemoryLog


class FullBucket(Bucket):
    """It has no room for the first writes."""

    refuses = 3

    async def put(
        self, key: str, value: bytes, *, expect: int | None = None, ttl_s: float | None = None
    ) -> int:
        if self.refuses:
            self.refuses -= 1
            raise Transient("no space left on device", kind="storage")
        return await super().put(key, value, expect=expect, ttl_s=ttl_s)


async def test_the_catalogue_is_published_once_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "_AGAIN_S", 0.0)
    catalog = Catalog(FullBucket(MemoryLog(), CATALOG_BUCKET))
    with capture_logs() as logs:
        await host.publish(catalog, [Pack("core", "1", ())])
    assert (await catalog.list()).keys() == {"core"}
    told = [one["event"] for one in logs]
    assert "catalogue.interrupted" in told
    assert told[-2:] == ["catalogue.resumed", "catalogue.published"]
