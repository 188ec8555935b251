"""The gateway: the door, over HTTP."""

from agent_contracts.subjects import (
    ALL_INPUTS,
    ALL_LIVE,
    ALL_QUERIES,
    CATALOG_BUCKET,
    LOG_STREAM,
    SEALS_BUCKET,
    SECRETS_BUCKET,
    probe_subject,
)
from agent_platform.nats.rights import STORES_BLOBS, Rights, buckets, follows, reads, reads_buckets
from agent_platform.process.declaration import ServiceDeclaration, Start
from gateway.settings import GatewaySettings

DECLARATION = ServiceDeclaration(
    name="gateway",
    entry="gateway.app:serve",
    settings=GatewaySettings,
    nats_user="gateway",
    rights=Rights(
        publish=(
            ALL_INPUTS,
            "agt.*.*.*",  # edits by people
            "agt.*.db",  # to take a database back; NATS can't tell that from a write
            ALL_QUERIES,
            *reads(LOG_STREAM),
            *follows(LOG_STREAM),
            *buckets(SECRETS_BUCKET),
            *reads_buckets(CATALOG_BUCKET, SEALS_BUCKET),
            *STORES_BLOBS,
            probe_subject("gateway"),
        ),
        subscribe=(ALL_LIVE,),
    ),
    health="port",
    start=Start.LAST,
    single="there is one port to listen on",
)
