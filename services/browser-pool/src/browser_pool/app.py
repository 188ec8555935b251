"""The browser pool as a service: what it holds, and which ports it gives to its tools."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial

from agent_contracts.log.lease_keys import browser_lease_key
from agent_contracts.log.offered_results import ResultSource
from agent_contracts.log.subjects import LEASES_BUCKET, SITE_LOGINS_BUCKET
from agent_contracts.questions.code_calls import CALL_BROWSER, STOP_BROWSER_CALL
from agent_domain.secrets.key import SecretsKey
from agent_domain.site_logins.site_logins import SiteLogins
from agent_platform.log.bucket import bucket
from agent_platform.services.leases.leases import Leases
from agent_platform.services.service import ServiceRuntime
from agent_tools.hosting.base import WorkerBase
from agent_tools.hosting.host import Host, HostedWork, WorkerNotice, announce_packs, query_of_code, run_host
from agent_tools.registry import Registry
from agent_tools.running.code_calls import CodeCalls
from browser_pool.chromium.running import RunningChromium, running_chromium
from browser_pool.contexts.contexts import BrowserContexts
from browser_pool.handlers import BrowserEndings, ContextWork
from browser_pool.metrics import PoolMetrics
from browser_pool.owners import BrowserOwners
from browser_pool.pool_tools import discover, own_pack
from browser_pool.ports import browser_ports
from browser_pool.routing import BrowserRouting
from browser_pool.service import DECLARATION
from browser_pool.settings import BrowserPoolSettings
from browser_pool.takeover.takeovers import Takeovers, over_nats
from egress.dialing import CheckedDialing, SystemResolver
from egress.rules import rules_from

POOL = "the browser pool"


async def serve(settings: BrowserPoolSettings) -> None:
    """Publish the tools and run what is asked for, until cancelled. Chromium starts with the first call."""
    await run_host(
        DECLARATION, settings, Host(ResultSource.BROWSER, "b", partial(_begin, settings, discover()))
    )


async def announce(settings: BrowserPoolSettings) -> None:
    """Publish the tools, and end: a call of one starts a pool."""
    await announce_packs(DECLARATION, settings, (own_pack(),))


@asynccontextmanager
async def _begin(
    settings: BrowserPoolSettings, registry: Registry, service: ServiceRuntime, base: WorkerBase
) -> AsyncIterator[HostedWork]:
    connection, metrics = service.connection, PoolMetrics(service.metrics)
    dialing = CheckedDialing(rules_from(settings), SystemResolver())
    leases = Leases(bucket(connection, LEASES_BUCKET), base.me, browser_lease_key)
    logins = SiteLogins(bucket(connection, SITE_LOGINS_BUCKET), SecretsKey(settings), base.clock)
    hand_overs = Takeovers(over_nats(connection), logins, base.clock, settings.browser_hand_over)
    idle_s, most = settings.browser_idle, settings.browser_contexts

    def chromium() -> AbstractAsyncContextManager[RunningChromium]:
        return running_chromium(settings, dialing, most)

    contexts = BrowserContexts(chromium, leases, logins, metrics, idle_s=idle_s, most=most)
    toolbox = base.toolbox(registry, *browser_ports(contexts, hand_overs, base.entities))
    calls, of_code = base.handlers(toolbox), CodeCalls(toolbox)
    work = ContextWork(calls.handle, of_code.run)
    routing = BrowserRouting(connection, leases, contexts, work, metrics, BrowserOwners(base.events))
    ending = BrowserEndings(of_code, contexts, hand_overs)
    try:
        yield HostedWork(
            calls,
            [own_pack()],
            handle=routing.handle,
            stopped=ending.stop,
            erased=ending.forget,
            queries=[query_of_code(CALL_BROWSER, routing.answer, POOL)],
            notices=[WorkerNotice(STOP_BROWSER_CALL, of_code.told_to_stop)],
            tasks=[contexts.run, routing.run],
        )
    finally:
        await hand_overs.stop()
