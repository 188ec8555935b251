"""What an agent made for itself, and how it ran."""

from typing import Any

import msgspec

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import Current, RequestBody, ResponseBody
from agent_contracts.entities.definitions import Example, PlaybookStep
from agent_contracts.sessions.session_view import TokensUsed


class FunctionResult(ResponseBody, frozen=True, kw_only=True, omit_defaults=True):
    """What a function returned."""

    result: Any
    """What the function returned: any JSON."""
    usage: TokensUsed | None = None
    """Tokens and cost of its questions to models; null: it asked none."""


class RunFailure(ResponseBody, frozen=True, kw_only=True):
    """Why a run of code has no result."""

    kind: str
    """What went wrong, for programs, such as `timeout`."""
    message: str
    """What went wrong, in words."""
    details: dict[str, Any] | None
    """For an error in the code itself: `name`, `message`, `stack`, `line` and `column`. Null: the failure is
    not the code's."""


class TestRun(ResponseBody, frozen=True, kw_only=True):
    """How a test run of code ended."""

    call_id: str
    """Id of the run: whatever it changed carries it."""
    result: Any
    """What the code returned: any JSON. Null: it failed."""
    error: RunFailure | None
    """Why it has no result; null: it has one."""
    logs: list[str]
    """What the code logged, a line each."""
    ms: int
    """How long it ran, in milliseconds."""
    usage: TokensUsed | None
    """Tokens and cost of its questions to models; null: it asked none."""


class Definition(VersionRecord, frozen=True, kw_only=True):
    """Something that the agent made, whole, at one version."""

    name: str
    """Its name, unique within its kind."""
    definition: dict[str, Any]
    """The whole definition, as its kind has it: code, schema, content, description."""
    brought_by: str | None = None
    """Name of the installed pack that brings exactly this, unchanged. Null: none does."""


class DefinitionName(VersionRecord, frozen=True, kw_only=True):
    """Something that the agent made, without its code or content."""

    name: str
    """Its name, unique within its kind."""
    description: str
    """What it is for, as models read it."""
    enabled: bool
    """Whether models are offered it."""
    tags: list[str]
    """Words to find it by; only skills have them."""
    quarantined: str | None = None
    """Why the tool is not offered to models until it is edited. Null: it is not in quarantine."""


class WriteDefinition(RequestBody, frozen=True, kw_only=True):
    """A whole definition from now on. It must fulfil what the agent's own tools demand."""

    description: str
    """What it is for: models read it to choose."""
    version: Current = None

    @property
    def definition(self) -> dict[str, Any]:
        """What is defined, without what is not given."""
        given = {name: getattr(self, name) for name in self.__struct_fields__ if name != "version"}
        return {name: msgspec.to_builtins(one) for name, one in given.items() if one is not None}


class WriteTool(WriteDefinition, frozen=True, kw_only=True):
    """A tool or a function of the agent."""

    parameter_schema: dict[str, Any]
    """JSON Schema (`type: object`) of its arguments, `args`."""
    code: str
    """The body of an async JavaScript function of `args`."""
    examples: list[Example] | None = None
    """Calls with what they must give. The definition is refused if one doesn't hold."""


class WriteLibrary(WriteDefinition, frozen=True, kw_only=True):
    """A library that code of the agent can `require`."""

    code: str
    """A CommonJS module."""


class WriteComponent(WriteDefinition, frozen=True, kw_only=True):
    """A component that the agent can render in the chat."""

    code: str
    """A React component in JSX or TSX, as the default export."""
    props_schema: dict[str, Any] | None = None
    """JSON Schema of its props. Left out: any props."""


class WriteSkill(WriteDefinition, frozen=True, kw_only=True):
    """Knowledge for the agent to read when it needs it."""

    content: str
    """The knowledge as Markdown."""
    tags: list[str] = msgspec.field(default_factory=list)
    """Words to find it by."""


class WritePlaybook(WriteDefinition, frozen=True, kw_only=True):
    """Steps that reach what the description says."""

    workflow: list[PlaybookStep]
    """The steps, in order."""
    initial_command: str = ""
    """The request that the playbook was made for, in the person's words."""
    success_criteria: str = ""
    """How to tell that it worked."""


class Switch(RequestBody, frozen=True, kw_only=True):
    """Enable or disable."""

    enabled: bool
    """True: models are offered it from now on. False: they are not."""


class CallFunction(RequestBody, frozen=True, kw_only=True):
    """A call of a function."""

    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    """The arguments: an object that fits the function's schema."""


class InvokeFunction(CallFunction, frozen=True, kw_only=True):
    """A call of a function from a page."""

    allow: dict[str, Any] | None = None
    """What the person approved for this call: `asked.covers` of the problem `approval_needed`."""
    always: bool = False
    """Write `allow` into the agent's policy, so that it holds for later calls too."""
