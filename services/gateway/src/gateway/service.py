"""The gateway: the door, over HTTP."""

from agent_contracts import service_names
from agent_contracts.log.subjects import (
    ALL_FORGETTING,
    ALL_INPUTS,
    ALL_LIVE,
    ALL_LOOKING,
    ALL_MCP_ANSWERS,
    ALL_METRICS,
    ALL_QUERIES,
    BUDGETS_BUCKET,
    CATALOG_BUCKET,
    CHATS_BUCKET,
    DLQ_STREAM,
    HAND_OVERS,
    LEASES_BUCKET,
    LOG_STREAM,
    LOGINS_BUCKET,
    METRICS_ASKED,
    NOTIFICATIONS_BUCKET,
    PROGRAM_TOKENS_BUCKET,
    QUOTAS_BUCKET,
    SEALS_BUCKET,
    SECRETS_BUCKET,
    SITE_LOGINS_BUCKET,
    SNAPSHOTS_BUCKET,
    WAKE_CREDENTIALS_BUCKET,
    WAKE_STREAM,
    WORKED_ON,
    WORKERS_BUCKET,
    probe_subject,
)
from agent_platform.nats.rights import (
    STORES_BLOBS,
    Rights,
    buckets,
    follows,
    lists_consumers,
    reads,
    reads_buckets,
)
from agent_platform.services.declaration import ServiceDeclaration, StartOrder
from gateway.settings import GatewaySettings

DECLARATION = ServiceDeclaration(
    name=service_names.GATEWAY,
    entry="gateway.app:serve",
    settings=GatewaySettings,
    nats_user="gateway",
    rights=Rights(
        publish=(
            ALL_FORGETTING,
            ALL_INPUTS,
            "agt.*.*.*",  # edits by people
            ALL_QUERIES,
            *reads(LOG_STREAM),
            *follows(LOG_STREAM, f"KV_{SECRETS_BUCKET}"),
            *buckets(SECRETS_BUCKET, SITE_LOGINS_BUCKET),
            HAND_OVERS,
            *buckets(WAKE_CREDENTIALS_BUCKET, PROGRAM_TOKENS_BUCKET, CHATS_BUCKET),
            *reads(WAKE_STREAM),
            *buckets(LOGINS_BUCKET, QUOTAS_BUCKET),
            *reads_buckets(SNAPSHOTS_BUCKET),
            *buckets(NOTIFICATIONS_BUCKET),
            ALL_LOOKING,
            ALL_MCP_ANSWERS,
            METRICS_ASKED,
            *reads_buckets(BUDGETS_BUCKET, CATALOG_BUCKET, LEASES_BUCKET, SEALS_BUCKET, WORKERS_BUCKET),
            *reads(DLQ_STREAM),
            f"$JS.API.STREAM.MSG.DELETE.{DLQ_STREAM}",
            *lists_consumers(*WORKED_ON),
            *STORES_BLOBS,
            probe_subject(service_names.GATEWAY),
        ),
        subscribe=(ALL_LIVE, ALL_METRICS),
    ),
    environment=(
        "FORWARDED_ALLOW_IPS",  # uvicorn reads whom it believes about where requests come from
        "DOOR_*",  # what doors of other distributions are told
    ),
    health="port",
    start=StartOrder.LAST,
    single="there is one port to listen on",
)
