"""The tool runner: runs the tools that a session asks for."""

from agent_contracts.log.offered import Worker, offers_by
from agent_contracts.log.subjects import (
    ALL_CANCELLATIONS,
    ALL_CLAIMS,
    ALL_ENTITIES,
    ALL_ERASED,
    ALL_FORGETTING,
    ALL_PROGRESS,
    ALL_RESULTS,
    CATALOG_BUCKET,
    DATABASE_SNAPSHOTS,
    LOG_STREAM,
    QUOTAS_BUCKET,
    SECRETS_BUCKET,
    SNAPSHOTS_BUCKET,
    TOOL_RUNNER_CONSUMER,
    query_subject,
    tool_call_requests,
)
from agent_contracts.questions.code_calls import (
    BROWSER_WANTED,
    CALL_BROWSER,
    CALL_MCP,
    STOP_BROWSER_CALL,
    STOP_MCP_CALL,
)
from agent_contracts.questions.embedding import EMBED
from agent_contracts.questions.function_calls import CALL_FUNCTION
from agent_contracts.questions.generation import GENERATE
from agent_contracts.questions.history_search import SEARCH_HISTORY
from agent_contracts.questions.mcp_states import MCP_WANTED
from agent_contracts.questions.user_questions import (
    CHECK_DEFINITION,
    FETCH_PICTURE,
    READ_DATABASE,
    TRY_DELEGATE,
)
from agent_contracts.tool_spec import RunsOn
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.nats.rights import STORES_BLOBS, Rights, buckets, follows, reads, reads_buckets, works_on
from agent_platform.nats.user import OFTEN
from agent_platform.services.declaration import ServiceDeclaration
from tool_runner.settings import RunnerSettings

TOOL_CALLS = ConsumerSpec(TOOL_RUNNER_CONSUMER, (tool_call_requests(RunsOn.TOOLS),), costly=True)
"""Requested tool calls."""

DECLARATION = ServiceDeclaration(
    name="runner",
    entry="tool_runner.app:serve",
    settings=RunnerSettings,
    nats_user="runner",
    rights=Rights(
        publish=(
            ALL_FORGETTING,
            ALL_CLAIMS,
            ALL_RESULTS,
            offers_by(Worker.TOOL),
            ALL_ENTITIES,
            ALL_PROGRESS,
            query_subject(CALL_BROWSER),
            query_subject(BROWSER_WANTED),
            query_subject(STOP_BROWSER_CALL),
            query_subject(CALL_MCP),
            query_subject(MCP_WANTED),
            query_subject(STOP_MCP_CALL),
            query_subject(GENERATE),
            query_subject(EMBED),
            query_subject(SEARCH_HISTORY),
            *reads(LOG_STREAM),
            *works_on(TOOL_RUNNER_CONSUMER),
            *buckets(CATALOG_BUCKET, QUOTAS_BUCKET),
            *reads_buckets(SECRETS_BUCKET, SNAPSHOTS_BUCKET),
            *follows(f"KV_{SECRETS_BUCKET}"),
            f"$KV.{SNAPSHOTS_BUCKET}.{DATABASE_SNAPSHOTS}.*",  # not those of sessions
            *STORES_BLOBS,
        ),
        subscribe=(
            ALL_CANCELLATIONS,
            ALL_ERASED,
            *map(
                query_subject, (CALL_FUNCTION, CHECK_DEFINITION, READ_DATABASE, FETCH_PICTURE, TRY_DELEGATE)
            ),
        ),
        answers=OFTEN,
    ),
    consumers=(TOOL_CALLS,),
    runs_packs=True,
    executes_data="the sandbox as machine code, which its workers share",
)
