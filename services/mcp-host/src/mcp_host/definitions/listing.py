"""What a server says of its tools, as it is kept. Pure."""

import itertools
from collections.abc import Mapping
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
from mcp_host.definitions.paging import McpListing
from mcp_host.definitions.schemas import Flaw, usable

_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_TOO_DEEP = "the schema of its arguments is nested too deep"
_SAME_NAME = "the server lists another tool of this name before it"
_PINNED = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")


def kept(listing: McpListing[Tool], server: str, pages: Mapping[str, AppPage]) -> McpTools:
    """The entity: by name, as many as there is room for; those that can be used come first, the others are
    named with their flaws. `pages` are those of apps, by their addresses."""
    by_name: dict[str, McpTool] = {}
    unfit = {one.at for one in listing.flawed}
    places = (place for place in itertools.count() if place not in unfit)
    found = [(at, _usable(tool, at, pages)) for at, tool in zip(places, listing.entries, strict=False)]
    found += [(one.at, _unusable(one.name, one.at, one.flaw)) for one in listing.flawed]
    left_out = size = 0
    for at, one in sorted(found, key=lambda each: (bool(each[1].flaw), each[0])):
        if (before := by_name.get(one.name)) is not None:
            if before == one:
                continue  # it was listed twice
            one = _unusable(one.name, at, one.flaw or _SAME_NAME, is_named=False)
        taken = len(msgspec.json.encode(one))
        if len(by_name) >= MOST_TOOLS or size + taken > LARGEST_TOOLS or one.name in by_name:
            left_out += 1
            continue
        size += taken
        by_name[one.name] = one
    tools = tuple(by_name[name] for name in sorted(by_name))
    incomplete = str(storable(listing.incomplete))[:LONGEST_FLAW]
    return McpTools(tools, str(storable(server))[:LONGEST_NAME], left_out, incomplete)


def app_of(tool: Tool) -> str:
    """The address of the app that shows the tool's results; empty where it has none."""
    return _ui(tool.meta)[0]


def _usable(tool: Tool, at: int, pages: Mapping[str, AppPage]) -> McpTool:
    """The tool; named as flawed, with its place in the list, where it can't be kept."""
    try:
        return told(tool, pages)
    except (Flaw, RecursionError, ValueError, TypeError, OverflowError) as error:
        why = str(error) if isinstance(error, Flaw) else f"its definition can't be stored ({error})"
        return _unusable(tool.name, at, why)


def _unusable(name: str, at: int, flaw: str, *, is_named: bool = True) -> McpTool:
    """An entry that can't be used: under its name, if it is one that can be kept and isn't another's, and
    with its place in the list, counted from 1, where it isn't."""
    clean, place = str(storable(name)), f"(entry {at + 1})"
    fits = is_named and clean == name and 0 < len(name) <= LONGEST_NAME
    shown = name if fits else f"{clean[: LONGEST_NAME - len(place) - 1]} {place}".strip()
    flaw = str(storable(flaw))[:LONGEST_FLAW]
    return McpTool(shown, definition_hash([shown, flaw]), flaw=flaw)


def told(tool: Tool, pages: Mapping[str, AppPage]) -> McpTool:
    """One tool. Raises Flaw for one whose name can't be kept."""
    said: dict[str, Any] = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
    name = str(storable(tool.name))
    if not name or name != tool.name:
        raise Flaw("it has no name" if not tool.name else "its name has characters that can't be stored")
    if len(name) > LONGEST_NAME:
        raise Flaw(f"its name has {len(name):,} characters, and at most {LONGEST_NAME} can be kept")
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
        flaw = (str(error) if isinstance(error, Flaw) else _TOO_DEEP)[:LONGEST_FLAW]
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
