"""Every route that writes takes an `Idempotency-Key` or needs none, and none forgets its key."""

import inspect
from collections.abc import AsyncGenerator, Generator
from typing import Any, Self

import msgspec
import pytest
from fastapi import APIRouter, FastAPI
from httpx import ASGITransport, AsyncClient

from gateway.http.api import api
from gateway.http.openapi_document import document
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.keyed_route import KEY, KeyedRoute
from gateway.operations.idempotency import IdempotentRequest, keys_used

WRITES = ("post", "put", "patch", "delete")
GIVEN = "the-key-of-this-request"

READS = {
    "previewBisect",
    "previewAgentRewind",
    "previewSchedule",
    "queryDatabase",
    "tryPolicy",
}
"""They ask, and change nothing."""
TRIES = {"testAgentModel", "testDelegate", "testMcpServer", "testModel", "testNotificationChannel"}
"""Whoever repeats one means it: each tries anew."""
SETS = {
    "allowChatPartner",
    "beginMcpLogin",
    "createProgramToken",
    "createWakeCredentials",
    "deleteNotificationChannel",
    "deleteSecret",
    "discardDeadLetter",
    "endHandOver",
    "endMcpLogin",
    "changeAgentSettings",
    "changeNotificationPreferences",
    "changeSettings",
    "forgetSiteLogin",
    "lookAtSession",
    "putNotificationChannel",
    "putSecret",
    "removeChatPartner",
    "resetAllModelAdaptations",
    "resetModelAdaptations",
    "revertAgentSetting",
    "revertSetting",
    "revokeLogin",
    "revokeLogins",
    "revokeProgramToken",
    "revokeWakeCredentials",
    "stopAppCalls",
    "subscribePush",
}
"""What they name is the same after a second time."""
ONCE_BY_ITSELF = {
    "handInboxWake": "a wake is handed on once",
    "importSession": "by the file's hash, or under new ids on purpose",
    "leaveInInbox": "by its `dedup_key`, where it has one",
    "loadPicture": "a path's file is the same for the same bytes",
    "postBrowserInputs": "each input has a number",
    "retryDeadLetter": "then the letter is gone",
    "unstickSession": "then nothing waits",
    "wake": "by the id of the CloudEvent",
}


def _operations() -> dict[str, bool]:
    """The operations that write, each with whether the document says that it takes a key."""
    return {
        operation["operationId"]: any(one.get("name") == KEY for one in operation.get("parameters", ()))
        for methods in document(api())["paths"].values()
        for method, operation in methods.items()
        if method in WRITES
    }


def test_each_operation_that_writes_takes_a_key_or_needs_none() -> None:
    takes = _operations()
    none = {name for name, key in takes.items() if not key}
    assert none == READS | TRIES | SETS | ONCE_BY_ITSELF.keys()
    assert len(takes) - len(none) >= 88


class Reached(Exception):
    """An operation was asked for something under the key."""


class Anything(msgspec.Struct):
    """Stands for whatever a route is given, and for what it gets: has every member, takes every call."""

    speaker = None
    """A person asks, and says nobody else's words."""

    def __getattr__(self, name: str) -> Self:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *given: object, **named: object) -> Self:
        if any(
            one == GIVEN or (isinstance(one, IdempotentRequest) and one.key == GIVEN)
            for one in (*given, *named.values())
        ):
            raise Reached
        return self

    def __str__(self) -> str:
        return "1"

    def __iter__(self) -> Generator[Any, None, None]:
        yield from ()

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        yield b"bytes"

    async def aclose(self) -> None:
        return

    def __await__(self) -> Generator[Any, None, Self]:
        yield from ()
        return self


UPLOADS = "uploadFiles"
"""Takes its key with its form: `test_files`."""
KEYED = [
    one
    for one in api().routes
    if isinstance(one, KeyedRoute) and one.takes_key and one.operation_id != UPLOADS
]


@pytest.mark.parametrize("route", KEYED, ids=lambda one: one.operation_id)
async def test_a_route_asks_under_the_key_that_it_was_given(route: KeyedRoute) -> None:
    (header,) = (one for one in route.dependant.header_params if one.alias == KEY)
    given: dict[str, Any] = {}
    endpoint = inspect.unwrap(route.endpoint)
    for name in inspect.signature(endpoint).parameters:
        word = name.endswith("_id") or any(one.name == name for one in route.dependant.path_params)
        given[name] = GIVEN if name == header.name else "1" if word else Anything()
        if name == "program":
            given[name] = None  # a person asks
    with pytest.raises(Reached):
        await endpoint(**given)


async def test_an_answer_without_the_key_is_a_bug_and_no_answer() -> None:
    router, app = APIRouter(route_class=KeyedRoute), FastAPI()

    @router.post("/uses", operation_id="uses")
    async def uses(key: KeyHeader = None) -> str:
        return str(asked(key).key)

    @router.post("/forgets", operation_id="forgets")
    async def forgets(key: KeyHeader = None) -> str:
        return str(asked(None).key)

    app.include_router(router)
    async with AsyncClient(transport=ASGITransport(app), base_url="http://foldline") as client:
        assert (await client.post("/uses", headers={KEY: GIVEN})).json() == GIVEN
        assert (await client.post("/forgets")).json() == "None"
        with pytest.raises(AssertionError, match="forgets did not use its Idempotency-Key"):
            await client.post("/forgets", headers={KEY: GIVEN})


def test_keys_are_noted_only_where_somebody_looks() -> None:
    with keys_used() as used:
        asked(GIVEN)
    asked("after")
    assert used == {GIVEN}
