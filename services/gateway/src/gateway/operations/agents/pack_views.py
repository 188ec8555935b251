"""An agent's packs, as people see them."""

from collections.abc import Collection, Mapping

from agent_contracts.api.packs import BroughtByPack, PackOfAgent, PackTool, SettingsOfPack
from agent_contracts.json_value import Json
from agent_contracts.packs import PackAbout
from agent_contracts.tool_spec import Catalogue
from agent_domain.packs.switched_off import switched_off

_SECRET = "secret:"
"""How a tool's need of a secret begins."""


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
