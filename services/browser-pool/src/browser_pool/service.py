"""The browser pool: contexts of one Chromium, each lent to one session, and the tools that drive them."""

from agent_contracts.subjects import LOG_STREAM
from agent_platform.nats.rights import Rights, reads
from agent_platform.services.declaration import ServiceDeclaration
from browser_pool.settings import BrowserPoolSettings

DECLARATION = ServiceDeclaration(
    name="browser-pool",
    entry="browser_pool.app:serve",
    settings=BrowserPoolSettings,
    nats_user="browser",
    rights=Rights(publish=reads(LOG_STREAM)),
)
