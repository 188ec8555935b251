"""What the API answers about agents and what they have."""

from typing import Any, Literal

from gateway.queries.views import Usage, View

By = Literal["user", "agent", "service"]


class Agent(View):
    """An agent: who talks in its sessions. `version` counts its changes of name."""

    id: str
    name: str
    version: int
    created_at: str
    updated_at: str


class Agents(View):
    """All agents, by id."""

    agents: list[Agent]


class AgentDeleted(View):
    """Whether there was an agent to delete; `sequence` is the event that did.

    `archived`: so many open sessions were closed with it.
    """

    deleted: bool
    sequence: int | None
    archived: int


class Written(View):
    """Who wrote a version, when, and by which event; `session_id` and `call_id` where an agent did.

    Version 0 is what holds before anybody wrote anything: it has no event.
    """

    version: int
    sequence: int | None
    time: str | None
    actor: By | None
    session_id: str | None
    call_id: str | None


class AgentText(Written):
    """A text at one version."""

    text: str


class StateValue(Written):
    """A value of the agent's state at one version."""

    key: str
    value: Any


class StateKey(Written):
    """A key of the agent's state; its value is read by itself."""

    key: str


class StateKeys(View):
    """Keys, sorted by code point."""

    keys: list[StateKey]


class Definition(Written):
    """Something that the agent made, whole, at one version."""

    name: str
    definition: dict[str, Any]


class DatabaseColumn(View):
    """A column as it was declared."""

    name: str
    type: str
    notnull: bool
    pk: bool


class DatabaseTable(View):
    """A table."""

    name: str
    columns: list[DatabaseColumn]
    row_count: int


class DatabaseTables(View):
    """By name."""

    tables: list[DatabaseTable]


class DatabaseRows(View):
    """What a statement gave; `truncated`: there were more rows.

    Integers beyond 2^53 are text, blobs `{"$base64": "…"}`.
    """

    columns: list[str]
    rows: list[list[Any]]
    row_count: int
    truncated: bool


class FunctionResult(View):
    """What a function returned: any JSON; and the tokens of its questions to models, if it asked any."""

    result: Any
    usage: Usage | None = None


class DefinitionName(Written):
    """Something that the agent made, without its code or content."""

    name: str
    description: str
    enabled: bool
    tags: list[str]


class DefinitionNames(View):
    """By name."""

    definitions: list[DefinitionName]


class Secret(Written):
    """A secret without its value."""

    name: str
    hosts: list[str]
    reveal: bool


class Secrets(View):
    """By name."""

    secrets: list[Secret]


class Deleted(View):
    """Whether there was anything to delete; `sequence` is the event that did."""

    deleted: bool
    sequence: int | None


class Version(View):
    """One change of an entity. A deletion has no `version`; numbers start again at 1 after it.

    `causation`: the event that led to it, such as the request of the call `call_id`.
    """

    sequence: int
    version: int | None
    deleted: bool
    time: str
    actor: By
    session_id: str | None
    call_id: str | None
    causation: int | None
    replaced: int | None


class Versions(View):
    """A page, newest first. `before`: pass it back for older ones; null: there are none."""

    versions: list[Version]
    before: int | None
