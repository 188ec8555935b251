"""The workspace host: a folder for each session, and the commands that run in it."""

from agent_contracts import service_names
from agent_contracts.event_sources import WORKSPACE_HOST
from agent_contracts.kinds.registry import written_by
from agent_contracts.log.lease_keys import OWN_COMMANDS
from agent_contracts.log.offered_results import ResultSource
from agent_contracts.log.subjects import (
    LEASES_BUCKET,
    LOG_STREAM,
    everyones_entities,
    tool_call_requests,
)
from agent_contracts.tool_spec import RunsOn
from agent_platform.nats.rights import reads_buckets
from agent_platform.services.declaration import FirstNeed, Need, ServiceDeclaration
from agent_tools.hosting.rights import calls_on, publishes_pack, worker_rights
from workspace_host.settings import WorkspaceHostSettings

COMMANDS = calls_on(RunsOn.WORKSPACE)
"""Requested calls of tools that run commands."""

PACK = "workspace"
"""The pack of the tools that come with the host."""

DECLARATION = ServiceDeclaration(
    name=service_names.WORKSPACE_HOST,
    entry="workspace_host.app:serve",
    settings=WorkspaceHostSettings,
    nats_user="workspace",
    rights=worker_rights(
        ResultSource.WORKSPACE,
        COMMANDS,
        publish=(
            publishes_pack(PACK),
            *map(everyones_entities, written_by(WORKSPACE_HOST)),
            *reads_buckets(LEASES_BUCKET),
            f"$KV.{LEASES_BUCKET}.{OWN_COMMANDS}.>",
        ),
    ),
    consumers=(COMMANDS,),
    executes_data="what commands build and install in their workspaces",
    single="a command in the background belongs to the process that started it",
    first_need=FirstNeed(
        (
            Need(tool_call_requests(RunsOn.WORKSPACE), LOG_STREAM, COMMANDS.name),
            Need(f"$KV.{LEASES_BUCKET}.{OWN_COMMANDS}.>", f"KV_{LEASES_BUCKET}"),
        ),
        announces="workspace_host.app:announce",
    ),
)
