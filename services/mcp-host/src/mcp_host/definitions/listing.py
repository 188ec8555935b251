"""What a server says of its tools, as it is kept. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from mcp_types import Tool

from agent_contracts.entities.mcp_servers import LONGEST_NAME, MOST_TOOLS
from agent_contracts.entities.mcp_tools import (
    LARGEST_TOOLS,
    LONGEST_APP,
    LONGEST_DESCRIPTION,
    LONGEST_FLAW,
    AppPage,
    McpTool,
    McpTools,
    definition_hash,
)
from agent_contracts.json_value import Json
from agent_platform.log.storable_text import storable
from mcp_host.definitions.schemas import Flaw, usable

_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_PINNED = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")


def kept(tools: Iterable[Tool], server: str, pages: Mapping[str, AppPage]) -> McpTools:
    """The entity: by name, as many as there is room for. Of two of one name, the first. `pages` are those of
    apps, by their addresses."""
    by_name: dict[str, McpTool] = {}
    left_out = size = 0
    for tool in tools:
        one = told(tool, pages)
        if one is None or one.name in by_name:
            left_out += 1
            continue
        taken = len(msgspec.json.encode(one))
        if len(by_name) >= MOST_TOOLS or size + taken > LARGEST_TOOLS:
            left_out += 1
            continue
        size += taken
        by_name[one.name] = one
    found = tuple(by_name[name] for name in sorted(by_name))
    return McpTools(found, str(storable(server))[:LONGEST_NAME], left_out)


def app_of(tool: Tool) -> str:
    """The address of the app that shows the tool's results; empty where it has none."""
    return _ui(tool.meta)[0]


def told(tool: Tool, pages: Mapping[str, AppPage]) -> McpTool | None:
    """One tool; None for one without a name that can be kept."""
    said: dict[str, Any] = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
    name = str(storable(tool.name))
    if not name or len(name) > LONGEST_NAME or name != tool.name:
        return None
    definition: dict[str, Json] = {member: said[member] for member in _PINNED if member in said}
    app, by_models, by_apps = _ui(said.get("_meta"))
    if app or not (by_models and by_apps):
        page = pages.get(app)
        definition["ui"] = [app, by_models, by_apps, *([] if page is None else [page.sha256])]
    annotations = said.get("annotations", {})
    flaw, parameters = "", {}
    try:
        parameters = usable(storable(tool.input_schema))
    except (Flaw, RecursionError) as error:
        flaw = (str(error) or "the schema of its arguments is nested too deep")[:LONGEST_FLAW]
    title = tool.title or annotations.get("title") or ""
    return McpTool(
        name=name,
        hash=definition_hash(definition),
        title=str(storable(title))[:LONGEST_NAME],
        description=str(storable(tool.description or ""))[:LONGEST_DESCRIPTION],
        parameters=parameters,
        hints={hint: annotations[hint] for hint in _HINTS if isinstance(annotations.get(hint), bool)},
        flaw=flaw,
        app=app,
        page=pages.get(app),
        for_apps_only=not by_models,
        for_models_only=not by_apps,
    )


def _ui(meta: Any) -> tuple[str, bool, bool]:
    """The address of the app that shows the tool's results, if it has one; whether models may call the tool,
    and whether apps may."""
    ui = meta.get("ui") if isinstance(meta, dict) else None
    if not isinstance(ui, dict):
        return "", True, True
    uri, visible = ui.get("resourceUri"), ui.get("visibility")
    if (
        not isinstance(uri, str)
        or not uri.startswith("ui://")
        or len(uri) > LONGEST_APP
        or not uri.isprintable()
    ):
        uri = ""
    if not isinstance(visible, list):
        return uri, True, True
    return uri, "model" in visible, "app" in visible
