"""How a context is opened: in Chromium, started if need be, with the logins that are kept for its agent."""

from collections.abc import Callable
from typing import cast

import msgspec
import structlog
from playwright.async_api import ProxySettings, StorageState, ViewportSize

from agent_contracts.errors import ErrorKind, Failure, Rejected
from agent_contracts.ids import AgentId
from agent_domain.site_logins.site_logins import SiteLogins
from browser_pool.contexts.chromium_host import ChromiumHost
from browser_pool.contexts.session_context import SessionContext
from browser_pool.metrics import PoolMetrics

VIEWPORT = ViewportSize(width=1280, height=800)

log = structlog.get_logger()


class ContextOpener:
    """Makes contexts, and knows nothing of those that are open."""

    def __init__(self, host: ChromiumHost, logins: SiteLogins, metrics: PoolMetrics) -> None:
        self._host = host
        self._logins = logins
        self._metrics = metrics

    async def opened(self, agent: AgentId, flooded: Callable[[SessionContext], None]) -> SessionContext:
        """A new one, with a page; `flooded` is called when its pages open windows without end. Raises what
        starting Chromium does, and Playwright's errors."""
        starts = self._host.starts
        try:
            running = await self._host.running()
        except Rejected as refused:
            raise Rejected(refused.message, kind=ErrorKind.NOT_AVAILABLE) from refused
        self._metrics.chromium_started.inc(self._host.starts - starts)
        kept, unreadable = await self._kept(agent)
        lent = running.lend_proxies()
        try:
            opened = await running.browser.new_context(
                storage_state=kept,
                viewport=VIEWPORT,
                accept_downloads=False,  # `ContextDownloads` takes them
                service_workers="block",
                reduced_motion="reduce",
                proxy=ProxySettings(server=f"http://127.0.0.1:{lent.port}", bypass="<-loopback>"),
            )
        except BaseException:
            await running.take_back(lent)
            raise
        context = SessionContext(opened, running, lent, lambda: flooded(context))
        try:
            await context.start()
        except BaseException:
            await context.close()
            raise
        if unreadable is not None:
            context.note(f"the logins that were kept for this agent could not be used: {unreadable}")
        return context

    async def _kept(self, agent: AgentId) -> tuple[StorageState | None, str | None]:
        """The agent's kept logins, and why they can't be had. A browser without them is better than none."""
        try:
            kept = await self._logins.of(agent)
        except Failure as failure:
            log.warning("site_logins.not_used", agent_id=agent, reason=failure.message)
            return None, failure.message
        if kept.is_empty:
            return None, None
        return cast(StorageState, msgspec.to_builtins(kept, builtin_types=())), None
