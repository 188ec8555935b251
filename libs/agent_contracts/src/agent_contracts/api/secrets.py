"""Secrets, without their values."""

from typing import Annotated

import msgspec

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import SecretBody
from agent_contracts.entities.secrets import LONGEST_SECRET, SHORTEST_SECRET


class Secret(VersionRecord, frozen=True, kw_only=True):
    """A secret without its value."""

    name: str
    """Its name, as in `{{secret:NAME}}`."""
    hosts: list[str]
    """Hosts that it may be sent to; `*.example.org` for all below it."""
    reveal: bool
    """Whether the agent's code gets the value itself instead of a placeholder."""


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
    """A secret from now on."""

    value: Annotated[str, msgspec.Meta(min_length=SHORTEST_SECRET, max_length=LONGEST_SECRET)]
    """The value. It can't be read again."""
    hosts: Annotated[list[SecretHost], msgspec.Meta(min_length=1, max_length=MOST_HOSTS)]
    """Hosts that it may be sent to; `*.example.org` for all below it."""
    reveal: bool = False
    """Give the agent's code the value itself, for signing, instead of a placeholder."""
