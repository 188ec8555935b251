"""What a server asks a person for in the middle of a call: as it is shown to them, and their answer as it is
sent. Pure. All words are the server's, and what can't be seen in them is spelled out."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec
from mcp_types import ElicitRequestFormParams, ElicitRequestParams, ElicitRequestURLParams, ElicitResult

from agent_contracts.errors import ErrorKind, Permanent, Rejected
from agent_contracts.json_value import Json
from agent_contracts.sessions.rendering import ANSWER_SCHEMA, DECLINE, LARGEST_SHOWN, MCP_INPUT, SUBMIT
from agent_domain.mcp.offered_tools import escaped
from agent_platform.log.storable_text import storable
from agent_tools.forms import FormField, fields_of
from mcp_host.limits import ASKED_AT_ONCE, ASKED_FIELDS

_LONGEST = 4_000
"""Characters of what a server says, and of an address."""
_SCHEMES = ("https", "http")


class ServerQuestion(msgspec.Struct, frozen=True):
    """One thing that was asked, by the server's key; the fields by the names under which they were shown."""

    key: str
    mode: Literal["form", "url"]
    names: dict[str, str] = {}


def shown(
    server: str, tool: str, asked: Mapping[str, ElicitRequestParams], round_: int
) -> tuple[dict[str, Json], tuple[ServerQuestion, ...]]:
    """What is put before the person, and what it was made of. `Permanent(kind="upstream")` for what can't be
    asked."""
    if len(asked) > ASKED_AT_ONCE:
        raise _unaskable(f"{len(asked)} things at once; {ASKED_AT_ONCE} are the most")
    steps: list[Json] = []
    questions: list[ServerQuestion] = []
    properties: dict[str, Json] = {}
    required: list[str] = []
    for number, (key, params) in enumerate(asked.items()):
        said = escaped(params.message[:_LONGEST])
        if isinstance(params, ElicitRequestURLParams):
            steps.append({"title": None, "description": said, "fields": [], **_address(params.url)})
            questions.append(ServerQuestion(key, "url"))
            continue
        names: dict[str, str] = {}
        fields: list[Json] = []
        for field in _fields(params):
            name = field.name if field.name not in properties else f"{number}.{field.name}"
            names[name] = field.name
            properties[name] = field.schema
            required += [name] if field.required else []
            fields.append(_as_shown(field, name))
        steps.append({"title": None, "description": said, "fields": fields})
        questions.append(ServerQuestion(key, "form", names))
    if len(properties) > ASKED_FIELDS:
        raise _unaskable(f"{len(properties)} fields; {ASKED_FIELDS} are the most")
    show: dict[str, Json] = {
        "kind": MCP_INPUT,
        "title": f"The MCP server {server} asks you",
        "description": "",
        "server": server,
        "tool": tool,
        "round": round_,
        "steps": steps,
        ANSWER_SCHEMA: {
            "type": "object",
            "properties": properties,
            "required": [*required],
            "additionalProperties": False,
        },
    }
    if len(msgspec.json.encode(storable(show))) > LARGEST_SHOWN:
        raise _unaskable(f"more than {LARGEST_SHOWN:,} bytes")
    return show, tuple(questions)


def answers(questions: Sequence[ServerQuestion], answer: Json) -> dict[str, ElicitResult]:
    """The answer, by the server's keys. What isn't plainly given, or refused, was closed."""
    match answer:
        case {"action": action, "data": dict(data)} if action == SUBMIT:
            return {one.key: _accepted(one, data) for one in questions}
        case {"action": action} if action == DECLINE:
            return {one.key: ElicitResult(action="decline") for one in questions}
        case _:
            return {one.key: ElicitResult(action="cancel") for one in questions}


def is_given(answer: Json) -> bool:
    """Whether the person gave what was asked for."""
    return isinstance(answer, dict) and answer.get("action") == SUBMIT


def _accepted(question: ServerQuestion, data: Mapping[str, Any]) -> ElicitResult:
    if question.mode == "url":
        return ElicitResult(action="accept")
    content = {own: data[name] for name, own in question.names.items() if name in data}
    return ElicitResult(action="accept", content=content)


def _fields(params: ElicitRequestFormParams) -> list[FormField]:
    if not params.requested_schema.get("properties"):
        return []
    try:
        return fields_of(params.requested_schema, "")
    except (Rejected, RecursionError) as refused:
        raise _unaskable(f"a form that can't be drawn ({str(refused)[:500]})") from refused


def _as_shown(field: FormField, name: str) -> dict[str, Json]:
    plain = field.shown
    options: Json = plain["options"] and [
        {**one, "label": escaped(one["label"]), "help": escaped(one["help"])} for one in plain["options"]
    ]
    label, help_ = escaped(field.label), escaped(field.help)
    return {**plain, "name": name, "label": label, "help": help_, "options": options}


def _address(url: str) -> dict[str, Json]:
    """The whole address, and the host that it leads to. No other schemes: a browser would run some."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        raise _unaskable("an address that is none") from None
    if parts.scheme not in _SCHEMES or not host or len(url) > _LONGEST or not url.isascii():
        raise _unaskable(f"an address that can't be shown ({escaped(url[:200])})")
    if any(not char.isprintable() or char.isspace() for char in url) or parts.username is not None:
        raise _unaskable(f"an address that can't be shown ({escaped(url[:200])})")
    return {"url": url, "host": host}


def _unaskable(what: str) -> Permanent:
    message = f"the server asks the user for {what}: the call did not go on"
    return Permanent(message, kind=ErrorKind.UPSTREAM)
