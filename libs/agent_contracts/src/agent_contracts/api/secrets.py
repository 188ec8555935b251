"""Secrets, without their values."""

from typing import Annotated

import msgspec

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import SecretBody
from agent_contracts.entities.secrets import LONGEST_SECRET, SHORTEST_SECRET


class Secret(VersionRecord, frozen=True, kw_only=True):
    """A secret without its value."""

    name: str
    hosts: list[str]
    reveal: bool


HOST = r"^(\*\.[A-Za-z0-9_-]+\.)?[A-Za-z0-9_]([A-Za-z0-9_.:-]*[A-Za-z0-9_])?$"
LONGEST_HOST = 253
MOST_HOSTS = 50
SecretHost = Annotated[
    str,
    msgspec.Meta(
        pattern=HOST,
        max_length=LONGEST_HOST,
        description="a host name in ASCII; `*.example.org` for all below it",
    ),
]


class WriteSecret(SecretBody, frozen=True, kw_only=True):
    """A secret's value from now on, and the hosts that it may be sent to. `reveal`: code of the agent gets
    the value itself, for signing, instead of a placeholder."""

    value: Annotated[str, msgspec.Meta(min_length=SHORTEST_SECRET, max_length=LONGEST_SECRET)]
    hosts: Annotated[list[SecretHost], msgspec.Meta(min_length=1, max_length=MOST_HOSTS)]
    reveal: bool = False
