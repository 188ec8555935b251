"""Agents."""

from typing import Annotated

import msgspec

from agent_contracts.api.wire import Id, RequestBody, ResponseBody, check_ids
from agent_contracts.timestamp import Timestamp


class Agent(ResponseBody, frozen=True, kw_only=True):
    """An agent: who talks in its sessions."""

    id: str
    """The agent's id: 1 to 64 letters, digits, `_` or `-`. It never changes."""
    name: str
    """The name that people see. It can be changed."""
    version: int
    """Number of changes of the name, the first one included."""
    created_at: Timestamp
    updated_at: Timestamp


class AgentDeleted(ResponseBody, frozen=True, kw_only=True):
    """What the deletion of an agent did."""

    deleted: bool
    """Whether there was an agent to delete."""
    sequence: int | None
    """Number of the event that deleted it; null: there was none to delete."""
    archived: int
    """Number of open sessions that were archived with it."""


MAX_NAME = 100
"""Characters of an agent's name."""
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NAME, pattern=r"\S")]


class CreateAgent(RequestBody, frozen=True, kw_only=True):
    """A new agent."""

    name: _Name
    """The name that people see."""
    id: Id | None = None
    """Its id from now on: 1 to 64 letters, digits, `_` or `-`. Left out: one is made."""
    prompt: str | None = None
    """The system prompt: at most 1 MiB of UTF-8; may be empty. Left out: the built-in prompt."""
    starters: bool = True
    """Give the agent tools, a page and a skill of its own to begin with."""

    def __post_init__(self) -> None:
        check_ids(self.id)


class RenameAgent(RequestBody, frozen=True, kw_only=True):
    """Another name for an agent."""

    name: _Name
    """The name from now on."""
