"""An agent's state and texts."""

from enum import StrEnum
from typing import Annotated, Any

import msgspec

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import Current, RequestBody


class StateValue(VersionRecord, frozen=True, kw_only=True):
    """A value of the agent's state at one version."""

    key: str
    value: Any


class StateKey(VersionRecord, frozen=True, kw_only=True):
    """A key of the agent's state; its value is read by itself."""

    key: str


class AgentText(VersionRecord, frozen=True, kw_only=True):
    """A text at one version."""

    text: str


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

    text: Annotated[str, msgspec.Meta(description="at most 1 MiB of UTF-8; may be empty")]
    version: Current = None


class EditText(RequestBody, frozen=True, kw_only=True):
    """One edit, as the agent's own tools make them. Texts are literal."""

    operation: Operation
    content: str | None = None
    find: str | None = None
    replace: str | None = None
    replace_all: bool = False
    version: Current = None


class WriteState(RequestBody, frozen=True, kw_only=True):
    """The value from now on: any JSON, at most 1 MiB."""

    value: Any
    version: Current = None
