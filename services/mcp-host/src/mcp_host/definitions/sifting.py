"""What a server sent, part by part: a part that is malformed takes no other with it.

The SDK takes a list, or the result of a call, as a whole or not at all. So each part is looked at before the
SDK sees the message: what is malformed is taken out, and named under `FOUND` in the `_meta` of the result.
Pure.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, get_args

import mcp_types as types
import msgspec
from mcp.shared.inbound import find_invalid_x_mcp_header
from mcp_types.methods import SERVER_RESULTS, validate_server_result
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ValidationError

from agent_contracts.json_value import Json

FOUND = "foldline/found"
"""Where a `SiftingReport` lies in the `_meta` of a result. What a server puts there is thrown away."""
CALL = "tools/call"
_LISTS: Mapping[str, tuple[str, type[BaseModel]]] = {
    "tools/list": ("tools", types.Tool),
    "prompts/list": ("prompts", types.Prompt),
    "resources/list": ("resources", types.Resource),
    "resources/templates/list": ("resourceTemplates", types.ResourceTemplate),
}
SIFTED = frozenset((*_LISTS, CALL))
"""The methods whose results are looked at part by part."""
_REQUIRED: Mapping[str, Json] = {"ttlMs": 0, "cacheScope": "private", "resultType": "complete"}
"""What stands for a member of a result that is missing or malformed, and says nothing of its parts."""
_LONGEST, _NOTES = 300, 20
_PASSES = 2
"""What replaces a member is well-formed, so that a second look finds what the first one hid."""


class FlawedEntry(msgspec.Struct, frozen=True):
    """An entry of a list that can't be used: its name, if it has one, its place in the page, and why."""

    name: str
    at: int
    flaw: str


class SiftingReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was found in a result: `flawed` entries of a list, `notes` of what else was left out, and the
    bytes of the whole, as JSON."""

    flawed: tuple[FlawedEntry, ...] = ()
    notes: tuple[str, ...] = ()
    size: int = 0


def found_in(result: types.Result) -> SiftingReport:
    """What the sifting found in this result."""
    return msgspec.convert((result.meta or {}).get(FOUND, {}), SiftingReport)


def sifted(method: str, version: str, result: Mapping[str, Any]) -> dict[str, Any]:
    """The result of this method without what is malformed, which is named in its `_meta`."""
    notes: list[str] = []
    flawed: tuple[FlawedEntry, ...] = ()
    if method == CALL:
        whole = _call(version, result, notes)
    else:
        whole, flawed = _listed(method, version, result, notes)
    if whole is None:
        return dict(result)
    size = len(json.dumps(result)) if method in _LISTS else 0
    found = SiftingReport(flawed, tuple(notes[:_NOTES]), size)
    meta = whole.get("_meta")
    whole["_meta"] = {**(meta if isinstance(meta, dict) else {}), FOUND: msgspec.to_builtins(found)}
    return whole


def _listed(
    method: str, version: str, result: Mapping[str, Any], notes: list[str]
) -> tuple[dict[str, Any], tuple[FlawedEntry, ...]]:
    member, model = _LISTS[method]
    entries = result.get(member)
    if not isinstance(entries, list):
        notes.append(f"what it sent as {member} is not a list")
        entries = []
    around = _around(method, version, {**result, member: []}, notes)
    good: list[Any] = []
    flawed: list[FlawedEntry] = []
    for at, entry in enumerate(entries):
        flaw = _flaw(method, version, {**around, member: [entry]}, model, entry)
        if flaw:
            flawed.append(FlawedEntry(_name(entry), at, flaw[:_LONGEST]))
        else:
            good.append(entry)
    return {**around, member: good}, tuple(flawed)


def _around(method: str, version: str, result: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    """The members besides the parts, each as the protocol has it, or left out."""
    found = dict(result)
    for _ in range(_PASSES):
        for name in {one for one in _problems(method, version, found) if one in found or one in _REQUIRED}:
            if name in found:
                notes.append(f"its {name[:100]!r} is malformed")
            found.pop(name, None)
            if name in _REQUIRED:
                found[name] = _REQUIRED[name]
    return found


def _problems(method: str, version: str, result: dict[str, Any]) -> Iterator[str]:
    """The name of each member that is malformed or missing."""
    try:
        _validate(method, version, result)
    except ValidationError as error:
        for one in error.errors(include_url=False, include_context=False, include_input=False):
            yield str(one["loc"][0]) if one["loc"] else ""


def _validate(method: str, version: str, result: dict[str, Any]) -> None:
    """Raises ValidationError where the SDK would refuse it."""
    if (method, version) not in SERVER_RESULTS:
        return  # this version has no such method: the server refuses it itself
    if method != CALL:
        validate_server_result(method, version, result)
        return
    surface: Any = SERVER_RESULTS[CALL, version]
    of_version = next(one for one in get_args(surface) or (surface,) if one.__name__ == "CallToolResult")
    of_version.model_validate(result, by_name=False)
    types.CallToolResult.model_validate(result, by_name=False)


def _flaw(method: str, version: str, page: dict[str, Any], model: type[BaseModel], entry: Any) -> str:
    """Why the entry can't be used; empty if it can."""
    if not isinstance(entry, dict):
        return f"it is {_kind(entry)}, not an object"
    try:
        _validate(method, version, page)
        model.model_validate(entry, by_name=False)
        if version in MODERN_PROTOCOL_VERSIONS and model is types.Tool:
            reason = find_invalid_x_mcp_header(entry.get("inputSchema"))
            return f"it can't be called as its schema says: {reason}" if reason else ""
    except ValidationError as error:
        return _words(error, entry)
    except RecursionError:
        return "it is nested too deep"
    except ValueError as error:
        return f"it can't be read: {error}"
    return ""


def _words(error: ValidationError, entry: dict[str, Any]) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    steps = [*first["loc"]]
    while steps and not (isinstance(steps[0], str) and steps[0] in entry):
        if len(steps) == 1:
            break
        steps.pop(0)
    where = ".".join(str(step) for step in steps)[:100] or "it"
    if first["type"] == "missing":
        return f"{where!r} is missing"
    said = first["msg"]
    return f"{where!r} is malformed: {said[:1].lower()}{said[1:]}"


def _kind(entry: Any) -> str:
    match entry:
        case None:
            return "null"
        case bool():
            return "true or false"
        case str():
            return "text"
        case int() | float():
            return "a number"
        case _:
            return "a list"


def _name(entry: Any) -> str:
    if not isinstance(entry, dict):
        return ""
    said = (entry.get(member) for member in ("name", "uri", "uriTemplate"))
    return next((one for one in said if isinstance(one, str) and one), "")


def _call(version: str, result: Mapping[str, Any], notes: list[str]) -> dict[str, Any] | None:
    """The result of a call; None for an answer that is none yet, as a task."""
    if result.get("resultType", "complete") != "complete" or "task" in result:
        return None
    said = result.get("content", [])
    parts = said if isinstance(said, list) else [said]
    whole: dict[str, Any] = {**result, "content": []}
    structured = whole.get("structuredContent")
    if "structuredContent" in _problems(CALL, version, whole):
        parts = [*parts, {"type": "text", "text": json.dumps(structured, ensure_ascii=False)}]
    around = _around(CALL, version, whole, notes)
    content = []
    for number, part in enumerate(parts, 1):
        if isinstance(part, str):
            content.append({"type": "text", "text": part})
        elif not any(_problems(CALL, version, {**around, "content": [part]})):
            content.append(part)
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            content.append({"type": "text", "text": part["text"]})
        else:
            notes.append(f"part {number} of its answer is malformed and was left out")
    return {**around, "content": content}
