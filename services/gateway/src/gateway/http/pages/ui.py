"""The web UI: the files that Vite built, and the shell for every address that is a page of it."""

import asyncio
from pathlib import Path

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.routing import Match, Mount, Router
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.http.pages import page_frame
from gateway.http.wire.public_path import root_from

_A_YEAR = "public, max-age=31536000, immutable"

FOR_PROGRAMS = frozenset(
    {"api", "v1", "mcp", "ag-ui", "a2a", "acp", ".well-known", "docs", "redoc", "openapi.json"}
)
"""What an address begins with that programs ask for, at our doors or at those that others have: they get a
problem, since a page with status 200 would look like success."""
_READING = frozenset({"GET", "HEAD"})

_NOT_BUILT = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Foldline: the web UI is not built</title></head>
<body>
<main>
<h1>The web UI is not built</h1>
<p>The gateway works, but has no pages to show. In the checkout, run</p>
<pre>make up</pre>
<p>which builds it (by hand: <code>cd services/ui &amp;&amp; npm ci &amp;&amp; npm run build</code>), then
reload this page. A UI built elsewhere is named by <code>FOLDLINE_UI_DIR</code>.</p>
<p>The API is described at <a href="{root}api/openapi.json">/api/openapi.json</a>.</p>
</main>
</body>
</html>
"""


class BuiltUi(StaticFiles):
    """Built files; a path without a file extension is a page of the UI, and gets the shell."""

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, html=True)
        self._folder = folder

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, the shell, or a 404."""
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404 or "." in path.rsplit("/", 1)[-1]:
                raise
            response = await super().get_response("index.html", scope)
        if scope["path"].startswith("/assets/"):
            response.headers["Cache-Control"] = _A_YEAR
        if path in page_frame.DOCUMENTS:
            response.headers.update(await asyncio.to_thread(page_frame.headers, self._folder / path))
        return response


def ui(folder: Path | None) -> ASGIApp:
    """The UI in a folder; if it was not built, a page that says so."""
    return BuiltUi(folder) if folder and (folder / "index.html").is_file() else _say_how


async def _say_how(scope: Scope, receive: Receive, send: Send) -> None:
    """A page that says what to do, for browsers; 404 for everything else."""
    if scope["method"] not in _READING or "text/html" not in Headers(scope=scope).get("accept", ""):
        raise HTTPException(404)
    page = _NOT_BUILT.format(root=root_from(scope))
    await HTMLResponse(page, status_code=404)(scope, receive, send)


class UnclaimedPaths:
    """What no route answers: pages for people, and problems where programs ask."""

    def __init__(self, routes: Router, pages: ASGIApp) -> None:
        self._routes = routes
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The UI's file or shell; a 404 below a path of programs, a 405 for another method of a known one."""
        first = scope["path"].split("/", 2)[1].lower()
        if first not in FOR_PROGRAMS and scope["method"] in _READING:
            await self._pages(scope, receive, send)
            return
        known = (route for route in self._routes.routes if not isinstance(route, Mount))
        others = [route for route in known if route.matches(scope)[0] is Match.PARTIAL]
        if not others:
            raise HTTPException(404)
        methods = {method for route in others for method in getattr(route, "methods", None) or ()}
        raise HTTPException(405, headers={"Allow": ", ".join(sorted(methods))})
