"""For tests of a browser's tools: one log in memory, and a pool with a real Chromium."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from pydantic import SecretStr

from agent_contracts.ids import SessionId
from agent_contracts.log.lease_keys import browser_lease_key
from agent_contracts.log.subjects import LEASES_BUCKET, SITE_LOGINS_BUCKET
from agent_domain.secrets.key import SecretsKey, new_key
from agent_domain.secrets.settings import SecretsSettings
from agent_domain.site_logins.site_logins import SiteLogins
from agent_platform.log.bucket import Bucket
from agent_platform.observing.metrics import Metrics
from agent_platform.process.clock import Clock, SystemClock
from agent_platform.services.leases.leases import Leases
from agent_tools.providers import Provider
from agent_tools.registry import Registry
from browser_pool.chromium import flags
from browser_pool.chromium.on_demand import Start
from browser_pool.chromium.running import RunningChromium, running_chromium
from browser_pool.chromium.settings import ChromiumSettings
from browser_pool.contexts.contexts import BrowserContexts
from browser_pool.limits import HAND_OVER_S
from browser_pool.metrics import PoolMetrics
from browser_pool.pool_tools import discover
from browser_pool.ports import browser_ports
from browser_pool.service import DECLARATION
from browser_pool.takeover.takeovers import Takeovers
from egress.dialing import CheckedDialing
from egress.rules import EgressRules
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_tools.host_world import HostWorld
from foldline_testing.egress.web import FixedNames

NAMES = FixedNames({name: ["127.0.0.1"] for name in ("a.test", "b.test", "secret.test")})
"""Names of this machine; pages may be had of the first two."""


def local_chromium() -> AbstractAsyncContextManager[RunningChromium]:
    """A Chromium as the service has it, to which this machine's site is `a.test` and `b.test`."""
    rules = EgressRules(private_hosts=frozenset({"a.test", "b.test"}))
    return running_chromium(ChromiumSettings(), CheckedDialing(rules, NAMES))


@dataclass
class BrowserWorld(HostWorld):
    """A pool's tools and contexts, without NATS."""

    registry: Registry = field(default_factory=lambda: discover(()))
    source: str = DECLARATION.source
    start: Start = local_chromium
    most: int = 20

    def __post_init__(self) -> None:
        self.metrics = PoolMetrics(Metrics())
        self.leases = Leases(Bucket(MemoryLog(), LEASES_BUCKET), "b_test", browser_lease_key)
        self.kept_logins = Bucket(MemoryLog(), SITE_LOGINS_BUCKET)
        self.logins = site_logins(self.kept_logins, self.clock)
        self.hand_overs = Takeovers(_nobody_asks, self.logins, self.clock, HAND_OVER_S)
        self.contexts = BrowserContexts(self.start, self.leases, self.logins, self.metrics, most=self.most)

    def providers(self) -> tuple[Provider, ...]:
        """See `CallWorld`."""
        return *super().providers(), *browser_ports(self.contexts, self.hand_overs, self.entities)


def site_logins(kept: Bucket | None = None, clock: Clock | None = None) -> SiteLogins:
    """Under a key of their own; in memory, if in no bucket."""
    key = SecretsKey(SecretsSettings(secrets_key=SecretStr(new_key())))
    return SiteLogins(kept or Bucket(MemoryLog(), SITE_LOGINS_BUCKET), key, clock or SystemClock())


async def _nobody_asks(session: SessionId, answer: Callable[[bytes], Awaitable[bytes]]) -> None:
    """Tests ask a hand-over itself."""
    await asyncio.Event().wait()


@asynccontextmanager
async def browser_world(**more: Any) -> AsyncIterator[BrowserWorld]:
    """A world whose Chromium is ended with it."""
    world = BrowserWorld(**more)
    try:
        yield world
    finally:
        await world.hand_overs.stop()
        await world.contexts.chromium.stop()


@asynccontextmanager
async def trusting_world() -> AsyncIterator[BrowserWorld]:
    """A world whose Chromium trusts whatever certificate there is."""
    with patch.object(flags, "_FLAGS", (*flags._FLAGS, "--ignore-certificate-errors")):
        async with browser_world() as world:
            yield world
