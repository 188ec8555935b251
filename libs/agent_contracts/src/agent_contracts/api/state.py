"""An agent's state and texts."""

from enum import StrEnum
from typing import Any

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import Current, RequestBody


class StateValue(VersionRecord, frozen=True, kw_only=True):
    """A value of the agent's state at one version."""

    key: str
    """The key that it is stored under."""
    value: Any
    """The value: any JSON."""


class StateKey(VersionRecord, frozen=True, kw_only=True):
    """A key of the agent's state. Read its value separately."""

    key: str
    """The key that a value is stored under."""


class AgentText(VersionRecord, frozen=True, kw_only=True):
    """A text of the agent at one version."""

    text: str
    """The whole text, as Markdown."""


class Operation(StrEnum):
    """What is done to the text."""

    REPLACE = "replace"
    """It becomes `content`."""
    FIND_REPLACE = "find_replace"
    """The first `find` (each one with `replace_all`) becomes `replace`."""
    APPEND = "append"
    """`content` is added at the end, and nothing else: no line end of its own."""
    PREPEND = "prepend"
    """`content` is added at the beginning, and nothing else."""
    DELETE = "delete"
    """The first `content` is taken out."""


class WriteText(RequestBody, frozen=True, kw_only=True):
    """The whole text from now on."""

    text: str
    """The text: at most 1 MiB of UTF-8; may be empty."""
    version: Current = None


class EditText(RequestBody, frozen=True, kw_only=True):
    """One edit of a text, as the agent's own tools make it. Texts are literal."""

    operation: Operation
    """How the text changes."""
    content: str | None = None
    """The text that `replace`, `append`, `prepend` and `delete` are about."""
    find: str | None = None
    """The text that `find_replace` looks for."""
    replace: str | None = None
    """The text that `find_replace` puts in its place."""
    replace_all: bool = False
    """Replace each `find`, not only the first."""
    version: Current = None


class WriteState(RequestBody, frozen=True, kw_only=True):
    """A value from now on."""

    value: Any
    """The value: any JSON, at most 1 MiB."""
    version: Current = None
