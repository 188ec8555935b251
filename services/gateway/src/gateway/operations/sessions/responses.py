"""Which response fits what a pending call put before a person."""

from typing import Any

import msgspec
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError

from agent_contracts.api.waiting import AnswerQuestion
from agent_contracts.errors import Rejected
from agent_contracts.flaw_places import located
from agent_contracts.json_value import Json
from agent_contracts.questions.takeover import HAND_OVER
from agent_contracts.session_events.results import ToolCallPending
from agent_contracts.sessions.open_questions import ASK_USER, answer_to_question
from agent_contracts.sessions.rendering import (
    ANSWER_SCHEMA,
    DECLINE,
    DISMISS,
    LARGEST_SHOWN,
    LONGEST_ACTION,
    MCP_INPUT,
    RENDER_AND_WAIT,
    RENDER_BLOCKS,
    SUBMIT,
    USER_INPUT,
    WAITS_FOR_NOBODY,
)

_FORMATS = FormatChecker(formats=("date",))
_SHOWN = 200


def as_response(kind: str | None, given: AnswerQuestion) -> Json:
    """A person's answer in the form that `fitting` takes for a question of this kind."""
    if given.answer is not None:
        return {"answer": given.answer}
    if given.data is not None:
        return {"action": SUBMIT, "data": given.data}
    if given.action is not None:
        return given.action
    return {"action": DECLINE if kind == MCP_INPUT else DISMISS}


class _AskUserAnswer(msgspec.Struct, forbid_unknown_fields=True):
    answer: str
    from_options: bool | None = None


def fitting(pending: ToolCallPending, response: Json) -> Json:
    """The response as it is recorded; `Rejected` if it doesn't answer what was asked, with the `path` of what
    is wrong in it.

    An `ask_user` answer is a text; whether it is one of the options is found out here. A form's `data` fits
    the schema that its tool recorded.
    """
    match pending.show.get("kind"):
        case kind if kind == ASK_USER:
            return _answer(pending.show, response)
        case kind if kind == RENDER_AND_WAIT:
            return _action(response)
        case kind if kind == RENDER_BLOCKS:
            return _submission(pending.show, response)
        case kind if kind == USER_INPUT:
            return _input(pending.show, response)
        case kind if kind == MCP_INPUT:
            return _given(pending.show, response)
        case kind if kind in WAITS_FOR_NOBODY:
            raise _refused("", "this call waits for no person: it goes on by itself")
        case kind if kind == HAND_OVER:
            raise _refused("", "this call handed a browser over: it ends by …/calls/{call_id}/browser:end")
        case _:
            return response


def _answer(show: dict[str, Any], response: Json) -> Json:
    try:
        given = msgspec.convert(response, type=_AskUserAnswer)
    except msgspec.ValidationError as error:
        message, path = located(error)
        raise _refused(
            path or "", f'the response to this call must be {{"answer": "…"}}: {message}'
        ) from error
    if not given.answer.strip():
        raise _refused("/answer", "the answer is blank")
    return answer_to_question(given.answer, show.get("options") or ())


def _given(show: dict[str, Any], response: Json) -> dict[str, Json]:
    """What a server gets: the values of its fields, or that it gets none."""
    match response:
        case {"action": str(action), **rest} if action == DECLINE and not rest:
            return {"action": DECLINE}
    answer = _input(show, response)
    return answer if answer.get("action") == DISMISS else {"action": SUBMIT, "data": answer}


def _input(show: dict[str, Any], response: Json) -> dict[str, Json]:
    """The values of all steps alone. A field that must be filled in and isn't has its default, if any."""
    schema: Any = show.get(ANSWER_SCHEMA)
    match response:
        case {"action": str(action), "data": dict(data)} if action == SUBMIT:
            defaults = {
                name: field["default"]
                for name, field in schema["properties"].items()
                if "default" in field and name in schema["required"]
            }
            response = {"action": SUBMIT, "data": {**defaults, **data}}
    answer = _submission(show, response)
    if answer["action"] == DISMISS:
        return answer
    filled: Any = answer["data"]
    return {name: filled[name] for name in schema["properties"] if name in filled}


def _action(response: Json) -> dict[str, Json]:
    """An object with the name of what was done."""
    if not isinstance(response, dict):
        raise _refused("", 'the response must be {"action": "…"}, with whatever belongs to it')
    action = response.get("action")
    if not isinstance(action, str) or not action.strip() or len(action) > LONGEST_ACTION:
        raise _refused("/action", f"the action must be a text of 1 to {LONGEST_ACTION} characters")
    if len(msgspec.json.encode(response)) > LARGEST_SHOWN:
        raise _refused("", f"the answer has more than {LARGEST_SHOWN:,} bytes")
    return response


def _submission(show: dict[str, Any], response: Json) -> dict[str, Json]:
    answer = _action(response)
    schema = show.get(ANSWER_SCHEMA)
    asked = (SUBMIT, "data") if schema is not None and answer["action"] != DISMISS else (DISMISS,)
    if answer["action"] != asked[0]:
        expected = f"{SUBMIT} or {DISMISS}" if schema is not None else DISMISS
        raise _refused("/action", f"the action must be {expected}")
    for name in answer:
        if name not in ("action", *asked[1:]):
            raise _refused(f"/{_step(name)}", f"{name[:_SHOWN]!r} doesn't belong to this answer")
    if answer["action"] == SUBMIT:
        if "data" not in answer:
            raise _refused("/data", "the values of the fields are missing")
        _check_data(schema, answer["data"])
    return answer


def _check_data(schema: Any, data: Json) -> None:
    """`Rejected` for the first field, in the form's order, that is missing, too much or wrong."""
    if not isinstance(data, dict):
        raise _refused("/data", "the values of the fields must be an object, by their names")
    for name in data:
        if name not in schema["properties"]:
            raise _refused(f"/data/{_step(name)}", f"the form has no field {name[:_SHOWN]!r}")
    for name, field in schema["properties"].items():
        path = f"/data/{_step(name)}"
        if name not in data:
            if name in schema["required"]:
                raise _refused(path, f"the field {name!r} must be filled in")
            continue
        for error in Draft202012Validator(field, format_checker=_FORMATS).iter_errors(data[name]):
            raise _refused(path, f"the field {name!r} {words_of(error)}")


def words_of(error: ValidationError) -> str:
    """What is wrong with a value, as the end of a sentence about it."""
    wanted = error.validator_value
    match error.validator:
        case "type":
            return f"must be {'an' if str(wanted)[0] in 'aeiou' else 'a'} {wanted}"
        case "enum":
            return "must be one of its options"
        case "const":
            return "must be ticked"
        case "minItems":
            return f"needs at least {wanted}"
        case "maxItems":
            return f"may have at most {wanted}"
        case "minimum":
            return f"must be {wanted} or more"
        case "maximum":
            return f"must be {wanted} or less"
        case "minLength":
            return "must be filled in" if wanted == 1 else f"needs at least {wanted} characters"
        case "maxLength":
            return f"may have at most {wanted} characters"
        case "format" | "pattern" if _is_a_day(error.schema):
            return "must be a day such as 2026-07-31"
        case "format" | "pattern":
            return "must have the form that is asked for"
        case other:
            return f"doesn't fit its schema ({other})"


def _is_a_day(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("format") == "date"


def _step(name: str) -> str:
    return name[:_SHOWN].replace("~", "~0").replace("/", "~1")


def _refused(path: str, why: str) -> Rejected:
    return Rejected(why, kind="invalid_request", path=path)
