"""Logging in: the token, once, for a cookie."""

from urllib.parse import parse_qs

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from agent_contracts.errors import Failure
from gateway.door import login_page, told_page
from gateway.door.auth import LOGIN_PATH, Entrance, address_of, cookie_name
from gateway.http.wire.problems import ProblemError, from_failure
from gateway.http.wire.public_path import prefix_of, root_from

router = APIRouter(include_in_schema=False)

BODY_LIMIT = 4096
"""Bytes of the form: it is read before anybody has shown a token."""
_YEAR_S = 365 * 24 * 3600


@router.get(LOGIN_PATH)
async def follow_link(request: Request, token: str | None = None) -> Response:
    """The link that `foldline up` prints; without a token, the page that asks for it."""
    if token is None:
        return login_page.response(root_from(request.scope), wrong_token=False)
    return await _answer(request, token)


@router.post(LOGIN_PATH)
async def submit(request: Request) -> Response:
    """The page's form."""
    fields = parse_qs((await request.body()).decode("ascii", "replace"))
    return await _answer(request, fields.get("token", [""])[0].strip())


async def _answer(request: Request, token: str) -> Response:
    entrance: Entrance = request.app.state.entrance
    address = address_of(request.scope)
    try:
        if not entrance.offer(address, token):
            return login_page.response(root_from(request.scope), wrong_token=True)
        secret = await entrance.logins.begin(address, request.headers.get("user-agent", ""))
    except ProblemError as problem:
        return told_page.of_problem(problem)
    except Failure as failure:
        return told_page.of_problem(from_failure(failure))
    answer = RedirectResponse(root_from(request.scope), status_code=303)
    answer.set_cookie(
        cookie_name(request.headers),
        secret,
        max_age=_YEAR_S,
        httponly=True,
        path=f"{prefix_of(request.scope)}/",
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answer
