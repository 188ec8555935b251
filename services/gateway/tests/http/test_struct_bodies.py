"""Structs as bodies and answers: what is taken, what is answered, and what is said of what doesn't fit."""

import inspect
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import msgspec
import pytest
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.routing import APIRoute
from httpx import ASGITransport, AsyncClient

from agent_contracts.api.policies import WritePolicy
from agent_contracts.api.wire import RequestBody, ResponseBody, SecretBody
from agent_contracts.entities.mcp_servers import Http, Stdio
from agent_contracts.errors import ErrorKind, Rejected, ToolError
from agent_contracts.form_inputs import MemberFlaw
from agent_contracts.wakes import check_source
from gateway.http.api import api
from gateway.http.openapi_document import document
from gateway.http.openapi_structs import schemas
from gateway.http.wire.known_query import KnownQueryRoute
from gateway.http.wire.struct_route import StructRoute
from gateway.operations.nats_runners import _call_failed


class Inner(RequestBody, frozen=True, kw_only=True):
    """A part."""

    n: Annotated[int, msgspec.Meta(ge=1)]
    even: int = 2

    def __post_init__(self) -> None:
        if self.even % 2:
            raise MemberFlaw("even", "This is odd")


class Given(RequestBody, frozen=True, kw_only=True):
    """What is given."""

    name: Annotated[str, msgspec.Meta(max_length=3)]
    mode: Literal["fast", "slow"] = "fast"
    inner: list[Inner] = msgspec.field(default_factory=list)
    counts: dict[str, Annotated[int, msgspec.Meta(ge=0)]] = msgspec.field(default_factory=dict)
    """How many of each."""
    server: Stdio | Http | None = None
    anything: Any = None


class Made(ResponseBody, frozen=True, kw_only=True):
    """What is made."""

    name: str
    at: datetime
    nothing: str | None = None
    none: list[int] = msgspec.field(default_factory=list)


@pytest.fixture
async def client() -> Any:
    router = APIRouter(route_class=StructRoute)

    @router.post("/make", status_code=201, operation_id="make")
    async def make(response: Response, body: Given) -> Made:
        """Make it."""
        response.headers["Location"] = "/made"
        return Made(name=f"{body.name} {body.mode} {body.anything!r}", at=datetime(2026, 1, 31, tzinfo=UTC))

    @router.post("/maybe", operation_id="maybe")
    async def maybe(body: Given | None = None) -> Made | Inner:
        """Make it, or not."""
        return Inner(n=1) if body is None else Made(name=body.name, at=datetime(2026, 1, 31, tzinfo=UTC))

    @router.post("/seen", operation_id="seen")
    async def seen(body: Inner, request: Request) -> Made:
        """An endpoint that looks at the request, too."""
        return Made(name=f"{body.n} {request.method}", at=datetime(2026, 1, 31, tzinfo=UTC))

    lists = APIRouter(route_class=KnownQueryRoute)

    @lists.get("/listed", operation_id="listed")
    async def listed(limit: int = 1) -> int:
        """List so many."""
        return limit

    app = api()
    app.router.routes.extend([*router.routes, *lists.routes])
    async with AsyncClient(transport=ASGITransport(app), base_url="http://foldline") as client:
        yield client


async def test_a_body_is_read_and_an_answer_written_whole(client: AsyncClient) -> None:
    made = await client.post("/make", json={"name": "a", "anything": {"x": [1.5, None]}})
    assert (made.status_code, made.headers["location"]) == (201, "/made")
    assert made.headers["content-type"] == "application/json"
    assert made.json() == {
        "name": "a fast {'x': [1.5, None]}",
        "at": "2026-01-31T00:00:00Z",
        "nothing": None,
        "none": [],
    }


async def test_a_body_may_be_left_out_where_the_route_says_so(client: AsyncClient) -> None:
    assert (await client.post("/maybe")).json() == {"n": 1}
    assert (await client.post("/maybe", json=None)).status_code == 200
    assert (await client.post("/maybe", json={"name": "a"})).json()["name"] == "a"
    refused = await client.post("/make")
    assert (refused.status_code, refused.json()["path"]) == (422, "")


async def test_an_endpoint_may_ask_for_the_request_beside_its_body(client: AsyncClient) -> None:
    assert (await client.post("/seen", json={"n": 4})).json()["name"] == "4 POST"


def test_every_endpoint_of_the_api_is_given_all_that_it_asks_for() -> None:
    routes = [route for route in api().routes if isinstance(route, APIRoute)]
    assert len(routes) > 150
    for route in routes:
        told = route.dependant
        fields = (told.path_params, told.query_params, told.header_params, told.cookie_params)
        given = {field.name for some in (*fields, told.body_params) for field in some}
        given |= {one.name for one in told.dependencies if one.name}
        given |= {told.request_param_name or "", told.response_param_name or ""}
        asked = set(inspect.signature(route.endpoint).parameters)
        assert asked <= given, f"{route.methods} {route.path}: {asked - given}"


@pytest.mark.parametrize(
    ("body", "path", "words"),
    [
        ({}, "/name", "missing"),
        ([], "", "must be an object"),
        ({"name": 5}, "/name", "must be a string, not a whole number"),
        ({"name": "abcd"}, "/name", "at most 3 characters"),
        ({"name": "a", "nam": 1}, "/nam", "no such member; did you mean name?"),
        ({"name": "a", "inner": [{"n": 1, "evn": 1}]}, "/inner/0/evn", "did you mean even?"),
        ({"name": "a", "mode": "secret-thing"}, "/mode", "one of `fast`, `slow`"),
        ({"name": "a", "inner": [{"n": 1}, {"n": 0}]}, "/inner/1/n", "at least 1"),
        ({"name": "a", "inner": [{"n": True}]}, "/inner/0/n", "must be a whole number, not true or false"),
        ({"name": "a", "inner": [{}]}, "/inner/0/n", "missing"),
        ({"name": "a", "inner": [{"n": 1, "secret-thing": 1}]}, "/inner/0/secret-thing", "no such member"),
        ({"name": "a", "inner": [{"n": 1, "even": 3}]}, "/inner/0/even", "This is odd"),
        ({"name": "a", "inner": None}, "/inner", "must be a list, not null"),
        ({"name": "a", "counts": {"x": 1, "a/b": -1, "y": 2}}, "/counts/a~1b", "at least 0"),
        ({"name": "a", "server": {"kind": "pigeon"}}, "/server/kind", "not one of the kinds"),
        ({"name": "a", "server": {"kind": "stdio", "command": "a", "shell": 1}}, "/server/shell", "no such"),
        (
            {"name": "a", "server": {"kind": "stdio", "command": "a", "env": {"A": 1}}},
            "/server/env/A",
            "a string",
        ),
    ],
)
async def test_what_does_not_fit_is_named_by_its_path(
    client: AsyncClient, body: Any, path: str, words: str
) -> None:
    refused = await client.post("/make", json=body)
    problem = refused.json()
    assert (refused.status_code, problem["kind"], problem["path"]) == (422, "invalid_request", path)
    assert words in problem["detail"]
    assert "secret-thing" not in problem["errors"][0]["message"]


async def test_every_member_that_is_wrong_is_named_at_once(client: AsyncClient) -> None:
    refused = await client.post("/make", json={"mode": 1, "inner": [{"n": 0}], "more": 1})
    assert [one["where"] for one in refused.json()["errors"]] == [
        "body/name",
        "body/mode",
        "body/inner/0/n",
        "body/more",
    ]


async def test_a_body_that_is_not_sent_as_json_is_refused(client: AsyncClient) -> None:
    plain = {"Content-Type": "text/plain"}
    assert (await client.post("/make", content=b'{"name":"a"}', headers=plain)).status_code == 422
    assert (await client.post("/make", content=b"{", headers={"Content-Type": "application/json"})).json()[
        "kind"
    ] == "invalid_request"


def test_the_description_has_every_member_and_its_words() -> None:
    given = schemas((Given, Made))["Given"]
    assert (given["required"], given["additionalProperties"]) == (["name"], False)
    assert given["properties"]["counts"]["description"] == "How many of each."
    assert "default" not in given["properties"]["server"]
    described = document(FastAPI(routes=api().routes, title="a", version="1"))["components"]["schemas"]
    assert {"Problem", "EventRecord", "Delta", "WritePolicy"} <= described.keys()


def test_a_body_with_a_secret_is_not_shown() -> None:
    class Hidden(SecretBody, frozen=True, kw_only=True):
        """Holds one."""

        value: str

    assert "hunter2" not in repr(Hidden(value="hunter2"))


@pytest.mark.parametrize(
    "rules",
    [[{"verdict": "maybe", "match": {}}], [{"verdict": "allow", "match": {"tool": ""}}]],
)
def test_a_policy_with_a_rule_that_can_not_be_is_refused(rules: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"preset": "free", "rules": rules}, WritePolicy)


@pytest.mark.parametrize(
    ("query", "path", "words"),
    [("limt=3", "/limt", "did you mean limit?"), ("limit=many", "/limit", "query/limit")],
)
async def test_a_parameter_at_fault_is_named_by_its_path(
    client: AsyncClient, query: str, path: str, words: str
) -> None:
    problem = (await client.get(f"/listed?{query}")).json()
    assert (problem["kind"], problem["path"]) == ("invalid_request", path)
    assert words in problem["detail"]


def test_arguments_at_fault_are_named_within_the_body() -> None:
    for at, path in ((None, "/arguments"), ("/city", "/arguments/city")):
        failed = _call_failed(ToolError(ErrorKind.INVALID_ARGUMENTS, "not so", path=at), None)
        assert failed.details is not None
        assert failed.details["path"] == path


def test_a_name_that_no_token_can_have_is_named() -> None:
    for name in ("person", "Desk"):
        with pytest.raises(Rejected) as refused:
            check_source(name)
        assert refused.value.path == "/name"


def test_the_schema_of_a_name_says_what_is_taken() -> None:
    for one in ("NewProgramToken", "NewCredentials"):
        name = document(api())["components"]["schemas"][one]["properties"]["name"]
        assert (name["maxLength"], name["pattern"]) == (24, "^[a-z][a-z0-9-]*$")
