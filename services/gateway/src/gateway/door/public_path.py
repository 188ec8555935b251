"""The path below which a reverse proxy has put the gateway, and what it changes: paths, redirects, cookies.

A proxy that takes its path off may say so by `X-Forwarded-Prefix`; one that leaves it on needs the path in
`FOLDLINE_PUBLIC_URL`. What is answered to a browser holds without either, since it is relative.
"""

import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.http.wire.public_path import BELOW

_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]{1,64}){1,8}")


class PublicPathMiddleware:
    """ASGI middleware: takes the public path off requests, and puts it before addresses in `Location`."""

    def __init__(self, app: ASGIApp, public_path: str) -> None:
        self._app = app
        self._public = public_path.rstrip("/")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with its path as the routes know it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        prefix = _forwarded(Headers(scope=scope))
        if self._public and scope["path"] == self._public:
            await RedirectResponse(f"{self._public}/", status_code=308)(scope, receive, send)
            return
        if self._public and scope["path"].startswith(f"{self._public}/"):
            prefix = self._public
            scope = {**scope, "path": scope["path"].removeprefix(self._public)}
            if raw := scope.get("raw_path"):
                scope["raw_path"] = raw.removeprefix(self._public.encode())
        scope["state"] = {**scope.get("state", {}), BELOW: prefix}

        async def with_prefix(message: Message) -> None:
            if message["type"] == "http.response.start" and prefix:
                headers = MutableHeaders(scope=message)
                if headers.get("location", "").startswith("/"):
                    headers["location"] = prefix + headers["location"]
            await send(message)

        await self._app(scope, receive, with_prefix)


def _forwarded(headers: Headers) -> str:
    """The prefix that a proxy took off; empty where it says none, or no path."""
    given = headers.get("x-forwarded-prefix", "").strip().rstrip("/")
    return given if _PREFIX.fullmatch(given) and ".." not in given.split("/") else ""
