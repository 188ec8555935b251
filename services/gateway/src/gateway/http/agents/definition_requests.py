"""What the API takes about what agents made."""

from typing import Annotated, Any

from pydantic import Field

from gateway.http.wire.request import Current, Request


class WriteDefinition(Request):
    """A whole definition from now on. What it must fulfil is what the agent's own tools demand."""

    description: str
    version: Current = None

    @property
    def definition(self) -> dict[str, Any]:
        """What is defined, without what is not given."""
        return self.model_dump(mode="json", exclude={"version"}, exclude_none=True)


class WriteTool(WriteDefinition):
    """A tool or a function: the body of an async JavaScript function of `args`, and their JSON Schema.

    It is refused if one of its `examples` doesn't hold: each has `arguments`, and `result` or `holds`, a
    JavaScript expression over `result` and `args`.
    """

    parameter_schema: dict[str, Any]
    code: str
    examples: list[dict[str, Any]] | None = None


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


class WritePlaybook(WriteDefinition):
    """Steps, each `{"step_id", "description", "tool_name", "purpose", "required_data"?, "output_variable"?}`,
    that reach what the description says."""

    workflow: list[dict[str, Any]]
    initial_command: str = ""
    success_criteria: str = ""


class Switch(Request):
    """On or off from now on."""

    enabled: bool
