"""Agents."""

from typing import Annotated

import msgspec

from agent_contracts.api.wire import Id, RequestBody, ResponseBody, check_ids
from agent_contracts.timestamp import Timestamp


class Agent(ResponseBody, frozen=True, kw_only=True):
    """An agent: who talks in its sessions. `version` counts its changes of name."""

    id: str
    name: str
    version: int
    created_at: Timestamp
    updated_at: Timestamp


class AgentDeleted(ResponseBody, frozen=True, kw_only=True):
    """Whether there was an agent to delete; `sequence` is the event that did.

    `archived`: the number of open sessions that were closed with it.
    """

    deleted: bool
    sequence: int | None
    archived: int


MAX_NAME = 100
"""Characters of an agent's name."""
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NAME, pattern=r"\S")]


class CreateAgent(RequestBody, frozen=True, kw_only=True):
    """A new agent. Without an `id` it gets one; without a `prompt`, the built-in one; unless `starters` is
    false, tools, a page and a skill that are its own from then on."""

    name: _Name
    id: Id | None = None
    prompt: Annotated[str, msgspec.Meta(description="at most 1 MiB of UTF-8; may be empty")] | None = None
    starters: bool = True

    def __post_init__(self) -> None:
        check_ids(self.id)


class RenameAgent(RequestBody, frozen=True, kw_only=True):
    """Another name."""

    name: _Name
