"""An agent's packs, as people see them."""

from collections.abc import Collection, Mapping
from typing import Any

from agent_contracts.json_value import Json
from agent_contracts.packs import PackAbout
from agent_contracts.tool_spec import Catalogue
from agent_domain.packs.switched_off import switched_off
from gateway.operations.agents.written import Written
from gateway.queries.view import View

_SECRET = "secret:"
"""How a tool's need of a secret begins."""


class PackTool(View):
    """A tool of a pack: its id, and the `name` by which models call it. `alias_of`: the core tool whose work
    it does. `description` is the beginning of what models read. `switched_off_by`: the setting of the pack by
    which models don't have it."""

    tool: str
    name: str
    family: str
    description: str
    alias_of: str | None
    switched_off_by: str | None


class SettingsOfPack(View):
    """What may be set of a pack for this agent: `values` are those that somebody set, `fields` is how a form
    asks for all of them, with their defaults, and `json_schema` is what they must fit together."""

    json_schema: dict[str, Any]
    fields: list[dict[str, Any]]
    values: dict[str, Any]


class BroughtByPack(View):
    """Something that an agent has with a pack."""

    kind: str
    name: str


class PackOfAgent(View):
    """A pack, `enabled` or not. One that isn't `installed` any more, or has a `problem`, adds nothing. Tools
    that need one of the `missing_secrets` aren't offered to models until the agent has it."""

    name: str
    title: str
    purpose: str
    version: str
    enabled: bool
    installed: bool
    problem: str | None
    missing_secrets: list[str]
    tools: list[PackTool]
    brings: list[BroughtByPack]
    settings: SettingsOfPack | None


class RenamedTool(View):
    """A tool that isn't a pack's and whose name a pack's tool has: what models call it instead."""

    tool: str
    name: str


class PacksOfAgent(Written):
    """The enabled packs in their order, of which an earlier one wins where names are the same, then the
    others by name. `renamed` are core tools and the agent's own that have another name for it."""

    packs: list[PackOfAgent]
    renamed: list[RenamedTool]


def pack_view(
    name: str,
    catalogue: Catalogue | None,
    called: Mapping[str, str] | None,
    secrets: Collection[str],
    values: Mapping[str, Json],
) -> PackOfAgent:
    """One of them; `called` says what models call its tools, by their ids (None: it isn't enabled), `secrets`
    which the agent has, `values` what people set of it."""
    about = (catalogue.about if catalogue is not None else None) or PackAbout(name, "")
    tools = catalogue.tools if catalogue is not None else []
    off = switched_off(catalogue, values) if catalogue is not None else {}
    needs = {
        need.removeprefix(_SECRET)
        for tool in tools
        for need in tool.needs
        if need.startswith(_SECRET) and tool.tool not in off
    }
    return PackOfAgent(
        name=name,
        title=about.title,
        purpose=about.purpose,
        version=catalogue.version if catalogue is not None else "",
        enabled=called is not None,
        installed=catalogue is not None,
        problem=about.problem or None,
        missing_secrets=sorted(needs.difference(secrets)),
        tools=[
            PackTool(
                tool=tool.tool,
                name=(called or {}).get(tool.tool, tool.name),
                family=tool.family,
                description=tool.description.partition("\n\n")[0],
                alias_of=tool.alias_of.name if tool.alias_of else None,
                switched_off_by=off.get(tool.tool),
            )
            for tool in tools
        ],
        brings=[BroughtByPack(kind=one.kind, name=_shown(one.name, one.value)) for one in about.brings],
        settings=None
        if about.settings is None
        else SettingsOfPack(
            json_schema=about.settings.schema, fields=[*about.settings.fields], values={**values}
        ),
    )


def _shown(name: str, value: object) -> str:
    """What people call it: a scheduled task's id says nothing to them."""
    said = value.get("name") if isinstance(value, dict) else None
    return said if isinstance(said, str) else name
