"""The MCP host: connections with foreign servers of tools, and the calls of their tools."""

from agent_contracts.entities.entity import EntityKind
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
    MCP_HOST_CONSUMER,
    MCP_HOSTS,
    QUOTAS_BUCKET,
    SECRETS_BUCKET,
    SNAPSHOTS_BUCKET,
    everyones_entities,
    query_subject,
    tool_call_requests,
)
from agent_contracts.questions.code_calls import CALL_MCP, STOP_MCP_CALL
from agent_contracts.questions.generation import GENERATE
from agent_contracts.questions.mcp_logins import MCP_LOGIN, OF_SERVERS
from agent_contracts.questions.mcp_states import MCP_WANTED, TEST_MCP_SERVER
from agent_contracts.tool_spec import RunsOn
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.nats.rights import (
    STORES_BLOBS,
    Rights,
    buckets,
    follows,
    reads,
    reads_buckets,
    works_on,
)
from agent_platform.nats.user import OFTEN
from agent_platform.services.declaration import FirstNeed, Need, ServiceDeclaration
from mcp_host.settings import McpHostSettings

MCP_CALLS = ConsumerSpec(MCP_HOST_CONSUMER, (tool_call_requests(RunsOn.MCP),), costly=True)
"""Requested calls of foreign tools, and of those that read what the servers have."""

PACK = "mcp"
"""The pack of the tools that run here."""

DECLARATION = ServiceDeclaration(
    name="mcp-host",
    entry="mcp_host.app:serve",
    settings=McpHostSettings,
    nats_user="mcp",
    rights=Rights(
        publish=(
            ALL_FORGETTING,
            ALL_CLAIMS,
            ALL_RESULTS,
            offers_by(Worker.MCP),
            everyones_entities(EntityKind.MCP_TOOLS),
            everyones_entities(EntityKind.CALL),  # what apps call
            everyones_entities(EntityKind.FILE),  # what servers send
            everyones_entities(EntityKind.PATH),
            MCP_HOSTS,
            query_subject(GENERATE),  # what servers have models asked
            *reads(LOG_STREAM),
            *follows(LOG_STREAM, f"KV_{SECRETS_BUCKET}"),
            *works_on(MCP_HOST_CONSUMER),
            *buckets(QUOTAS_BUCKET),
            *reads_buckets(SNAPSHOTS_BUCKET),
            *reads_buckets(CATALOG_BUCKET, LEASES_BUCKET, SECRETS_BUCKET),
            f"$KV.{CATALOG_BUCKET}.{PACK}",
            f"$KV.{LEASES_BUCKET}.mcp.*.*",
            f"$KV.{LEASES_BUCKET}.mcp-state.*.*",
            f"$KV.{LEASES_BUCKET}.mcp-refresh.*.*",
            f"$KV.{LEASES_BUCKET}.mcp-begun.*",
            f"$KV.{SECRETS_BUCKET}.*.{OF_SERVERS}.*",
            *STORES_BLOBS,
        ),
        subscribe=(
            ALL_CANCELLATIONS,
            ALL_ERASED,
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
            Need(tool_call_requests(RunsOn.MCP), LOG_STREAM, MCP_HOST_CONSUMER),
            Need(everyones_entities(EntityKind.MCP_SERVER), LOG_STREAM),
            Need(query_subject(MCP_WANTED)),
        ),
        announces="mcp_host.app:announce",
    ),
)
