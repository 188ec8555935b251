"""What agents make for themselves: tools, functions, libraries, UI components, skills, playbooks.

Each is an entity whose value is one of these structs as JSON, under a name that is unique within its kind.
"""

from contextlib import suppress
from typing import Annotated, Generic, TypeVar

import msgspec

from agent_contracts.json_value import Json
from agent_contracts.outside import Sources
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from agent_contracts.written_out import DEFINITIONS, SchemaUnwritable, written_out

CODE_NAME = r"^[a-z][a-z0-9_]{0,63}$"
"""What a tool, a function or a library may be called."""
SKILL_NAME = r"^[a-z0-9-]{1,64}$"
COMPONENT_NAME = r"^[A-Za-z][A-Za-z0-9 _-]{0,63}$"

LONGEST_DESCRIPTION = 4_000
"""Characters: descriptions stand in every model call."""
LARGEST_CODE = 256 * 1024
"""Characters of source."""
LARGEST_SCHEMA = 64 * 1024
"""Bytes of JSON."""
MOST_EXAMPLES = 10
LARGEST_EXAMPLES = 32 * 1024
"""Bytes of JSON, all examples of one tool."""


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A call of a tool, and what it must give: either `result` or `holds`."""

    arguments: dict[str, Json]
    """The arguments to call it with."""
    result: Json = msgspec.UNSET
    """What it must return: any JSON."""
    holds: str | msgspec.UnsetType = msgspec.UNSET
    """A JavaScript expression over `result` and `args` that must be true."""


class ToolDefinition(msgspec.Struct, frozen=True):
    """A tool, or a function: code for the sandbox, and the JSON Schema (of `type: object`) of its `args`.

    An update that breaks one of its `examples` is refused.
    """

    description: str
    parameter_schema: dict[str, Json]
    code: str
    enabled: bool = True
    examples: tuple[Example, ...] | msgspec.UnsetType = msgspec.UNSET


class LibraryDefinition(msgspec.Struct, frozen=True):
    """A CommonJS module that code of the same agent may `require`."""

    description: str
    code: str


class ComponentDefinition(msgspec.Struct, frozen=True):
    """A React component, with the JSON Schema of its props if the agent gave one."""

    description: str
    code: str
    props_schema: dict[str, Json] | None = None


class SkillDefinition(msgspec.Struct, frozen=True):
    """Knowledge written down: the model sees name, description and tags, and reads the content when
    needed."""

    description: str
    content: str
    tags: tuple[str, ...] = ()
    enabled: bool = True


PLAYBOOK_NAME = r"^[A-Za-z0-9_-]{1,64}$"
MOST_STEPS = 100
"""Of a playbook."""
LONGEST_OF_STEP = 2_000
"""Characters of what a step says, in each of its parts."""
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
_Line = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_OF_STEP)]
_Words = Annotated[str, msgspec.Meta(max_length=LONGEST_DESCRIPTION)]


class PlaybookStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One step of a playbook."""

    step_id: _Name
    """Id of the step, unique within its playbook."""
    description: _Line
    """What the step does, for people."""
    tool_name: _Name
    """Name of the tool to use."""
    purpose: _Line
    """What the tool is used for."""
    required_data: Annotated[tuple[_Line, ...], msgspec.Meta(max_length=50)] = ()
    """What the step needs to know, such as results of earlier steps."""
    output_variable: Annotated[str, msgspec.Meta(max_length=200)] = ""
    """What later steps call its result; empty: none uses it."""


class PlaybookDefinition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A way of working that proved itself: `description` is the goal that it reaches by these steps."""

    description: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_DESCRIPTION)]
    workflow: Annotated[tuple[PlaybookStep, ...], msgspec.Meta(min_length=1, max_length=MOST_STEPS)]
    initial_command: _Words = ""
    success_criteria: _Words = ""


D = TypeVar("D", ToolDefinition, LibraryDefinition, ComponentDefinition, SkillDefinition, PlaybookDefinition)


class NamedDefinition(msgspec.Struct, Generic[D], frozen=True):
    """A definition under its name, at one version, which event `sequence` wrote (0: not known), whose
    writer had material from `outside`."""

    name: str
    value: D
    version: int
    sequence: int = 0
    outside: Sources = ()


OWN_FAMILY = "own"
"""The family of the tools that an agent made."""
OWN_TIMEOUT_S = 40.0
"""Seconds that an agent's tool may take in all: the sandbox ends its code after 30."""


def tool_spec(tool: NamedDefinition[ToolDefinition]) -> ToolSpec:
    """An agent's tool as models are offered it. It is `external`, since nobody can tell what its code will
    do. Providers take no references, and some of them no object that lists no properties."""
    schema = tool.value.parameter_schema
    if any(name in schema for name in DEFINITIONS):
        with suppress(SchemaUnwritable):  # as it is then, which providers refuse: it was not made here
            schema = written_out(schema)
    return ToolSpec(
        name=tool.name,
        description=tool.value.description,
        parameters={"properties": {}, **schema},
        family=OWN_FAMILY,
        effect=Effect.EXTERNAL,
        runs_on=RunsOn.TOOLS,
        timeout_s=OWN_TIMEOUT_S,
    )
