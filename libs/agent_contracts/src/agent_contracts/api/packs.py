"""Packs, as an agent has them."""

from typing import Annotated, Any

import msgspec

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import Current, RequestBody, ResponseBody


class PackTool(ResponseBody, frozen=True, kw_only=True):
    """A tool of a pack: its id, and the `name` by which models call it. `alias_of`: the core tool whose work
    it does. `description` is the beginning of what models read. `switched_off_by`: the setting of the pack by
    which models don't have it."""

    tool: str
    name: str
    family: str
    description: str
    alias_of: str | None
    switched_off_by: str | None


class SettingsOfPack(ResponseBody, frozen=True, kw_only=True):
    """What may be set of a pack for this agent: `values` are those that somebody set, `fields` is how a form
    asks for all of them, with their defaults, and `json_schema` is what they must fit together."""

    json_schema: dict[str, Any]
    fields: list[dict[str, Any]]
    values: dict[str, Any]


class BroughtByPack(ResponseBody, frozen=True, kw_only=True):
    """Something that an agent has with a pack."""

    kind: str
    name: str


class PackOfAgent(ResponseBody, frozen=True, kw_only=True):
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


class RenamedTool(ResponseBody, frozen=True, kw_only=True):
    """A tool that isn't a pack's and whose name a pack's tool has: what models call it instead."""

    tool: str
    name: str


class ShownExtension(ResponseBody, frozen=True, kw_only=True):
    """Something else that another distribution adds to the whole installation."""

    kind: str
    """`channel`, `provider`, `service`, `condition`, `block` or `door`."""
    name: str
    """Its name."""
    distribution: str
    """What it was installed with, and the version of that."""
    problem: str | None
    """Why it can't be used."""


class PacksOfAgent(VersionRecord, frozen=True, kw_only=True):
    """The enabled packs in their order, then the others by name. Where two packs have a tool of the same
    name, the earlier pack's is used. `renamed` are core tools and the agent's own that have another name for
    it."""

    packs: list[PackOfAgent]
    renamed: list[RenamedTool]
    extensions: list[ShownExtension]
    """What else is installed beside packs, for all agents."""


_PackName = Annotated[str, msgspec.Meta(max_length=200)]


class EnablePacks(RequestBody, frozen=True, kw_only=True):
    """All packs that are enabled from now on, in their order. `settings` are by pack all that is set of it;
    a pack that isn't named there keeps its settings."""

    packs: Annotated[list[_PackName], msgspec.Meta(max_length=1000)]
    settings: Annotated[dict[_PackName, dict[str, Any]], msgspec.Meta(max_length=100)] = msgspec.field(
        default_factory=dict
    )
    version: Current = None
