"""The tool runner: runs the tools that a session asks for."""

from agent_contracts import service_names
from agent_contracts.log.offered_results import ResultSource
from agent_contracts.log.subjects import (
    ALL_ENTITIES,
    ALL_PROGRESS,
    CATALOG_BUCKET,
    DATABASE_SNAPSHOTS,
    SECRETS_BUCKET,
    SNAPSHOTS_BUCKET,
    query_subject,
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
from agent_platform.nats.rights import buckets, follows, reads_buckets
from agent_platform.nats.user import OFTEN
from agent_platform.services.declaration import ServiceDeclaration
from agent_tools.hosting.rights import calls_on, worker_rights
from tool_runner.settings import RunnerSettings

TOOL_CALLS = calls_on(RunsOn.TOOLS)
"""Requested tool calls."""

DECLARATION = ServiceDeclaration(
    name=service_names.RUNNER,
    entry="tool_runner.app:serve",
    settings=RunnerSettings,
    nats_user="runner",
    rights=worker_rights(
        ResultSource.TOOL,
        TOOL_CALLS,
        publish=(
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
            *buckets(CATALOG_BUCKET),
            *reads_buckets(SECRETS_BUCKET),
            *follows(f"KV_{SECRETS_BUCKET}"),
            f"$KV.{SNAPSHOTS_BUCKET}.{DATABASE_SNAPSHOTS}.*",  # not those of sessions
        ),
        subscribe=tuple(
            map(query_subject, (CALL_FUNCTION, CHECK_DEFINITION, READ_DATABASE, FETCH_PICTURE, TRY_DELEGATE))
        ),
        answers=OFTEN,
    ),
    consumers=(TOOL_CALLS,),
    runs_packs=True,
    executes_data="the sandbox as machine code, which its workers share",
)
