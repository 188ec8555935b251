"""The MCP host: connections with foreign servers of tools, and the calls of their tools."""

from agent_contracts import service_names
from agent_contracts.entities.entity import EntityKind
from agent_contracts.log.offered_results import ResultSource
from agent_contracts.log.subjects import (
    LEASES_BUCKET,
    LOG_STREAM,
    MCP_HOSTS,
    SECRETS_BUCKET,
    everyones_entities,
    query_subject,
    tool_call_requests,
)
from agent_contracts.questions.code_calls import CALL_MCP, STOP_MCP_CALL
from agent_contracts.questions.generation import GENERATE
from agent_contracts.questions.mcp_logins import MCP_LOGIN, OF_SERVERS
from agent_contracts.questions.mcp_states import MCP_WANTED, TEST_MCP_SERVER
from agent_contracts.tool_spec import RunsOn
from agent_platform.nats.rights import follows, reads_buckets
from agent_platform.nats.user import OFTEN
from agent_platform.services.declaration import FirstNeed, Need, ServiceDeclaration
from agent_tools.hosting.rights import calls_on, publishes_pack, worker_rights
from mcp_host.settings import McpHostSettings

MCP_CALLS = calls_on(RunsOn.MCP)
"""Requested calls of foreign tools, and of those that read what the servers have."""

PACK = "mcp"
"""The pack of the tools that run here."""

DECLARATION = ServiceDeclaration(
    name=service_names.MCP_HOST,
    entry="mcp_host.app:serve",
    settings=McpHostSettings,
    nats_user="mcp",
    rights=worker_rights(
        ResultSource.MCP,
        MCP_CALLS,
        publish=(
            publishes_pack(PACK),
            everyones_entities(EntityKind.MCP_TOOLS),
            everyones_entities(EntityKind.CALL),  # what apps call
            everyones_entities(EntityKind.FILE),  # what servers send
            everyones_entities(EntityKind.PATH),
            MCP_HOSTS,
            query_subject(GENERATE),  # what servers have models asked
            *follows(LOG_STREAM, f"KV_{SECRETS_BUCKET}"),
            *reads_buckets(LEASES_BUCKET, SECRETS_BUCKET),
            f"$KV.{LEASES_BUCKET}.mcp.*.*",
            f"$KV.{LEASES_BUCKET}.mcp-state.*.*",
            f"$KV.{LEASES_BUCKET}.mcp-refresh.*.*",
            f"$KV.{LEASES_BUCKET}.mcp-begun.*",
            f"$KV.{SECRETS_BUCKET}.*.{OF_SERVERS}.*",
        ),
        subscribe=(
            MCP_HOSTS,
            query_subject(CALL_MCP),
            query_subject(STOP_MCP_CALL),
            query_subject(TEST_MCP_SERVER),
            query_subject(MCP_LOGIN),
        ),
        answers=OFTEN,
    ),
    consumers=(MCP_CALLS,),
    environment=("PATH", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    executes_data="programs that MCP servers install in their folders",
    first_need=FirstNeed(
        (
            Need(tool_call_requests(RunsOn.MCP), LOG_STREAM, MCP_CALLS.name),
            Need(everyones_entities(EntityKind.MCP_SERVER), LOG_STREAM),
            Need(query_subject(MCP_WANTED)),
        ),
        announces="mcp_host.app:announce",
    ),
)
