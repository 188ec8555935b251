"""From the JSON Schema of an object to the fields of a form: how each is drawn, and what it takes."""

from typing import Any

import msgspec

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_tools.json_schemas import JsonSchema

_LONGEST_LINE = 2_000
_LONGEST_TEXT = 50_000
_MOST_ITEMS = 500
_MOST_OPTIONS = 200
_NUMBERS = ("minimum", "maximum")
_FORMATS: dict[str, tuple[dict[str, Json], str]] = {
    "email": ({"pattern": r"^[^@\s]+@[^@\s]+$"}, "An e-mail address."),
    "uri": ({"pattern": r"^[A-Za-z][A-Za-z0-9+.-]*:\S+$"}, "An address, such as https://example.org."),
    "date": ({"format": "date"}, "A date, such as 2026-03-29."),
    "date-time": (
        {"pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$"},
        "A time with its offset, such as 2026-03-29T08:30:00Z.",
    ),
}
"""What a text must look like, and how that is said to a person."""


class FormField(msgspec.Struct, frozen=True):
    """A field of a form. `type`: text, textarea, number, integer, checkbox, select, cards, many (any of the
    options) or lines (one value a line). `schema` is what its value must fit."""

    name: str
    type: str
    required: bool
    schema: dict[str, Json]
    label: str
    help: str = ""
    options: list[Json] | None = None

    @property
    def shown(self) -> dict[str, Json]:
        """What is put before the person."""
        return {
            "name": self.name,
            "label": self.label,
            "help": self.help,
            "type": self.type,
            "options": self.options,
            "required": self.required,
            "default": self.schema.get("default"),
        }


def fields_of(schema: dict[str, Any], path: str) -> list[FormField]:
    """The fields, in the schema's order. `Rejected` with the path of what can't be asked."""
    properties = schema.get("properties")
    if schema.get("type", "object") != "object" or not isinstance(properties, dict) or not properties:
        raise wrong(f"{path}/properties", "a step's schema must be of type object and have properties")
    required = schema.get("required", [])
    if not isinstance(required, list) or any(name not in properties for name in required):
        raise wrong(f"{path}/required", "required must list names of the properties")
    return [
        _field(name, one, name in required, f"{path}/properties/{_step(name)}")
        for name, one in properties.items()
    ]


def _field(name: str, given: Any, required: bool, path: str) -> FormField:
    if not isinstance(given, dict):
        raise wrong(path, "a property must be a JSON Schema")
    if not name or len(name) > 100:
        raise wrong(path, "a property's name has 1 to 100 characters")
    kind, schema, options = _kind(given, required, path)
    if "default" in given:
        _check_default(given["default"], schema, path)
        schema = {**schema, "default": given["default"]}
    label, words = (given.get(part) for part in ("title", "description"))
    return FormField(
        name=name,
        type=kind,
        required=required,
        schema=schema,
        label=label[:200] if isinstance(label, str) and label else name,
        help=_help(words, given.get("format")) if kind == "text" else _help(words, None),
        options=options,
    )


def _help(words: Any, form: Any) -> str:
    said = [words[:2_000]] if isinstance(words, str) and words else []
    return " ".join([*said, *([_FORMATS[form][1]] if form in _FORMATS else [])])


def _kind(given: dict[str, Any], required: bool, path: str) -> tuple[str, dict[str, Json], list[Json] | None]:
    """How it is drawn, the schema of its value, and what there is to choose from."""
    options = _options(given, path)
    if options is not None:
        kind = "select" if "enum" in given else "cards"
        return kind, {"enum": [one["value"] for one in options]}, [*options]
    match given.get("type"):
        case "string":
            long = given.get("format") == "textarea"
            most = _LONGEST_TEXT if long else _LONGEST_LINE
            least = max(_size(given, "minLength", 0), 1 if required else 0)
            limits: dict[str, Json] = {"maxLength": min(_size(given, "maxLength", most), most)}
            limits |= {"minLength": least} if least else {}
            form = given.get("format")
            limits |= _FORMATS[form][0] if isinstance(form, str) and form in _FORMATS else {}
            return "textarea" if long else "text", {"type": "string", **limits}, None
        case "number" | "integer" as number:
            limits = {name: given[name] for name in _NUMBERS if _is_number(given.get(name))}
            return number, {"type": number, **limits}, None
        case "boolean":
            return "checkbox", {"type": "boolean"}, None
        case "array":
            return _array(given, required, path)
        case other:
            raise wrong(
                f"{path}/type",
                f"{other!r} can't be asked for: there are string, number, integer, boolean, enum, "
                "oneOf and arrays of these",
            )


def _array(
    given: dict[str, Any], required: bool, path: str
) -> tuple[str, dict[str, Json], list[Json] | None]:
    items = given.get("items")
    if not isinstance(items, dict):
        raise wrong(f"{path}/items", "an array needs items: what can be chosen, or their type")
    kind, schema, options = _kind(items, True, f"{path}/items")
    if kind not in ("select", "cards", "text", "number", "integer"):
        raise wrong(f"{path}/items", "an array's items are texts or numbers, or have enum or oneOf")
    least = max(_size(given, "minItems", 0), 1 if required else 0)
    limits: dict[str, Json] = {"maxItems": min(_size(given, "maxItems", _MOST_ITEMS), _MOST_ITEMS)}
    limits |= {"minItems": least} if least else {}
    unique: dict[str, Json] = {"uniqueItems": True} if options is not None else {}
    return (
        "lines" if options is None else "many",
        {"type": "array", "items": schema, **limits, **unique},
        options,
    )


def _options(given: dict[str, Any], path: str) -> list[dict[str, Json]] | None:
    """What there is to choose from: of `enum` the values, of `oneOf` or `anyOf` with what is said of each."""
    part = next((one for one in ("oneOf", "anyOf", "enum") if one in given), None)
    if part is None:
        return None
    listed = given[part]
    if not isinstance(listed, list) or not 1 <= len(listed) <= _MOST_OPTIONS:
        raise wrong(f"{path}/{part}", f"{part} must list 1 to {_MOST_OPTIONS} options")
    options = [_option(one, part, f"{path}/{part}/{at}") for at, one in enumerate(listed)]
    names = given.get("enumNames")
    if part == "enum" and isinstance(names, list) and len(names) == len(options):
        options = [{**one, "label": str(name)} for one, name in zip(options, names, strict=True)]
    values = [(type(one["value"]), one["value"]) for one in options]
    if any(values.count(value) > 1 for value in values):
        raise wrong(f"{path}/{part}", "an option appears more than once")
    return options


def _option(one: Any, part: str, path: str) -> dict[str, Json]:
    said: dict[str, Any] = one if part != "enum" and isinstance(one, dict) else {"const": one}
    value = said.get("const")
    if not isinstance(value, str | int | float | bool):
        raise wrong(path, "an option is a text, a number or a boolean, in oneOf as its const")
    label, words = said.get("title"), said.get("description")
    return {
        "value": value,
        "label": label if isinstance(label, str) and label else str(value),
        "help": words if isinstance(words, str) else "",
    }


def _check_default(default: Json, schema: dict[str, Json], path: str) -> None:
    problems = JsonSchema.of(schema, path).problems(default, 1)
    if problems:
        raise wrong(f"{path}/default", f"the field can't have this default: {problems[0][1]}")


def _size(given: dict[str, Any], name: str, otherwise: int) -> int:
    value = given.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else otherwise


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def wrong(path: str, why: str) -> Rejected:
    """The refusal of what stands at `path` (a JSON Pointer)."""
    return Rejected(why, kind=ErrorKind.INVALID_ARGUMENTS, path=path)


def _step(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
