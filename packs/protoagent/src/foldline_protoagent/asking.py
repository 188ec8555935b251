"""asking the person"""

from typing import Annotated, Any

import msgspec
from pydantic import BaseModel, ConfigDict, Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.sessions.rendering import ANSWER_SCHEMA, LARGEST_SHOWN, USER_INPUT
from agent_contracts.tool_spec import AvailableTo
from agent_platform.log.storable_text import storable
from agent_tools.forms import FormField, fields_of
from agent_tools.tool import PURE, Arguments, Pause, tool


def wrong(path: str, why: str) -> Rejected:
    """The refusal of what stands at `path` (a JSON Pointer into the arguments)."""
    return Rejected(why, kind=ErrorKind.INVALID_ARGUMENTS, path=path)


_MOST_STEPS = 20
_MOST_FIELDS = 100
_NO_STEPS = (
    'Error: request_user_input needs at least one form step. Pass steps=[{"schema": {"type": "object", '
    '"properties": {…}, "required": […]}}], or use ask_human for a single question.'
)


class FormStep(BaseModel):
    """One screen."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    schema_: Annotated[
        dict[str, Any], Field(alias="schema", description="JSON Schema (draft-07) of type object.")
    ]
    title: Annotated[str | None, Field(max_length=200)] = None
    description: Annotated[str | None, Field(max_length=2_000)] = None


class RequestUserInput(Arguments):
    """What to ask for."""

    title: Annotated[str, Field(min_length=1, max_length=200, description="What it is about.")]
    steps: Annotated[list[FormStep], Field(description="One screen each; at least one.")]
    description: Annotated[str, Field(max_length=2_000, description="What the values are for.")] = ""


@tool(
    "request_user_input",
    family="asking",
    effect=PURE,
    pauses=True,
    available_to=AvailableTo.TOP_LEVEL,
)
async def request_user_input(args: RequestUserInput) -> Pause:
    """Ask the user for values and choices by a form of one or more steps, and wait. Gives one JSON object
    with the values of all steps; {"action": "dismiss"} if they close it, {"answer": "…"} if they say
    something instead.

    A property is a string (`"format": "textarea"` for several lines), number, integer or boolean. To choose
    one: `enum`, or as cards `"oneOf": [{"const", "title", "description"}]`; to choose any: an array whose
    `items` have these. A `default` stands there already, and counts as an answer.
    """
    if not args.steps:
        raise wrong("/steps", _NO_STEPS)
    if len(args.steps) > _MOST_STEPS:
        raise wrong("/steps", f"Error: a form has at most {_MOST_STEPS} steps")
    steps: list[Json] = []
    properties: dict[str, Json] = {}
    required: list[str] = []
    for number, step in enumerate(args.steps):
        path = f"/steps/{number}/schema"
        fields = _fields(step.schema_, path)
        for field in fields:
            if field.name in properties:
                raise wrong(path, f"Error: two steps have a field {field.name!r}: one answer has all of them")
            properties[field.name] = field.schema
            required += [field.name] if field.required else []
        shown: list[Json] = [field.shown for field in fields]
        steps.append({"title": step.title, "description": step.description, "fields": shown})
    if len(properties) > _MOST_FIELDS:
        raise wrong("/steps", f"Error: a form has at most {_MOST_FIELDS} fields")
    show: dict[str, Json] = {
        "kind": USER_INPUT,
        "title": args.title,
        "description": args.description,
        "steps": steps,
        ANSWER_SCHEMA: {
            "type": "object",
            "properties": properties,
            "required": [*required],
            "additionalProperties": False,
        },
    }
    if len(msgspec.json.encode(storable(show))) > LARGEST_SHOWN:
        raise wrong("/steps", f"Error: the form has more than {LARGEST_SHOWN:,} bytes")
    return Pause(show=show)


def _fields(schema: dict[str, Any], path: str) -> list[FormField]:
    try:
        return fields_of(schema, path)
    except Rejected as refused:
        raise wrong(refused.path or path, f"Error: {refused.message}") from refused
