"""Lists of tools by name: pinned ones, and those that MCP clients may call."""

from typing import Annotated

import msgspec

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import Current, RequestBody


class ChosenTools(VersionRecord, frozen=True, kw_only=True):
    """Their names, in order."""

    names: list[str]


class ExposedToolNames(ChosenTools, frozen=True, kw_only=True):
    """Their names, in order, and what those are offered as that aren't offered as tools: `prompt`, or the
    address of a resource."""

    offered_as: dict[str, str]


class ChooseTools(RequestBody, frozen=True, kw_only=True):
    """The names of all tools that are chosen from now on."""

    names: Annotated[list[Annotated[str, msgspec.Meta(max_length=200)]], msgspec.Meta(max_length=1000)]
    version: Current = None


class ExposeTools(ChooseTools, frozen=True, kw_only=True):
    """Which tools are exposed from now on, and what those are offered as that aren't tools to programs:
    `prompt`, or the address of a resource, whose variables are arguments, such as `weather://{city}`. Without
    `offered_as` that stays as it is."""

    offered_as: (
        Annotated[dict[str, Annotated[str, msgspec.Meta(max_length=500)]], msgspec.Meta(max_length=1000)]
        | None
    ) = None
