"""Which tools of a foreign server are offered, under which name, in whose words. Pure."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from agent_contracts.argument_names import for_models
from agent_contracts.entities.mcp_servers import McpServer
from agent_contracts.entities.mcp_tools import FAMILY, McpTool, McpTools
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec

LONGEST_TOOL_NAME = 64
_DIGITS = 6
_UNFIT = re.compile(r"[^A-Za-z0-9_-]")
_EMPTY = frozenset((0x034F, 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0))
_AROUND_S = 15.0
"""Seconds that a call may take besides the server's own: to start it, and to store what it sent."""
SAMPLING_S = 300.0
"""Seconds besides in which models answer what a server had them asked, where a person allowed it."""

Standing = Literal["offered", "new", "changed", "renamed", "flawed"]
"""Why a tool is offered, or isn't: `new` and `changed` ones wait for a person; of a server that seems to have
renamed one, or itself, all do."""


class OfferedTool(msgspec.Struct, frozen=True):
    """A tool as models are offered it, and whose it is."""

    spec: ToolSpec
    server: str
    tool: McpTool


def offered_name(server: str, tool: str) -> str:
    """`<server>__<tool>`. Where that is too long, or holds what no name may, it ends with a hash, so that no
    two tools have one name."""
    plain = f"{server}__{_UNFIT.sub('_', tool)}"
    if plain == f"{server}__{tool}" and len(plain) <= LONGEST_TOOL_NAME:
        return plain
    digest = hashlib.sha256(tool.encode()).hexdigest()[:_DIGITS]
    return f"{plain[: LONGEST_TOOL_NAME - _DIGITS - 1]}_{digest}"


def server_in(name: str) -> str | None:
    """The server whose tool has this name; None where the tool is not a foreign one."""
    server, found, _ = name.partition("__")
    return server if found and server else None


def standings(server: McpServer, tools: McpTools) -> Mapping[str, Standing]:
    """How each tool stands, by its own name."""
    found: dict[str, Standing] = {}
    for tool in tools.tools:
        accepted = server.accepted.get(tool.name)
        if tool.flaw:
            found[tool.name] = "flawed"
        elif accepted is None:
            found[tool.name] = "new"
        else:
            found[tool.name] = "offered" if accepted.hash == tool.hash else "changed"
    if is_renamed(server, tools):
        return {name: "renamed" if one == "offered" else one for name, one in found.items()}
    return found


def is_renamed(server: McpServer, tools: McpTools) -> bool:
    """Whether the server calls itself something else than when it was accepted, or one tool is gone and
    another is there in its place. One that can't be used takes nobody's place, and of a list that isn't
    complete nobody knows what is gone."""
    if not server.accepted:
        return False
    if server.known_as != tools.server:
        return True
    listed = {tool.name for tool in tools.tools}
    usable = {tool.name for tool in tools.tools if not tool.flaw}
    gone = not tools.incomplete and not tools.left_out and bool(server.accepted.keys() - listed)
    return gone and bool(usable - server.accepted.keys())


def has_changed(server: McpServer, tools: McpTools) -> bool:
    """Whether a person has something to look at."""
    return any(one in ("new", "changed", "renamed") for one in standings(server, tools).values())


def offered(name: str, server: McpServer, tools: McpTools, *, to_apps: bool = False) -> Iterator[OfferedTool]:
    """The tools that models (or the server's own apps) are offered of the server `name`, in the order of
    their names."""
    if not server.enabled:
        return
    standing = standings(server, tools)
    for tool in sorted(tools.tools, key=lambda one: one.name):
        hidden = tool.for_models_only if to_apps else tool.for_apps_only
        if standing[tool.name] == "offered" and not hidden:
            read_only = server.accepted[tool.name].read_only
            yield OfferedTool(_spec(name, server, tool, read_only=read_only), name, tool)


def escaped(text: str) -> str:
    """The text with all that can't be seen, or looks like something else, spelled out: `\\\\u200b`."""
    return "".join(_shown(char) for char in text)


def _shown(char: str) -> str:
    if char in "\n\t" or (char.isprintable() and not _looks_empty(ord(char))):
        return char
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _looks_empty(code: int) -> bool:
    """Fillers, selectors and joiners that Unicode calls printable."""
    return code in _EMPTY or 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF


def _spec(name: str, server: McpServer, tool: McpTool, *, read_only: bool) -> ToolSpec:
    said = tool.description or tool.title or tool.name
    return ToolSpec(
        name=offered_name(name, tool.name),
        description=f"(In the words of the MCP server {name}, not the user's:) {said}",
        parameters={"properties": {}, **for_models(tool.parameters)},
        family=f"{FAMILY}{name}",
        effect=Effect.PURE if read_only else Effect.EXTERNAL,
        runs_on=RunsOn.MCP,
        timeout_s=server.timeout_s + _AROUND_S + (SAMPLING_S if server.sampling else 0),
        source="mcp",
    )
