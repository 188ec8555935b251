"""A server whose tools bring apps (SEP-1865): one that shows what it was told, hostile ones, one that isn't
there; tools for apps alone, for models alone, and for both."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

MEDIA_TYPE = "text/html;profile=mcp-app"
_HTML = Path(__file__).parent / "apps_html"


def with_apps(
    listener: str = "http://127.0.0.1:9", pages: Mapping[str, str] = MappingProxyType({})
) -> MCPServer:
    """The server. Its hostile apps try to reach `listener`; it has the `pages`, by their names, in place of
    its own, as they are when they are read."""
    server = MCPServer("apps", version="1")

    def app(name: str, mime_type: str = MEDIA_TYPE) -> dict[str, object]:
        page = (_HTML / f"{name}.html").read_text().replace("LISTENER", listener)
        csp = {"connectDomains": [listener], "resourceDomains": [listener]}
        server.resource(f"ui://apps/{name}", name=name, mime_type=mime_type, meta={"ui": {"csp": csp}})(
            lambda: pages.get(name, page)
        )
        return {"ui": {"resourceUri": f"ui://apps/{name}"}}

    @server.tool(meta=app("talks"))
    def weather(city: str) -> dict[str, int]:
        """How warm it is."""
        return {"degrees": 4}

    for name in ("attacks", "floods", "leaves"):
        server.tool(name=name, meta=app(name))(lambda: "shown")

    @server.tool(meta=app("plain", "text/html"))
    def plain() -> str:
        """Has no app after all."""
        return "shown"

    @server.tool(meta={"ui": {"resourceUri": "ui://apps/nowhere"}})
    def lost() -> str:
        """Has an app that isn't there."""
        return "shown"

    @server.tool(meta={"ui": {"visibility": ["app"]}})
    def refresh() -> str:
        """For its app alone."""
        return "fresh"

    @server.tool(meta={"ui": {"visibility": ["model"]}})
    def inner() -> str:
        """For models alone."""
        return "inner"

    @server.tool()
    def keep(text: str) -> str:
        """For both."""
        return f"kept {text}"

    @server.tool()
    async def slow(text: str) -> str:
        """Takes its time."""
        await asyncio.sleep(600)
        return f"slowly kept {text}"

    @server.tool()
    def fails() -> str:
        """Never succeeds."""
        raise ToolError("out of order")

    @server.tool()
    def fill(kib: int) -> str:
        """Much."""
        return "x" * 1024 * kib

    return server
