"""From a form's fields to the JSON Schema of its answer: the gateway, the page and the model go by it."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Any, assert_never

from agent_contracts.json_value import Json
from agent_tools.json_schemas import JsonSchema
from tool_runner.tools.rendering.blocks.problems import wrong
from tool_runner.tools.rendering.blocks.shapes import FormBlockField

_LONGEST_LINE = 2_000
_LONGEST_TEXT = 50_000
_DATE = r"^\d{4}-\d{2}-\d{2}$"


def answer_schema(fields: Sequence[FormBlockField], path: str) -> dict[str, Json]:
    """The schema of `data`: an optional field may be left out. `Rejected` for fields that can't be asked."""
    names: set[str] = set()
    for index, field in enumerate(fields):
        at = f"{path}/fields/{index}"
        if field.name in names:
            raise wrong(f"{at}/name", f"there is another field named {field.name!r}")
        names.add(field.name)
        _check_options(field, at)
        _check_default(field, at)
    return {
        "type": "object",
        "properties": {field.name: _schema_of(field, required=field.required) for field in fields},
        "required": [field.name for field in fields if field.required],
        "additionalProperties": False,
    }


def _schema_of(field: FormBlockField, *, required: bool) -> dict[str, Json]:
    least = {"minLength": 1} if required else {}
    match field.type:
        case "text":
            return {"type": "string", "maxLength": _LONGEST_LINE, **least}
        case "textarea":
            return {"type": "string", "maxLength": _LONGEST_TEXT, **least}
        case "number":
            return {"type": "number"}
        case "select":
            return {"type": "string", "enum": list(field.options or ())}
        case "checkbox":
            return {"type": "boolean", **({"const": True} if required else {})}
        case "date":
            return {"type": "string", "format": "date", "pattern": _DATE}
        case _ as never:
            assert_never(never)


def _check_options(field: FormBlockField, at: str) -> None:
    if field.type != "select":
        if field.options is not None:
            raise wrong(f"{at}/options", f"only a select has options, and this field is a {field.type}")
        return
    if not field.options:
        raise wrong(f"{at}/options", "a select needs options to choose from")
    if len(set(field.options)) < len(field.options):
        raise wrong(f"{at}/options", "an option appears more than once")


def _check_default(field: FormBlockField, at: str) -> None:
    default: Any = field.default
    if default is None:
        return
    problem = JsonSchema.of(_schema_of(field, required=False), at).problems(default, 1)
    if not problem and field.type == "date" and not _is_date(default):
        problem = [("", f"{default!r} is not a day such as 2026-07-31")]
    if problem:
        raise wrong(f"{at}/default", f"the field can't have this default: {problem[0][1]}")


def _is_date(text: str) -> bool:
    try:
        return bool(re.fullmatch(_DATE, text)) and bool(date.fromisoformat(text))
    except ValueError:
        return False
