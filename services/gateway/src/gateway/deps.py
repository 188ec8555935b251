"""What the routes work with, made once by whoever starts the gateway."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Query, Request

from agent_contracts.ids import AgentId, CallId, SessionId, check_id
from agent_domain.secrets.vault import Vault
from agent_platform.blobs.port import Blobs
from agent_platform.log.port import Log
from agent_platform.observing.health import HealthChecks
from agent_platform.observing.metrics import Metrics
from agent_platform.observing.telemetry import Tracing
from agent_platform.process.clock import Clock
from gateway.door.auth import Access
from gateway.door.serving import Serving
from gateway.live.feed import Feed
from gateway.live.stream import Streams
from gateway.operations.agents.agents import Agents
from gateway.operations.agents.edits import Edits
from gateway.operations.questions import Questions
from gateway.operations.runners import Runners
from gateway.operations.sessions.answers import Answers
from gateway.operations.sessions.directory import Directory
from gateway.operations.sessions.inputs import Inputs
from gateway.queries.database import Database


@dataclass(frozen=True)
class Deps:
    """Everything a route may use."""

    settings: Serving
    access: Access
    log: Log
    clock: Clock
    database: Database
    questions: Questions
    runners: Runners
    blobs: Blobs
    vault: Vault
    feed: Feed
    streams: Streams
    directory: Directory
    inputs: Inputs
    answers: Answers
    edits: Edits
    agents: Agents
    checks: HealthChecks
    metrics: Metrics
    tracing: Tracing


def make_deps(
    settings: Serving,
    access: Access,
    log: Log,
    clock: Clock,
    stores: tuple[Database, Questions, Runners, Blobs, Vault],
    observing: tuple[HealthChecks, Metrics, Tracing],
) -> Deps:
    """Everything that follows from the outside parts."""
    directory, inputs, edits = Directory(log), Inputs(log, clock), Edits(log, clock)
    database, questions, runners, blobs, vault = stores
    checks, metrics, tracing = observing
    return Deps(
        settings=settings,
        access=access,
        log=log,
        clock=clock,
        database=database,
        questions=questions,
        runners=runners,
        blobs=blobs,
        vault=vault,
        feed=Feed(log, settings.stream_limits),
        streams=Streams(),
        directory=directory,
        inputs=inputs,
        answers=Answers(log, directory, inputs),
        edits=edits,
        agents=Agents(edits, clock),
        checks=checks,
        metrics=metrics,
        tracing=tracing,
    )


async def _deps(request: Request) -> Deps:
    deps: Deps = request.app.state.deps
    return deps


async def _session_id(
    session_id: Annotated[str, Path(description="1 to 64 letters, digits, `_`, `-`")],
) -> str:
    return check_id(session_id, "session id")


async def _agent_id(agent_id: Annotated[str, Path(description="1 to 64 letters, digits, `_`, `-`")]) -> str:
    return check_id(agent_id, "agent id")


async def _call_id(call_id: Annotated[str, Path(description="1 to 64 letters, digits, `_`, `-`")]) -> str:
    return check_id(call_id, "call id")


async def _session_query(session_id: str | None = None) -> str | None:
    return None if session_id is None else check_id(session_id, "session_id")


async def _agent_query(agent_id: str | None = None) -> str | None:
    return None if agent_id is None else check_id(agent_id, "agent_id")


async def _parent_query(parent_id: str | None = None) -> str | None:
    return None if parent_id is None else check_id(parent_id, "parent_id")


async def _watch_query(
    watch: Annotated[
        list[str] | None,
        Query(max_length=8, description="sessions whose answers to stream as well, beside the events"),
    ] = None,
) -> frozenset[str]:
    return frozenset(check_id(one, "watch") for one in watch or ())


Using = Annotated[Deps, Depends(_deps)]
SessionPath = Annotated[SessionId, Depends(_session_id)]
AgentPath = Annotated[AgentId, Depends(_agent_id)]
CallPath = Annotated[CallId, Depends(_call_id)]
SessionFilter = Annotated[SessionId | None, Depends(_session_query)]
AgentFilter = Annotated[AgentId | None, Depends(_agent_query)]
Watched = Annotated[frozenset[str], Depends(_watch_query)]
ParentFilter = Annotated[SessionId | None, Depends(_parent_query)]

MAX_SEQUENCE = 2**63 - 1
MinSequence = Annotated[
    int | None,
    Query(ge=0, le=MAX_SEQUENCE, description="wait until the answer includes this event (at most 5 s)"),
]
AsOf = Annotated[
    int | None, Query(ge=1, le=MAX_SEQUENCE, description="as it was after this event; else as it is now")
]
Older = Annotated[int | None, Query(ge=1, le=MAX_SEQUENCE, description="only what came before this event")]
VersionPath = Annotated[int, Path(ge=1, le=MAX_SEQUENCE, description="the newest version of this number")]
