"""The browser pool: contexts of one Chromium, each lent to one session, and the tools that drive them."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.log.offered import Worker, offers_by
from agent_contracts.log.subjects import (
    ALL_CANCELLATIONS,
    ALL_CLAIMS,
    ALL_ERASED,
    ALL_FORGETTING,
    ALL_RESULTS,
    BROWSER_POOL_CONSUMER,
    BROWSER_POOLS,
    CATALOG_BUCKET,
    HAND_OVERS,
    LEASES_BUCKET,
    LOG_STREAM,
    QUOTAS_BUCKET,
    SITE_LOGINS_BUCKET,
    SNAPSHOTS_BUCKET,
    everyones_entities,
    query_subject,
    tool_call_requests,
)
from agent_contracts.questions.code_calls import BROWSER_WANTED, CALL_BROWSER, STOP_BROWSER_CALL
from agent_contracts.tool_spec import RunsOn
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.nats.rights import STORES_BLOBS, Rights, buckets, reads, reads_buckets, works_on
from agent_platform.nats.user import OFTEN
from agent_platform.services.declaration import FirstNeed, Need, ServiceDeclaration
from browser_pool.settings import BrowserPoolSettings

BROWSER_CALLS = ConsumerSpec(BROWSER_POOL_CONSUMER, (tool_call_requests(RunsOn.BROWSER),), costly=True)
"""Requested calls of a browser's tools."""

PACK = "browser"
"""The pack of the tools that run here."""

DECLARATION = ServiceDeclaration(
    name="browser-pool",
    entry="browser_pool.app:serve",
    settings=BrowserPoolSettings,
    nats_user="browser",
    rights=Rights(
        publish=(
            ALL_FORGETTING,
            ALL_CLAIMS,
            ALL_RESULTS,
            offers_by(Worker.BROWSER),
            everyones_entities(EntityKind.FILE),  # screenshots and downloads
            everyones_entities(EntityKind.PATH),
            BROWSER_POOLS,
            *reads(LOG_STREAM),
            *works_on(BROWSER_POOL_CONSUMER),
            *buckets(QUOTAS_BUCKET, SITE_LOGINS_BUCKET),
            *reads_buckets(SNAPSHOTS_BUCKET),
            *reads_buckets(CATALOG_BUCKET, LEASES_BUCKET),
            f"$KV.{CATALOG_BUCKET}.{PACK}",
            f"$KV.{LEASES_BUCKET}.browser.*",
            *STORES_BLOBS,
        ),
        subscribe=(
            ALL_CANCELLATIONS,
            ALL_ERASED,
            BROWSER_POOLS,
            HAND_OVERS,
            query_subject(CALL_BROWSER),
            query_subject(STOP_BROWSER_CALL),
        ),
        answers=OFTEN,
    ),
    consumers=(BROWSER_CALLS,),
    runs_packs=True,
    first_need=FirstNeed(
        (
            Need(tool_call_requests(RunsOn.BROWSER), LOG_STREAM, BROWSER_POOL_CONSUMER),
            Need(query_subject(BROWSER_WANTED)),
        ),
        announces="browser_pool.app:announce",
    ),
)
