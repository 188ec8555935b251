"""The HTTP interface: which routes there are, and what every failure looks like."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute

from agent_contracts.api.problems import Kind
from agent_contracts.asyncapi import asyncapi
from agent_contracts.errors import Failure
from gateway.http import lists
from gateway.http.agents import (
    agents,
    definitions,
    delegates,
    exposed_tools,
    function_calls,
    mcp_logins,
    mcp_prompts,
    mcp_servers,
    own_changes,
    packs,
    pinned_tools,
    policy,
    site_logins,
)
from gateway.http.agents import bisections as agent_bisections
from gateway.http.agents import database as agent_database
from gateway.http.agents import files as agent_files
from gateway.http.agents import moments as agent_moments
from gateway.http.agents import reminders as agent_reminders
from gateway.http.agents import rewinds as agent_rewinds
from gateway.http.agents import schedules as agent_schedules
from gateway.http.agents import state as agent_state
from gateway.http.agents import texts as agent_texts
from gateway.http.installation import (
    adaptations,
    approvals,
    attention,
    chats,
    costs,
    health,
    inbox,
    logins,
    notifications,
    operating,
    program_tokens,
    secrets,
    settings,
    wakes,
)
from gateway.http.openapi_document import document
from gateway.http.pages import files, pictures
from gateway.http.sessions import (
    calls,
    events,
    exports,
    history,
    inputs,
    messages,
    replay,
    rewind,
    sessions,
    state,
    takeovers,
    turns,
)
from gateway.http.wire.problems import ProblemError, from_failure, response

log = structlog.get_logger()

OPENAPI_PATH = "/api/openapi.json"
ASYNCAPI_PATH = "/api/asyncapi.json"
_MAX_ERRORS = 20


def api() -> FastAPI:
    """Every route but the web UI's. Needs `app.state.deps` to answer."""
    app = FastAPI(
        routes=list(_routes()),
        title="Foldline",
        version="1",
        openapi_url=OPENAPI_PATH,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.add_exception_handler(ProblemError, _problem)
    app.add_exception_handler(Failure, _failure)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_route(ASYNCAPI_PATH, _asyncapi, include_in_schema=False)
    app.openapi = lambda: document(app)  # type: ignore[method-assign]
    return app


@cache
def _routes() -> Sequence[BaseRoute]:
    """The routes, made once for all apps of a process: they know nothing of an app, and take a quarter of a
    second of a processor."""
    conversation = (sessions, messages, turns, inputs, events, history, calls, state, exports, rewind, replay)
    owned = (
        files,
        pictures,
        agent_files,
        agent_moments,
        agent_rewinds,
        agent_bisections,
        agent_state,
        agent_database,
        function_calls,
        packs,
        pinned_tools,
        delegates,
        policy,
        secrets,
        mcp_servers,
        mcp_logins,
        mcp_prompts,
        own_changes,
        program_tokens,
        exposed_tools,
    )
    browsers = (takeovers, site_logins)
    timed = (agent_reminders, agent_schedules)
    routers = [
        *(
            resource.router
            for resource in (
                *conversation,
                costs,
                settings,
                adaptations,
                operating,
                logins,
                notifications,
                agents,
                *owned,
                *timed,
                *browsers,
            )
        ),
        settings.of_agent,
        *(
            agent_texts.prompt,
            agent_texts.notes,
            wakes.router,
            inbox.router,
            attention.router,
            approvals.router,
            chats.router,
            lists.router,
        ),
        *(definitions.tools, definitions.functions, definitions.libraries, definitions.components),
        *(definitions.skills, definitions.playbooks, health.router),
    ]
    return [route for router in routers for route in router.routes]


async def _asyncapi(request: Request) -> Response:
    return Response(msgspec.json.encode(asyncapi()), media_type="application/json")


async def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return response(error)


async def _failure(request: Request, error: Exception) -> Response:
    assert isinstance(error, Failure)
    problem = from_failure(error)
    if problem.kind is Kind.INTERNAL:
        log.error("request.failed", path=request.url.path, failure=error.kind, reason=error.message)
    return response(problem)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = error.errors()[:_MAX_ERRORS]
    errors = [_one(detail) for detail in found]
    first = errors[0] if errors else {"where": "", "message": "not valid"}
    detail = f"{first['where'] or 'The request'}: {first['message']}"
    path = _pointer(found[0]["loc"]) if found else ""
    return response(ProblemError(Kind.INVALID_REQUEST, detail, extra={"path": path, "errors": errors}))


def _pointer(loc: Sequence[str | int]) -> str:
    """The place in the body, or in what else `loc` begins with: the query, the path, the headers."""
    steps = (str(step)[:100].replace("~", "~0").replace("/", "~1") for step in loc[1:])
    return "".join(f"/{step}" for step in steps)


def _one(detail: Mapping[str, Any]) -> dict[str, str]:
    """Where and what, without echoing the input."""
    where = "/".join(str(part)[:100] for part in detail["loc"])
    return {"where": where, "message": str(detail["msg"]).removeprefix("Value error, ")}


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    match error.status_code:
        case 404:
            kind, detail = Kind.NOT_FOUND, f"there is nothing at {request.url.path[:200]}"
        case 405:
            kind, detail = Kind.METHOD_NOT_ALLOWED, f"{request.method} is not possible here"
        case status if status < 500:
            kind, detail = Kind.INVALID_REQUEST, str(error.detail)
        case _:
            kind, detail = Kind.INTERNAL, str(error.detail)
    return response(ProblemError(kind, detail), error.headers)
