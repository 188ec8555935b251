"""Where a person comes back to from an authorization server.

No token is asked for: a page of another site sent them, so their browser shows no cookie. The state that they
bring is what only who began can have, and counts once.
"""

from html import escape

from fastapi import APIRouter, Request, Response
from starlette.responses import HTMLResponse, JSONResponse

from agent_contracts.api.problems import Kind
from agent_contracts.errors import Failure, Transient
from gateway.deps import Deps
from gateway.door import told_page
from gateway.door.auth import Entrance, address_of
from gateway.http.wire.problems import ProblemError, from_failure
from gateway.http.wire.problems import response as problem
from gateway.operations.agents.mcp_logins import CALLBACK_PATH, CLIENT_PATH

router = APIRouter(include_in_schema=False)


@router.get(CALLBACK_PATH)
async def come_back(
    request: Request, state: str = "", code: str = "", error: str = "", iss: str | None = None
) -> Response:
    """Finish the login; a page that says how it went."""
    deps: Deps = request.app.state.deps
    entrance: Entrance = request.app.state.entrance
    address = address_of(request.scope)
    try:
        server = await deps.operations.mcp_logins.finish(state, code, error, iss)
    except Failure as failure:
        found = from_failure(failure)
        if found.kind is Kind.NOT_FOUND:
            try:
                entrance.judged(address, state, right=False)
            except ProblemError as too_often:
                found = too_often
        if isinstance(failure, Transient):
            found.detail += ". Reload this page to try again"
        return _told("You are not logged in", found.detail, problem(found).status_code)
    except ProblemError as found:
        return _told("You are not logged in", found.detail, problem(found).status_code)
    return _told("You are logged in", f"The agent can use {server} now. You can close this page.", 200)


@router.get(CLIENT_PATH)
async def client(request: Request) -> Response:
    """Who we are, for authorization servers (Client ID Metadata Documents)."""
    deps: Deps = request.app.state.deps
    document = deps.operations.mcp_logins.client()
    if document is None:
        return problem(ProblemError(Kind.NOT_FOUND, "FOLDLINE_PUBLIC_URL names no https address"))
    return JSONResponse(document)


def _told(title: str, words: str, status: int) -> HTMLResponse:
    return told_page.response(escape(title), f"<p>{escape(words)}</p>", status)
