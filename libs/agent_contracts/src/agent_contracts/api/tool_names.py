"""Lists of tools by name: pinned ones, and those that MCP clients may call."""

from typing import Annotated

import msgspec

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import Current, RequestBody


class ChosenTools(VersionRecord, frozen=True, kw_only=True):
    """Tools that were chosen."""

    names: list[str]
    """Names of the tools, in order."""


class ExposedToolNames(ChosenTools, frozen=True, kw_only=True):
    """Tools that are exposed to programs."""

    offered_as: dict[str, str]
    """By name, for tools that aren't offered as tools: `prompt`, or the address of a resource."""


class ChooseTools(RequestBody, frozen=True, kw_only=True):
    """The tools that are chosen from now on."""

    names: Annotated[list[Annotated[str, msgspec.Meta(max_length=200)]], msgspec.Meta(max_length=1000)]
    """Names of all tools that are chosen, in order."""
    version: Current = None


class ExposeTools(ChooseTools, frozen=True, kw_only=True):
    """The tools that are exposed to programs from now on."""

    offered_as: (
        Annotated[dict[str, Annotated[str, msgspec.Meta(max_length=500)]], msgspec.Meta(max_length=1000)]
        | None
    ) = None
    """By name, for tools that aren't offered as tools: `prompt`, or the address of a resource, whose
    variables are arguments, such as `weather://{city}`. Left out: as before."""
