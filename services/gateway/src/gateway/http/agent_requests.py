"""What the API takes about agents and what they have."""

from ipaddress import IPv6Address
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator

from agent_contracts.secrets import LONGEST_SECRET, SHORTEST_SECRET
from agent_domain.text_edits import Operation, check_size
from egress.addresses import numeric
from gateway.deps import MAX_SEQUENCE
from gateway.http.requests import Id, Request

MAX_NAME = 100


def _prompt(value: str) -> str:
    check_size(value)
    return value


Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME, pattern=r"\S")]
WholeText = Annotated[str, AfterValidator(_prompt), Field(description="at most 1 MiB of UTF-8; may be empty")]
Number = Annotated[int, Field(ge=1, le=MAX_SEQUENCE)]
Current = Annotated[
    int | None,
    Field(ge=0, le=MAX_SEQUENCE, description="change it only if this is its version now (0: none yet)"),
]


def _host(value: str) -> str:
    if ":" in value and not isinstance(numeric(value), IPv6Address):
        raise ValueError("a host without a port: a secret may go to any port of its hosts")
    return value.lower()


SecretHost = Annotated[
    str,
    Field(
        pattern=r"^(\*\.[A-Za-z0-9_-]+\.)?[A-Za-z0-9_]([A-Za-z0-9_.:-]*[A-Za-z0-9_])?$",
        max_length=253,
        description="a host name in ASCII; `*.example.org` for all below it",
    ),
    AfterValidator(_host),
]


class CreateAgent(Request):
    """A new agent. Without an `id` it gets one; without a `prompt`, the built-in one; unless `starters` is
    false, tools, a page and a skill that are its own from then on."""

    name: Name
    id: Id | None = None
    prompt: WholeText | None = None
    starters: bool = True


class RenameAgent(Request):
    """Another name."""

    name: Name


class WriteText(Request):
    """The whole text from now on."""

    text: WholeText
    version: Current = None


class EditText(Request):
    """One edit, as the agent's own tools make them. Texts are literal."""

    operation: Annotated[Operation, Field(strict=False)]
    content: str | None = None
    find: str | None = None
    replace: str | None = None
    replace_all: bool = False
    version: Current = None


class WriteState(Request):
    """The value from now on: any JSON, at most 1 MiB."""

    value: Any
    version: Current = None


class WriteSecret(Request):
    """A secret's value from now on, and the hosts that it may be sent to. `reveal`: code of the agent gets
    the value itself, for signing, instead of a placeholder."""

    value: Annotated[
        str,
        Field(
            min_length=SHORTEST_SECRET, max_length=LONGEST_SECRET, pattern=r"^[^\x00-\x1f\x7f]+$", repr=False
        ),
    ]
    hosts: Annotated[list[SecretHost], Field(min_length=1, max_length=50)]
    reveal: bool = False


class WriteDefinition(Request):
    """A whole definition from now on. What it must fulfil is what the agent's own tools demand."""

    description: str
    version: Current = None

    @property
    def definition(self) -> dict[str, Any]:
        """What is defined, without what is not given."""
        return self.model_dump(mode="json", exclude={"version"}, exclude_none=True)


class WriteTool(WriteDefinition):
    """A tool or a function: the body of an async JavaScript function of `args`, and their JSON Schema."""

    parameter_schema: dict[str, Any]
    code: str


class WriteLibrary(WriteDefinition):
    """A CommonJS module."""

    code: str


class WriteComponent(WriteDefinition):
    """A React component in JSX or TSX, its default export, and the JSON Schema of its props."""

    code: str
    props_schema: dict[str, Any] | None = None


class WriteSkill(WriteDefinition):
    """Markdown."""

    content: str
    tags: Annotated[list[str], Field(default_factory=list)]


class QueryDatabase(Request):
    """One SQLite statement that reads, values for its `?`, and the event as of which it is run (else now)."""

    sql: str
    params: Annotated[list[Any], Field(default_factory=list)]
    at: Number | None = None


class CallFunction(Request):
    """What to call it with: an object that fits its schema."""

    arguments: dict[str, Any] = Field(default_factory=dict)


class Switch(Request):
    """On or off from now on."""

    enabled: bool


class Revert(Request):
    """Which version to go back to: one of the two. `sequence` names the event that made it."""

    version: Number | None = None
    sequence: Number | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.version is None) == (self.sequence is None):
            raise ValueError("name either a version or a sequence")
        return self
