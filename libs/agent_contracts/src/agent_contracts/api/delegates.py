"""Delegates."""

from typing import Annotated

import msgspec

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import Current, RequestBody, ResponseBody
from agent_contracts.entities.delegates import Delegate


class TriedDelegate(ResponseBody, frozen=True, kw_only=True):
    """The answer of a delegate to a test."""

    answer: str
    """What it answered, as text."""


class DelegatesOfAgent(VersionRecord, frozen=True, kw_only=True):
    """The other agents that this one can hand tasks to."""

    delegates: list[Delegate]
    """All delegates, in order. None holds a secret's value."""


class WriteDelegates(RequestBody, frozen=True, kw_only=True):
    """All delegates of an agent from now on."""

    delegates: Annotated[list[Delegate], msgspec.Meta(max_length=1000)]
    """The delegates, in order."""
    version: Current = None
