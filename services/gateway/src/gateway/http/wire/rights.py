"""What a program with a token of its own may do: which right opens which route is declared here alone."""

import re
from collections.abc import Callable, Coroutine
from functools import cached_property
from typing import Annotated, Any, NoReturn

import msgspec
from fastapi import Depends
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from agent_contracts.api.problems import Kind
from agent_contracts.api.program_tokens import ProgramRight
from agent_contracts.ids import AgentId, SessionId, check_id
from agent_domain.sessions.directory import SessionDirectory
from gateway.http.wire.problems import ProblemError

_V1 = "/api/v1"
_OF_AN_AGENT = (
    *(
        "usage",
        "space",
        "events",
        "changes",
        "moment",
        "rewinds",
        "prompt",
        "notes",
        "state",
        "database",
        "files",
    ),
    *("tools", "functions", "libraries", "components", "skills", "playbooks", "packs", "delegates", "policy"),
    *("pinned-tools", "exposed-tools", "reminders", "schedules"),
)
_LISTS = "approvals|questions|attention|costs|spending|commands|egress|events"
RULES: tuple[tuple[ProgramRight | None, str, str], ...] = (
    (None, "GET", r"/sessions/\{session_id\}/calls/\{call_id\}/browser"),
    (ProgramRight.READ, "GET", rf"/(sessions|{_LISTS})(/.*)?"),
    (ProgramRight.READ, "GET", rf"/agents(/\{{agent_id\}}(/({'|'.join(_OF_AN_AGENT)})(/.*)?)?)?"),
    (ProgramRight.READ, "GET", r"/files/\{file_id\}/content"),
    (ProgramRight.SAY, "POST", r"/sessions(/\{session_id\}(/messages|:interrupt|:retry))?"),
    (ProgramRight.SAY, "POST", r"/files"),
    (ProgramRight.APPROVE, "POST", r"/(approvals|questions)/\{waiting_id\}"),
    (ProgramRight.FORK, "POST", r"/sessions/\{session_id\}:fork"),
)
"""Method and path of a route below `/api/v1`, and what opens it; the first that fits counts. None, and what
stands here nowhere: the person's own token alone."""
BESIDE = frozenset({"/api/openapi.json", "/api/asyncapi.json"})
"""What every program may read: how to ask."""


class Program(msgspec.Struct, frozen=True):
    """Whose token it is: what it may do, and with which agent alone; None: with any."""

    name: str
    agent_id: AgentId | None
    rights: tuple[ProgramRight, ...]


def is_open_to_programs(path: str) -> bool:
    """Whether there is anything for programs at a path: its route looks at their rights."""
    return path.startswith(f"{_V1}/") or path in BESIDE


def right_of(method: str, path: str) -> ProgramRight | None:
    """What opens a route, by its path as it is declared. None: the person's own token alone."""
    below = path.removeprefix(_V1)
    fits = (right for right, of, pattern in RULES if of == method and re.fullmatch(pattern, below))
    return next(fits, None) if below != path else None


class ProgramRoute(APIRoute):
    """A route that programs pass with the right for it."""

    @cached_property
    def right(self) -> ProgramRight | None:
        """What opens it."""
        return right_of(next(iter(self.methods or ()), ""), self.path)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers: first for who asks, then for all else."""
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            program = program_of(request)
            if program is not None:
                _check_right(program, self.right)
                if program.agent_id is not None:
                    await _check_agent(request, program, program.agent_id)
            return await handle(request)

        return answer


def program_of(request: Request) -> Program | None:
    """The program that asks; None: a person, with a token that opens everything."""
    found: Program | None = request.scope.get("state", {}).get("program")
    return found


def name_of(program: Program | None) -> str | None:
    """Under which name what it says is recorded; None: a person says it."""
    return None if program is None else program.name


async def _program(request: Request) -> Program | None:
    return program_of(request)


AskingProgram = Annotated[Program | None, Depends(_program)]


def refused(program: Program, why: str, **more: str) -> NoReturn:
    """Raise the problem for what a program may not do."""
    raise ProblemError(Kind.NOT_PERMITTED, f"The token of {program.name} {why}", extra=more)


def _check_right(program: Program, right: ProgramRight | None) -> None:
    if right is None:
        refused(program, "doesn't open this: only a person may do it, with their own token")
    if right not in program.rights:
        may = ", ".join(program.rights)
        refused(program, f"lacks the right `{right}`; it has {may}", right=right)


async def _check_agent(request: Request, program: Program, agent_id: AgentId) -> None:
    """What the request names must be the agent's. One that says it in its body is looked at there."""
    path, query = request.path_params, request.query_params
    agents = [*filter(None, [path.get("agent_id")]), *query.getlist("agent_id")]
    waiting = path.get("waiting_id", "").partition(".")[0]
    sessions = [*filter(None, [path.get("session_id"), waiting])]
    sessions += [*query.getlist("session_id"), *query.getlist("watch")]
    directory = request.app.state.deps.operations.directory
    for session in dict.fromkeys(sessions):
        found = await directory.find(SessionId(check_id(session, "session id")))
        agents.append(found.agent_id)
    if any(one != agent_id for one in agents):
        refused(program, f"is for the agent {agent_id} alone")
    if not agents and request.method == "GET":
        refused(program, f"is for the agent {agent_id} alone: name it with agent_id={agent_id}, if this can")


async def check_chat(
    program: Program | None, session_id: SessionId | None, directory: SessionDirectory
) -> None:
    """A problem where a program sends files elsewhere than to a chat of its agent: those last longer."""
    if program is None:
        return
    if session_id is None:
        refused(program, "sends files to a chat alone: name it with session_id, and leave the scope out")
    found = await directory.find(session_id)
    if program.agent_id not in (None, found.agent_id):
        refused(program, f"is for the agent {program.agent_id} alone")


def agent_for(program: Program | None, agent_id: str | None) -> AgentId | None:
    """The agent that a body means: that of the program, where it is for one alone."""
    if program is None or program.agent_id is None:
        return None if agent_id is None else AgentId(agent_id)
    if agent_id not in (None, program.agent_id):
        refused(program, f"is for the agent {program.agent_id} alone")
    return program.agent_id
