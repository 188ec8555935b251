"""What an agent made for itself, and how it ran."""

from typing import Any

import msgspec

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import Current, RequestBody, ResponseBody
from agent_contracts.entities.definitions import Example, PlaybookStep
from agent_contracts.sessions.session_view import TokensUsed


class FunctionResult(ResponseBody, frozen=True, kw_only=True, omit_defaults=True):
    """What a function returned: any JSON; and the tokens of its questions to models, if it asked any."""

    result: Any
    usage: TokensUsed | None = None


class RunFailure(ResponseBody, frozen=True, kw_only=True):
    """Why it gave no result. Of its own code, `details` has name, message, stack, line and column."""

    kind: str
    message: str
    details: dict[str, Any] | None


class TestRun(ResponseBody, frozen=True, kw_only=True):
    """How a test run ended: with a `result`, any JSON, or with an `error`; what its code logged, and its
    milliseconds. What it changed carries `call_id`."""

    call_id: str
    result: Any
    error: RunFailure | None
    logs: list[str]
    ms: int
    usage: TokensUsed | None


class Definition(VersionRecord, frozen=True, kw_only=True):
    """Something that the agent made, whole, at one version.

    `brought_by` is the pack that is installed and brings exactly this, word for word: nobody changed it.
    """

    name: str
    definition: dict[str, Any]
    brought_by: str | None = None


class DefinitionName(VersionRecord, frozen=True, kw_only=True):
    """Something that the agent made, without its code or content.

    `quarantined` says why a tool is not offered to the model until it is edited.
    """

    name: str
    description: str
    enabled: bool
    tags: list[str]
    quarantined: str | None = None


class WriteDefinition(RequestBody, frozen=True, kw_only=True):
    """A whole definition from now on. What it must fulfil is what the agent's own tools demand."""

    description: str
    version: Current = None

    @property
    def definition(self) -> dict[str, Any]:
        """What is defined, without what is not given."""
        given = {name: getattr(self, name) for name in self.__struct_fields__ if name != "version"}
        return {name: msgspec.to_builtins(one) for name, one in given.items() if one is not None}


class WriteTool(WriteDefinition, frozen=True, kw_only=True):
    """A tool or a function: the body of an async JavaScript function of `args`, and their JSON Schema.

    It is refused if one of its `examples` doesn't hold: each has `arguments`, and `result` or `holds`, a
    JavaScript expression over `result` and `args`.
    """

    parameter_schema: dict[str, Any]
    code: str
    examples: list[Example] | None = None


class WriteLibrary(WriteDefinition, frozen=True, kw_only=True):
    """A CommonJS module."""

    code: str


class WriteComponent(WriteDefinition, frozen=True, kw_only=True):
    """A React component in JSX or TSX, its default export, and the JSON Schema of its props."""

    code: str
    props_schema: dict[str, Any] | None = None


class WriteSkill(WriteDefinition, frozen=True, kw_only=True):
    """Markdown."""

    content: str
    tags: list[str] = msgspec.field(default_factory=list)


class WritePlaybook(WriteDefinition, frozen=True, kw_only=True):
    """Steps that reach what the description says."""

    workflow: list[PlaybookStep]
    initial_command: str = ""
    success_criteria: str = ""


class Switch(RequestBody, frozen=True, kw_only=True):
    """On or off from now on."""

    enabled: bool


class CallFunction(RequestBody, frozen=True, kw_only=True):
    """What to call it with: an object that fits its schema."""

    arguments: dict[str, Any] = msgspec.field(default_factory=dict)


class InvokeFunction(CallFunction, frozen=True, kw_only=True):
    """`allow`: what the person before the page said yes to, as `asked.covers` of the problem
    `approval_needed` says it: for this call, or `always`, which writes the policy."""

    allow: dict[str, Any] | None = None
    always: bool = False
