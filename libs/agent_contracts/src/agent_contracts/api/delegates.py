"""Delegates."""

from typing import Annotated

import msgspec

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import Current, RequestBody, ResponseBody
from agent_contracts.entities.delegates import Delegate


class TriedDelegate(ResponseBody, frozen=True, kw_only=True):
    """What it answered, as text."""

    answer: str


class DelegatesOfAgent(VersionRecord, frozen=True, kw_only=True):
    """All of them, in order; none holds a secret's value."""

    delegates: list[Delegate]


class WriteDelegates(RequestBody, frozen=True, kw_only=True):
    """All delegates from now on, in their order."""

    delegates: Annotated[list[Delegate], msgspec.Meta(max_length=1000)]
    version: Current = None
