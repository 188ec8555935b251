"""The browser pool: contexts of one Chromium, each lent to one session, and the tools that drive them."""

from agent_contracts.entities import EntityKind
from agent_contracts.offered import Worker, offers_by
from agent_contracts.subjects import (
    ALL_CANCELLATIONS,
    ALL_CLAIMS,
    ALL_ERASED,
    ALL_RESULTS,
    BROWSER_POOL_CONSUMER,
    BROWSER_POOLS,
    CATALOG_BUCKET,
    LEASES_BUCKET,
    LOG_STREAM,
    QUOTAS_BUCKET,
    everyones_entities,
)
from agent_platform.nats.rights import STORES_BLOBS, Rights, buckets, reads, reads_buckets, works_on
from agent_platform.nats.user import OFTEN
from agent_platform.services.declaration import ServiceDeclaration
from browser_pool.consumers import BROWSER_CALLS
from browser_pool.settings import BrowserPoolSettings

PACK = "browser"
"""The pack of the tools that run here."""

DECLARATION = ServiceDeclaration(
    name="browser-pool",
    entry="browser_pool.app:serve",
    settings=BrowserPoolSettings,
    nats_user="browser",
    rights=Rights(
        publish=(
            ALL_CLAIMS,
            ALL_RESULTS,
            offers_by(Worker.BROWSER),
            everyones_entities(EntityKind.FILE),  # screenshots and downloads
            everyones_entities(EntityKind.PATH),
            BROWSER_POOLS,
            *reads(LOG_STREAM),
            *works_on(BROWSER_POOL_CONSUMER),
            *buckets(QUOTAS_BUCKET),
            *reads_buckets(CATALOG_BUCKET, LEASES_BUCKET),
            f"$KV.{CATALOG_BUCKET}.{PACK}",
            f"$KV.{LEASES_BUCKET}.browser.*",
            *STORES_BLOBS,
        ),
        subscribe=(ALL_CANCELLATIONS, ALL_ERASED, BROWSER_POOLS),
        answers=OFTEN,
    ),
    consumers=(BROWSER_CALLS,),
)
