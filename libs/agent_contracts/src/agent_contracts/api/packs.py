"""Packs, as an agent has them."""

from typing import Annotated, Any

import msgspec

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import Current, RequestBody, ResponseBody


class PackTool(ResponseBody, frozen=True, kw_only=True):
    """A tool of a pack."""

    tool: str
    """Id of the tool."""
    name: str
    """The name by which models call it."""
    family: str
    """The group of tools that it is part of, such as `web`."""
    description: str
    """The beginning of what models read about it."""
    alias_of: str | None
    """Name of the core tool that does its work; null: it does its own."""
    switched_off_by: str | None
    """The setting of the pack because of which models don't have it; null: they have it."""


class SettingsOfPack(ResponseBody, frozen=True, kw_only=True):
    """What can be set of a pack for this agent."""

    json_schema: dict[str, Any]
    """JSON Schema that the settings must fit together."""
    fields: list[dict[str, Any]]
    """The inputs of a form for them, with their defaults."""
    values: dict[str, Any]
    """The values that somebody set, by name."""


class BroughtByPack(ResponseBody, frozen=True, kw_only=True):
    """Something that an agent has because of a pack."""

    kind: str
    """Kind of the thing, such as `skill`."""
    name: str
    """Its name, unique within its kind."""


class PackOfAgent(ResponseBody, frozen=True, kw_only=True):
    """A pack of tools, enabled for the agent or not."""

    name: str
    """Name of the pack."""
    title: str
    """What people call it."""
    purpose: str
    """What it is for, in a sentence."""
    version: str
    """Version of the pack."""
    enabled: bool
    """Whether it is enabled for the agent."""
    installed: bool
    """Whether it is installed. A pack that isn't adds nothing."""
    problem: str | None
    """Why it adds nothing; null: it does."""
    missing_secrets: list[str]
    """Names of secrets that the agent lacks. Tools that need one aren't offered to models."""
    tools: list[PackTool]
    """The tools that it brings."""
    brings: list[BroughtByPack]
    """What else the agent has because of it."""
    settings: SettingsOfPack | None
    """Its settings; null: it has none."""


class RenamedTool(ResponseBody, frozen=True, kw_only=True):
    """A tool outside of packs whose name a pack's tool has taken."""

    tool: str
    """Id of the tool."""
    name: str
    """What models call it instead."""


class ShownExtension(ResponseBody, frozen=True, kw_only=True):
    """Something else that another distribution adds to the whole installation."""

    kind: str
    """`channel`, `provider`, `service`, `condition`, `block` or `door`."""
    name: str
    """Name of the extension, unique within its kind."""
    distribution: str
    """What it was installed with, and the version of that."""
    problem: str | None
    """Why it can't be used; null: it can."""
    needs_restart: bool
    """Whether it was installed since Foldline was started: it is used from the next start on."""


class PacksOfAgent(VersionRecord, frozen=True, kw_only=True):
    """The packs of an agent."""

    packs: list[PackOfAgent]
    """The enabled packs in their order, then the others by name. If two have a tool of the same name, the
    earlier pack's is used."""
    renamed: list[RenamedTool]
    """Core tools and tools of the agent that have another name because of a pack."""
    extensions: list[ShownExtension]
    """What else is installed beside packs, for all agents."""


_PackName = Annotated[str, msgspec.Meta(max_length=200)]


class EnablePacks(RequestBody, frozen=True, kw_only=True):
    """The packs of an agent from now on."""

    packs: Annotated[list[_PackName], msgspec.Meta(max_length=1000)]
    """Names of all packs to enable, in their order."""
    settings: Annotated[dict[_PackName, dict[str, Any]], msgspec.Meta(max_length=100)] = msgspec.field(
        default_factory=dict
    )
    """By pack: all its settings. A pack that isn't named keeps its settings."""
    version: Current = None
