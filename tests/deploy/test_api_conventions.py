"""The HTTP API has one grammar (`docs/api/conventions.md`), held over its OpenAPI document."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from gateway.http.api import api
from gateway.http.openapi_document import document

DOCUMENT = document(api())
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]
OPERATIONS = [
    (path, method, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]
IN_API = [one for one in OPERATIONS if one[0].startswith("/api/v1/")]

EXCEPTIONS = {
    "events keep what they were written with: CloudEvents' attribute, and all of their bodies": {
        "EventRecord.time",
    },
    "a time on somebody's clock, maybe without an offset, as the agent's tool and the log have it": {
        "Schedule.at",
        "NewSchedule.at",
        "WriteSchedule.at",
        "WhenRequest.at",
    },
}
"""Why something doesn't follow, and each field that doesn't. May only become fewer."""
EXCEPTED = {field for fields in EXCEPTIONS.values() for field in fields}
VERSION = re.compile(r"^/api/v1(/[a-z-]+|/\{[a-z_]+\})+(:[a-z-]+)?$")
MOMENTS = {"Fork", "Replay", "QueryDatabase"}
"""Requests for what was `at` an event."""


def _events() -> set[str]:
    """The types of events, and all that their bodies are made of."""
    waiting = [name for name, one in SCHEMAS.items() if {"event_id", "time"} <= {*one.get("properties", ())}]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += re.findall(r"#/components/schemas/(\w+)", json.dumps(SCHEMAS[name]))
    return found


EVENTS = _events()


def _properties() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The members of all that is no event and made of none."""
    for name, schema in SCHEMAS.items():
        for member, shape in (schema.get("properties") or {}).items():
            if name not in EVENTS:
                yield name, member, shape


def _kinds(shape: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in shape.get("anyOf", [shape]) if one.get("type") != "null"]


def _answers(operation: dict[str, Any]) -> dict[str, Any] | None:
    for status in ("200", "201", "202"):
        content = operation["responses"].get(status, {}).get("content", {})
        name = content.get("application/json", {}).get("schema", {}).get("$ref", "").rpartition("/")[2]
        if name:
            found: dict[str, Any] = SCHEMAS[name]
            return found
    return None


def _queries(operation: dict[str, Any]) -> dict[str, Any]:
    return {one["name"]: one for one in operation.get("parameters", ()) if one["in"] == "query"}


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS)
def test_a_list_is_items_with_a_cursor(path: str, method: str, operation: dict[str, Any]) -> None:
    answer, asked = _answers(operation), _queries(operation)
    members = answer.get("properties", {}) if answer else {}
    is_list = operation["operationId"].startswith("list")
    assert ("items" in members) >= is_list, "what lists answers `items`"
    assert ("items" in members) == ("next_cursor" in members)
    if "items" in members:
        assert answer is not None
        assert members["items"]["type"] == "array"
        assert members["next_cursor"] == {"anyOf": [{"type": "string"}, {"type": "null"}]} | (
            {"description": members["next_cursor"]["description"]}
            if "description" in members["next_cursor"]
            else {}
        )
        assert {"items", "next_cursor"} <= {*answer["required"]}
        others = [name for name, shape in members.items() if shape.get("type") == "array" and name != "items"]
        assert set(others) <= {"silent", "flaws", "gone", "operator", "left_out"}, "a page has one list"
    is_query = method == "get" and path != "/api/v1/events"
    assert ("cursor" in asked) <= is_query
    if "cursor" in asked:
        assert "items" in members
        assert "limit" in asked
        assert _kinds(asked["cursor"]["schema"])[0]["type"] == "string"
    assert not asked.keys() & {"before", "page", "offset", "from", "next_after"}


@pytest.mark.parametrize(("path", "method", "operation"), IN_API)
def test_acting_is_a_verb_after_a_colon(path: str, method: str, operation: dict[str, Any]) -> None:
    assert VERSION.fullmatch(path), path
    if ":" in path:
        assert method == "post"
    elif method == "post":
        made = operation["responses"].keys() & {"201"}
        answers_a_person = re.fullmatch(r"/api/v1/(approvals|questions)/\{\w+\}", path)
        assert answers_a_person or not path.endswith("}"), "a thing is made below its collection"
        assert made or answers_a_person or path.rpartition("/")[2].endswith("s") or path.endswith("/inbox")
    if method == "patch":
        body = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        assert "get" in DOCUMENT["paths"][path]
        assert SCHEMAS[body]["additionalProperties"] is False


@pytest.mark.parametrize(
    "path", [path for path, method, _ in IN_API if method in ("delete", "put", "patch")], ids=str
)
def test_what_is_changed_or_deleted_is_where_it_is_read(path: str) -> None:
    assert "get" in DOCUMENT["paths"][path], path


def _wrong_time(name: str, member: str, shape: dict[str, Any]) -> str | None:
    kinds = _kinds(shape)
    is_time = any(one.get("format") == "date-time" for one in kinds)
    if member.endswith("_at") and not (is_time and len(kinds) == 1):
        return "is no date-time"
    if is_time and not member.endswith("_at"):
        return "is a time: call it …_at"
    if member in ("began_at", "begun_at", "opened_at", "stopped_at"):
        return "say started_at and ended_at"
    if member in ("time", "since", "until", "when") and any(one.get("type") == "string" for one in kinds):
        return "is no name for a time"
    if member == "at" and name not in MOMENTS:
        return "is for requests of the past alone"
    return None


def test_each_operation_has_a_summary_of_its_own() -> None:
    summaries = [operation["summary"] for _, _, operation in OPERATIONS]
    assert [one for one in summaries if summaries.count(one) > 1] == []


def test_times_end_in_at_and_are_date_times() -> None:
    """But for those that are listed, each of which is needed; and no event but by its time."""
    found = {
        f"{name}.{member}": wrong
        for name, member, shape in _properties()
        if "enum" not in shape and (wrong := _wrong_time(name, member, shape)) is not None
    }
    assert {field: wrong for field, wrong in found.items() if field not in EXCEPTED} == {}
    assert EXCEPTED - found.keys() == {"EventRecord.time"}
    assert "time" in SCHEMAS["EventRecord"]["properties"]
    assert (len(EXCEPTIONS), len(EXCEPTED)) == (2, 5)


def test_numbers_of_records_and_addresses_say_so() -> None:
    wrong = []
    for name, member, shape in _properties():
        kinds = _kinds(shape)
        if member.endswith("sequence") and any(one.get("type") != "integer" for one in kinds):
            wrong.append(f"{name}.{member} is no number")
        if member.endswith("_address") and any(one.get("type") != "string" for one in kinds):
            wrong.append(f"{name}.{member} is no address")
    assert wrong == []


def test_ids_are_text_and_are_named_for_their_thing() -> None:
    wrong = [
        f"{name}.{member}"
        for name, member, shape in _properties()
        if (member == "id" or member.endswith("_id"))
        and any(one.get("type") != "string" for one in _kinds(shape))
    ]
    assert wrong == []
    for path, _, operation in IN_API:
        for one in operation.get("parameters", ()):
            if one["in"] == "path":
                assert one["name"] != "id", path


@pytest.mark.parametrize(
    ("path", "method", "operation"), [one for one in IN_API if one[0] != "/api/v1/wakes"]
)
def test_an_unknown_query_parameter_is_refused(path: str, method: str, operation: dict[str, Any]) -> None:
    """Before anything else of the request is looked at: so without a log, a token or a body."""
    with TestClient(api(), raise_server_exceptions=False) as client:
        asked = re.sub(r"\{\w+\}", "1", path)
        answer = client.request(method, asked, params={"curser": "x"})
    problem = answer.json()
    assert (answer.status_code, problem["kind"]) == (422, "invalid_request"), problem
    assert problem["errors"][0]["where"] == "query/curser"
    if "cursor" in _queries(operation):
        assert "did you mean cursor?" in problem["detail"]
