"""Names in paths that hold any text, a `/` (as `%2F`) included."""

from urllib.parse import quote, unquote, unquote_to_bytes

from starlette.types import ASGIApp, Receive, Scope, Send

from agent_contracts.api.problems import Kind
from gateway.http.wire.problems import ProblemError

_PREFIX = b"/api/v1/agents/"


class EncodedPaths:
    """ASGI middleware: an encoded `/` below `/api/v1/agents/` doesn't part the path.

    Servers decode a path before it is routed, so that `a%2Fb` would be two segments. Here it stays one, still
    encoded; `segment` gives what it says.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with the path that routes are looked up by."""
        raw: bytes = scope.get("raw_path") or b""
        if scope["type"] == "http" and raw.startswith(_PREFIX) and b"%2f" in raw.lower():
            parts = (unquote(part.decode("ascii")) for part in raw.split(b"/"))
            scope = {**scope, "path": "/".join(part.replace("/", "%2F") for part in parts)}
        await self._app(scope, receive, send)


def segment(scope: Scope, index: int) -> str:
    """What the path's segment says, exactly, without the verb that the route ends with; a `bad_text` problem
    if it is no UTF-8. A name may end like a verb: only the last one is taken off."""
    raw: bytes = scope.get("raw_path") or quote(scope["path"]).encode()
    verb = scope["route"].path.rpartition("}")[2]
    try:
        said = unquote_to_bytes(raw.split(b"/")[index]).decode()
        return said.removesuffix(verb) if verb.startswith(":") else said
    except UnicodeDecodeError as error:
        raise ProblemError(Kind.BAD_TEXT, "The path is not UTF-8") from error
