"""The OpenAPI document is whole, and whatever it allows (or not) never makes the gateway fail."""

import json
import subprocess
import sys
from collections import Counter
from functools import cache
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_contracts.api.problems import Kind
from agent_contracts.field_words import FIELD_WORDS
from foldline_testing.gateway.running import RunningGateway, Start
from gateway.http.api import api
from gateway.http.openapi_document import document

pytestmark = pytest.mark.processes


@cache
def described() -> dict[str, Any]:
    """The document; made by those who ask, since it takes a second."""
    return document(api())


@cache
def operations() -> list[tuple[str, str, dict[str, Any]]]:
    """Path, method and description of each."""
    return [
        (path, method, operation)
        for path, methods in described()["paths"].items()
        for method, operation in methods.items()
    ]


def test_the_document_is_printed_without_any_server() -> None:
    printed = subprocess.run([sys.executable, "-m", "gateway.http.openapi"], capture_output=True, check=True)
    assert json.loads(printed.stdout) == described()


def test_no_operation_is_declared_twice() -> None:
    """Of two routes at one address one answers, and the document may name the other."""
    declared = Counter(
        (method, route.path)
        for route in api().routes
        if isinstance(route, APIRoute) and route.include_in_schema
        for method in route.methods or ()
    )
    assert [one for one, times in declared.items() if times > 1] == []
    assert len(declared) == len(operations())


def test_every_reference_leads_somewhere() -> None:
    schemas = described()["components"]["schemas"]

    def references(value: Any) -> set[str]:
        if isinstance(value, dict):
            here = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
            return here.union(*map(references, value.values()))
        return set().union(*map(references, value)) if isinstance(value, list) else set()

    used = references(described())
    assert {f"#/components/schemas/{name}" for name in schemas} >= used
    assert len(used) > 20


def test_every_operation_says_what_it_answers() -> None:
    for path, method, operation in operations():
        asked = f"{method} {path}"
        assert operation["operationId"], asked
        assert operation["description"], asked
        successes = [status for status in operation["responses"] if status.startswith("2")]
        assert len(successes) == (2 if operation["operationId"] == "postMessage" else 1), asked
        for success in successes:
            answers = operation["responses"][success]["content"].values()
            assert all(answer["schema"] for answer in answers), asked
        if path.startswith("/api/"):
            for status in ("4XX", "5XX"):
                answers = operation["responses"][status]["content"]
                assert list(answers) == ["application/problem+json"], asked
        assert "422" not in operation["responses"], asked


def test_every_field_and_parameter_has_a_description() -> None:
    fields = [
        f"{name}.{field}"
        for name, schema in described()["components"]["schemas"].items()
        for field, member in schema.get("properties", {}).items()
        if not member.get("description")
    ]
    parameters = [
        f"{method} {path}: {one['name']}"
        for path, method, operation in operations()
        for one in operation.get("parameters", ())
        if not one.get("description")
    ]
    assert [*fields, *parameters] == []


def test_descriptions_by_name_are_those_of_several_fields() -> None:
    used = Counter(
        name
        for schema in described()["components"]["schemas"].values()
        for name, member in schema.get("properties", {}).items()
        if member.get("description") == FIELD_WORDS.get(name)
    )
    assert {name for name in FIELD_WORDS if used[name] < 2} == set(), "describe those right below the field"


def test_the_kinds_of_problems_are_closed() -> None:
    assert set(described()["components"]["schemas"]["Kind"]["enum"]) == set(Kind)


WORDS = st.one_of(
    st.sampled_from(
        ["default", "s_x", "c1", "a.>", "*", "..", "~", "0", "1", "-1", "NaN", "true", "9" * 25, ""]
    ),
    st.integers().map(str),
    st.text(max_size=30),
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | WORDS
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["text", "title", "message", "call_id", "response", "token_limit", "agent_id", "model", "files", "answer"]
)
BODIES = st.one_of(
    st.dictionaries(KEYS, VALUES, max_size=5).map(lambda body: json.dumps(body).encode()),
    VALUES.map(lambda body: json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")),
    st.binary(max_size=60),
)
LATER = {"projection_behind", "unavailable"}
"""No engine runs here, and no projector: only what needs them may say so."""


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    path, method, operation = draw(st.sampled_from(operations()))
    query: dict[str, str] = {}
    headers: dict[bytes, bytes] = {}
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path":
            known = st.just("KNOWN") if parameter["name"] == "session_id" else st.just("1")
            value = draw(st.one_of(known, known, WORDS)) or "x"
            path = path.replace(f"{{{parameter['name']}}}", quote(value, safe="", errors="replace"))
        elif draw(st.booleans()):
            value = draw(WORDS)
            if parameter["in"] == "query":
                query[parameter["name"]] = value.encode("utf-8", "replace").decode()
            else:
                sent = value.encode("utf-8", "replace").translate(None, bytes(range(32))).strip()
                headers[parameter["name"].encode()] = sent
    request: dict[str, Any] = {"method": method.upper(), "url": path, "params": query, "headers": headers}
    if "requestBody" in operation and draw(st.integers(0, 9)):
        headers[b"Content-Type"] = b"application/json"
        request["content"] = draw(st.one_of(nearly(operation), BODIES))
    return request


LIKELY: dict[str, st.SearchStrategy[Any]] = {
    "text": st.text(max_size=30),
    "title": st.text(max_size=30),
    "message": st.text(max_size=30),
    "model": st.text(max_size=30),
    "token_limit": st.integers(),
    "agent_id": st.sampled_from(["default", "a1"]),
    "call_id": st.just("c1"),
    "response": VALUES,
    "files": st.just([]),
    "name": st.text(max_size=30),
    "id": st.sampled_from(["a1", "a2"]),
    "prompt": st.text(max_size=30),
    "version": st.integers(0, 3),
    "sequence": st.integers(0, 30),
    "value": VALUES,
    "operation": st.sampled_from(["replace", "find_replace", "append", "prepend", "delete"]),
    "content": st.text(max_size=30),
    "find": st.text(max_size=3),
    "replace": st.text(max_size=3),
    "replace_all": st.booleans(),
    "at": st.integers(0, 30),
    "to": st.integers(0, 30),
    "parts": st.lists(st.sampled_from(["conversation", "agent", "files"]), max_size=3),
    "including": st.just([{"kind": "state", "names": ["k"]}]),
    "mode": st.sampled_from(["strict", "live"]),
}


def nearly(operation: dict[str, Any]) -> st.SearchStrategy[bytes]:
    """A body with the right members, whose values are often right."""
    content = operation["requestBody"]["content"]
    if "application/json" not in content:
        return st.binary(max_size=60)
    schema = content["application/json"]["schema"]
    (name,) = [one["$ref"].rpartition("/")[2] for one in [schema, *schema.get("anyOf", ())] if "$ref" in one]
    members = described()["components"]["schemas"][name]["properties"]
    bodies = st.fixed_dictionaries({}, optional={member: LIKELY.get(member, VALUES) for member in members})
    return bodies.map(lambda body: json.dumps(body).encode())


@pytest.fixture
async def target(
    start: Start, projections: psycopg.AsyncConnection[Any], postgres_dsn: str
) -> RunningGateway:
    return await start(dsn=postgres_dsn, projection_wait_s=0.001)


def said_where(problem: dict[str, Any]) -> None:
    """What each 422 promises."""
    assert isinstance(problem["path"], str), problem
    assert problem["path"] == "" or problem["path"].startswith("/"), problem
    assert problem["errors"], problem
    for error in problem["errors"]:
        assert set(error) == {"where", "message"}, problem


TAKES_ANY_QUERY = {"/api/v1/wakes", "/healthz", "/readyz", "/metrics"}
"""Callers elsewhere add parameters of their own to these addresses."""


async def test_a_query_parameter_that_a_route_does_not_take_is_named(target: RunningGateway) -> None:
    for path, method, operation in operations():
        if path in TAKES_ANY_QUERY:
            continue
        names = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"]
        strange = f"{names[0]}s" if names else "statuss"
        answer = await target.client.request(
            method.upper(), path.replace("{", "").replace("}", ""), params={strange: "idle"}
        )
        assert answer.status_code == 422, (method, path, answer.text)
        problem = answer.json()
        said_where(problem)
        [error] = problem["errors"]
        assert error["where"] == f"query/{strange}", (method, path)
        assert strange in problem["detail"]
        if names:
            assert f"did you mean {names[0]}?" in error["message"], problem


async def test_what_others_add_to_a_wakes_address_is_passed_over(target: RunningGateway) -> None:
    event = {"specversion": "1.0", "id": "1", "source": "shop", "type": "order", "data": {"text": "hello"}}
    answer = await target.client.post(
        "/api/v1/wakes",
        params={"utm_source": "shop"},
        headers={"Content-Type": "application/cloudevents+json"},
        content=json.dumps(event),
    )
    assert "query" not in answer.text


async def test_a_body_of_no_use_is_a_problem_that_says_where(target: RunningGateway) -> None:
    session = await target.new_session()
    checked = 0
    for path, method, operation in operations():
        if "application/json" not in operation.get("requestBody", {}).get("content", {}):
            continue
        filled = path.replace("{session_id}", session).replace("{agent_id}", "default")
        for body in (b"[]", b'{"no such member": 1}', b"not JSON"):
            answer = await target.client.request(
                method.upper(),
                filled.replace("{", "").replace("}", ""),
                content=body,
                headers={"Content-Type": "application/json"},
            )
            assert answer.status_code >= 400, (method, path, body)
            if answer.status_code == 422:
                said_where(answer.json())
                checked += 1
    assert checked > 100


@settings(
    max_examples=150,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(request=requests())
async def test_no_request_makes_the_gateway_fail(target: RunningGateway, request: dict[str, Any]) -> None:
    asked = {**request, "url": request["url"].replace("KNOWN", await target.new_session())}
    async with target.client.stream(**asked) as answer:
        streaming = answer.headers["content-type"].startswith("text/event-stream")
        body = b"" if streaming else await answer.aread()
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/problem+json"
        problem = json.loads(body)
        assert problem["status"] == answer.status_code
        assert problem["kind"] in set(Kind)
        if answer.status_code == 422:
            said_where(problem)
        assert answer.status_code < 500 or problem["kind"] in LATER, problem
    else:
        assert answer.status_code in (200, 201, 202)
