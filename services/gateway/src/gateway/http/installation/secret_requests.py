"""What the API takes about secrets."""

from typing import Annotated

from pydantic import AfterValidator, Field

from agent_contracts.entities.secrets import LONGEST_SECRET, SHORTEST_SECRET
from gateway.http.wire.request import Request
from gateway.operations.agents.secret_rules import HOST, LONGEST_HOST, MOST_HOSTS, flaw_in_host


def _host(value: str) -> str:
    flaw = flaw_in_host(value)
    if flaw is not None:
        raise ValueError(flaw)
    return value.lower()


SecretHost = Annotated[
    str,
    Field(
        pattern=HOST,
        max_length=LONGEST_HOST,
        description="a host name in ASCII; `*.example.org` for all below it",
    ),
    AfterValidator(_host),
]


class WriteSecret(Request):
    """A secret's value from now on, and the hosts that it may be sent to. `reveal`: code of the agent gets
    the value itself, for signing, instead of a placeholder."""

    value: Annotated[
        str,
        Field(min_length=SHORTEST_SECRET, max_length=LONGEST_SECRET, repr=False),
    ]
    hosts: Annotated[list[SecretHost], Field(min_length=1, max_length=MOST_HOSTS)]
    reveal: bool = False
