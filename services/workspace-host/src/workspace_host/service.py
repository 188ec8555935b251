"""The workspace host: a folder for each session, and the commands that run in it."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.log.lease_keys import OWN_COMMANDS
from agent_contracts.log.offered import Worker, offers_by
from agent_contracts.log.subjects import (
    ALL_CANCELLATIONS,
    ALL_CLAIMS,
    ALL_ERASED,
    ALL_FORGETTING,
    ALL_RESULTS,
    CATALOG_BUCKET,
    LEASES_BUCKET,
    LOG_STREAM,
    QUOTAS_BUCKET,
    SNAPSHOTS_BUCKET,
    WORKSPACE_HOST_CONSUMER,
    everyones_entities,
    tool_call_requests,
)
from agent_contracts.tool_spec import RunsOn
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.nats.rights import STORES_BLOBS, Rights, buckets, reads, reads_buckets, works_on
from agent_platform.services.declaration import FirstNeed, Need, ServiceDeclaration
from workspace_host.settings import WorkspaceHostSettings

COMMANDS = ConsumerSpec(WORKSPACE_HOST_CONSUMER, (tool_call_requests(RunsOn.WORKSPACE),), costly=True)
"""Requested calls of tools that run commands."""

PACK = "workspace"
"""The pack of the tools that come with the host."""

DECLARATION = ServiceDeclaration(
    name="workspace-host",
    entry="workspace_host.app:serve",
    settings=WorkspaceHostSettings,
    nats_user="workspace",
    rights=Rights(
        publish=(
            ALL_FORGETTING,
            ALL_CLAIMS,
            ALL_RESULTS,
            offers_by(Worker.WORKSPACE),
            everyones_entities(EntityKind.FILE),
            everyones_entities(EntityKind.PATH),
            *reads(LOG_STREAM),
            *works_on(WORKSPACE_HOST_CONSUMER),
            *buckets(QUOTAS_BUCKET),
            *reads_buckets(SNAPSHOTS_BUCKET),
            *reads_buckets(CATALOG_BUCKET, LEASES_BUCKET),
            f"$KV.{LEASES_BUCKET}.{OWN_COMMANDS}.>",
            f"$KV.{CATALOG_BUCKET}.{PACK}",
            *STORES_BLOBS,
        ),
        subscribe=(ALL_CANCELLATIONS, ALL_ERASED),
    ),
    consumers=(COMMANDS,),
    executes_data="what commands build and install in their workspaces",
    single="a command in the background belongs to the process that started it",
    first_need=FirstNeed(
        (
            Need(tool_call_requests(RunsOn.WORKSPACE), LOG_STREAM, WORKSPACE_HOST_CONSUMER),
            Need(f"$KV.{LEASES_BUCKET}.{OWN_COMMANDS}.>", f"KV_{LEASES_BUCKET}"),
        ),
        announces="workspace_host.app:announce",
    ),
)
