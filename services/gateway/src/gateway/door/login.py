"""Logging in: the token, once, for a cookie."""

from urllib.parse import parse_qs

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from gateway.deps import Deps, Using
from gateway.door import login_page
from gateway.door.auth import LOGIN_PATH, cookie_name

router = APIRouter(include_in_schema=False)

_YEAR_S = 365 * 24 * 3600


@router.get(LOGIN_PATH)
async def follow_link(deps: Using, request: Request, token: str | None = None) -> Response:
    """The link that `foldline up` prints; without a token, the page that asks for it."""
    if token is None:
        return login_page.response(wrong_token=False)
    return _answer(deps, request, token)


@router.post(LOGIN_PATH)
async def submit(deps: Using, request: Request) -> Response:
    """The page's form."""
    fields = parse_qs((await request.body()).decode("ascii", "replace"))
    return _answer(deps, request, fields.get("token", [""])[0].strip())


def _answer(deps: Deps, request: Request, token: str) -> Response:
    if not deps.access.accepts_token(token):
        return login_page.response(wrong_token=True)
    answer = RedirectResponse("/", status_code=303)
    answer.set_cookie(
        cookie_name(request.headers),
        deps.access.cookie_value(),
        max_age=_YEAR_S,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answer
