"""Questions of an agent, and of its own tools, as forms of MCP, and what was filled in as their answer."""

from collections.abc import Mapping, Sequence
from typing import Any

import mcp_types as types
import msgspec
from pydantic import ValidationError

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_contracts.sessions.open_questions import ASK_USER
from agent_contracts.sessions.rendering import RENDER_BLOCKS, SUBMIT, USER_INPUT
from agent_domain.shown import fields_of, options_of, shown_text

LONGEST = 4_000
"""Characters of what is asked."""
MOST_QUESTIONS = 20
"""Questions within one call: past these the result says so."""
ELICITATIONS = "elicitations"
"""What an own tool returns that asks, and the argument by which it gets the answers, each by its name."""
_MOST_FIELDS = 50
_DRAWN = frozenset(("text", "textarea", "number", "integer", "checkbox", "date", "select"))
"""Types of fields that a client can draw."""


def form_of(show: Mapping[str, Any]) -> types.ElicitRequest | None:
    """The form that asks it; None for what a person does in Foldline alone: an approval, a component, a
    browser that is handed over."""
    match show.get("kind"):
        case kind if kind == ASK_USER:
            schema = _schema({"answer": _free(options_of(show))}, ["answer"])
        case kind if kind in (RENDER_BLOCKS, USER_INPUT) and _can_be_drawn(fields := fields_of(show)):
            schema = _schema(
                {one["name"]: _field(one) for one in fields},
                [one["name"] for one in fields if one.get("required")],
            )
        case _:
            return None
    return types.ElicitRequest(
        params=types.ElicitRequestFormParams(message=shown_text(show)[:LONGEST], requested_schema=schema)
    )


def response_of(show: Mapping[str, Any], content: Mapping[str, Any]) -> Json:
    """The answer to the call, of what was filled in. What is left empty was not given."""
    if show.get("kind") == ASK_USER:
        return {"answer": str(content.get("answer", ""))}
    return {"action": SUBMIT, "data": {name: one for name, one in content.items() if one not in (None, "")}}


def asked_by_tool(value: Json) -> dict[str, types.ElicitRequest]:
    """The forms of `{"elicitations": {name: {"message", "requestedSchema"}}}`, by which an own tool asks
    whoever called it; none for any other value."""
    match value:
        case {"elicitations": dict(asked), **others} if not others and len(asked) <= MOST_QUESTIONS:
            try:
                return {name: _form(one) for name, one in asked.items()}
            except ValidationError:
                return {}
        case _:
            return {}


def answers_to_tool(state: str | None, brought: Mapping[str, object]) -> dict[str, Json]:
    """What was answered to an own tool in this call: what the client kept as the state, and what it brings
    now; a form without a valid answer is asked again. `Rejected` for a foreign state, or too many."""
    try:
        found = msgspec.json.decode(state, type=dict[str, Json]) if state else {}
    except msgspec.DecodeError as error:
        raise Rejected("This request_state is none of ours", kind="invalid_request") from error
    for name, one in brought.items():
        if isinstance(one, types.ElicitResult):
            found[name] = one.model_dump(mode="json", exclude_none=True, include={"action", "content"})
    if len(found) > MOST_QUESTIONS:
        raise Rejected(f"A call has at most {MOST_QUESTIONS} answers", kind="too_large")
    return found


def _form(asked: Json) -> types.ElicitRequest:
    return types.ElicitRequest(params=types.ElicitRequestFormParams.model_validate(asked, by_name=False))


def _can_be_drawn(fields: Sequence[Mapping[str, Any]]) -> bool:
    return 0 < len(fields) <= _MOST_FIELDS and all(
        one["type"] in _DRAWN and all(isinstance(option, str) for option in one.get("options") or ())
        for one in fields
    )


def _schema(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required}


def _free(options: list[str]) -> dict[str, Any]:
    """A text: one of the options, or any other."""
    described = f"One of: {'; '.join(options)[:LONGEST]}. Or anything else" if options else "Your answer"
    return {"type": "string", "title": "Answer", "description": described}


def _field(field: Mapping[str, Any]) -> dict[str, Any]:
    shape: dict[str, Any] = {"title": str(field.get("label") or field["name"])}
    options = [str(one) for one in field.get("options") or ()]
    match field["type"]:
        case "number" | "integer" as kind:
            shape["type"] = kind
        case "checkbox":
            shape["type"] = "boolean"
        case "date":
            shape |= {"type": "string", "format": "date"}
        case _ if options:
            shape |= {"type": "string", "enum": options}
        case _:
            shape["type"] = "string"
    default = field.get("default")
    return shape if default is None else {**shape, "default": default}
