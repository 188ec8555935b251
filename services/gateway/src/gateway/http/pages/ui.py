"""The web UI: the files that Vite built, and the shell for every address that is a page of it."""

import asyncio
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from gateway.http.pages import page_frame

_A_YEAR = "public, max-age=31536000, immutable"

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
<p>The API is described at <a href="/api/openapi.json">/api/openapi.json</a>.</p>
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
            if (
                error.status_code != 404
                or "." in path.rsplit("/", 1)[-1]
                or path.startswith(("api/", "mcp/"))
            ):
                raise
            response = await super().get_response("index.html", scope)
        if scope["path"].startswith("/assets/"):
            response.headers["Cache-Control"] = _A_YEAR
        if path in page_frame.DOCUMENTS:
            response.headers.update(await asyncio.to_thread(page_frame.headers, self._folder / path))
        return response


def ui(folder: Path | None) -> StaticFiles | None:
    """The UI in a folder; None if it was not built."""
    return BuiltUi(folder) if folder and (folder / "index.html").is_file() else None


not_built = APIRouter(include_in_schema=False)


@not_built.get("/{path:path}")
async def say_how(request: Request, path: str) -> Response:
    """A page that says what to do, for browsers; 404 for everything else."""
    if path.startswith("api/") or "text/html" not in Headers(scope=request.scope).get("accept", ""):
        raise HTTPException(404)
    return HTMLResponse(_NOT_BUILT, status_code=404)
