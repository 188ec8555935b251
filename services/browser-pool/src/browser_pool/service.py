"""The browser pool: contexts of one Chromium, each lent to one session, and the tools that drive them."""

from agent_contracts import service_names
from agent_contracts.event_sources import BROWSER_POOL
from agent_contracts.kinds.registry import written_by
from agent_contracts.log.offered_results import ResultSource
from agent_contracts.log.subjects import (
    BROWSER_POOLS,
    HAND_OVERS,
    LEASES_BUCKET,
    LOG_STREAM,
    SITE_LOGINS_BUCKET,
    everyones_entities,
    query_subject,
    tool_call_requests,
)
from agent_contracts.questions.code_calls import BROWSER_WANTED, CALL_BROWSER, STOP_BROWSER_CALL
from agent_contracts.tool_spec import RunsOn
from agent_platform.nats.rights import buckets, reads_buckets
from agent_platform.nats.user import OFTEN
from agent_platform.services.declaration import FirstNeed, Need, ServiceDeclaration
from agent_tools.hosting.rights import calls_on, publishes_pack, worker_rights
from browser_pool.settings import BrowserPoolSettings

BROWSER_CALLS = calls_on(RunsOn.BROWSER)
"""Requested calls of a browser's tools."""

PACK = "browser"
"""The pack of the tools that run here."""

DECLARATION = ServiceDeclaration(
    name=service_names.BROWSER_POOL,
    entry="browser_pool.app:serve",
    settings=BrowserPoolSettings,
    nats_user="browser",
    rights=worker_rights(
        ResultSource.BROWSER,
        BROWSER_CALLS,
        publish=(
            publishes_pack(PACK),
            *map(everyones_entities, written_by(BROWSER_POOL)),  # screenshots and downloads
            BROWSER_POOLS,
            *buckets(SITE_LOGINS_BUCKET),
            *reads_buckets(LEASES_BUCKET),
            f"$KV.{LEASES_BUCKET}.browser.*",
        ),
        subscribe=(
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
            Need(tool_call_requests(RunsOn.BROWSER), LOG_STREAM, BROWSER_CALLS.name),
            Need(query_subject(BROWSER_WANTED)),
        ),
        announces="browser_pool.app:announce",
    ),
)
