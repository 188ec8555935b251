"""The door for other services, and their credentials."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import PlainTextResponse

from agent_contracts.api.wakes import (
    AllowedWakes,
    MadeCredentials,
    NewCredentials,
    RevokedCredentials,
    WakeReceipt,
)
from agent_contracts.api.wire import Page
from agent_contracts.wakes import PERSON, read_wake
from gateway.http.wire.known_query import AnyQueryRoute
from gateway.http.wire.one_of import one_of
from gateway.http.wire.parameters import Using
from gateway.http.wire.problem_docs import problem_responses
from gateway.http.wire.resource import V1, resource

router = resource("wakes")
_by_services = APIRouter(prefix=V1, tags=["wakes"], responses=problem_responses(), route_class=AnyQueryRoute)

NamePath = Annotated[
    str,
    Path(max_length=64, description="Name of the credentials: 1 to 24 of a-z, 0-9 and `-`, a letter first."),
]
_SENT = {
    "requestBody": {
        "required": True,
        "content": {
            "application/cloudevents+json": {"schema": {"$ref": "#/components/schemas/CloudEventWake"}},
            "application/json": {"schema": {"$ref": "#/components/schemas/WakeData"}},
        },
    }
}


@_by_services.post("/wakes", status_code=202, operation_id="wake", openapi_extra=_SENT)
async def wake(operations: Using, request: Request) -> WakeReceipt:
    """Wake a session, or an agent, by a CloudEvent 1.0, structured or binary. Its source is the name of the
    credentials it came with; the same id is delivered once in 24 hours."""
    body = await request.body()
    found = read_wake(request.headers, body)
    source = getattr(request.state, "wake_source", PERSON)
    return await operations.wakes.deliver(source, found, len(body))


@router.get("/wake-credentials", operation_id="listWakeCredentials")
async def list_credentials(operations: Using) -> Page[AllowedWakes]:
    """The services that may wake sessions."""
    return await operations.wake_credentials.list()


@router.get("/wake-users", operation_id="getWakeUsers", response_class=PlainTextResponse)
async def nats_users(operations: Using) -> PlainTextResponse:
    """The services that may wake sessions, as lines for a NATS server that runs by itself: passwords are
    hashes."""
    return PlainTextResponse(await operations.wake_credentials.nats_users())


@router.post("/wake-credentials", status_code=201, operation_id="createWakeCredentials")
async def create(operations: Using, body: NewCredentials) -> MadeCredentials:
    """Let a service in. The token is shown this once."""
    return await operations.wake_credentials.create(body)


@router.get("/wake-credentials/{name}", operation_id="getWakeCredentials")
async def get_credentials(operations: Using, name: NamePath) -> AllowedWakes:
    """What a service may do."""
    allowed = await operations.wake_credentials.list()
    return one_of(allowed, lambda one: one.name == name, f"wake credentials named {name!r}")


@router.delete("/wake-credentials/{name}", operation_id="revokeWakeCredentials")
async def revoke(operations: Using, name: NamePath) -> RevokedCredentials:
    """Let a service in no longer, at once."""
    return await operations.wake_credentials.revoke(name)


router.routes[:0] = _by_services.routes
