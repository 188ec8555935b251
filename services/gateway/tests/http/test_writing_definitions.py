"""What a person writes of what an agent has made, with a stand-in for the runner that checks it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
import pytest

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.log.subjects import query_subject
from agent_contracts.questions.user_questions import CHECK_DEFINITION, CheckDefinition
from agent_platform.nats.long_answers import QuestionServer
from foldline_testing.gateway.running import AGENT, RunningGateway

pytestmark = pytest.mark.asyncio(loop_scope="module")

BODY = {"description": "d", "code": "x"}


@pytest.fixture
def gateway(shared_gateway: RunningGateway) -> RunningGateway:
    """The module's, for tests whose definitions have different names."""
    return shared_gateway


CHECKED: dict[str, Any] = {"description": "d", "code": "exports.a = 1"}
CODES = [ToolAnswer({**CHECKED, "code": str(number)}) for number in range(5)]


@asynccontextmanager
async def checking(gateway: RunningGateway, *answers: ToolAnswer) -> AsyncIterator[list[CheckDefinition]]:
    """A runner that gives these answers (the last of them again and again), and keeps what it was asked."""
    asked: list[CheckDefinition] = []

    async def answer(question: bytes) -> bytes:
        asked.append(msgspec.json.decode(question, type=CheckDefinition))
        return msgspec.json.encode(answers[min(len(asked), len(answers)) - 1])

    subject = query_subject(CHECK_DEFINITION)
    runner = QuestionServer(gateway.connection, subject, "runners", answer, failed=b"", stopped=b"")
    running = asyncio.create_task(runner.run())
    await asyncio.sleep(0)  # it subscribes on the gateway's own connection, so before the gateway asks
    yield asked
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running


async def put(
    gateway: RunningGateway, path: str, body: dict[str, Any], key: str | None = None
) -> tuple[int, dict[str, Any]]:
    headers = {} if key is None else {"Idempotency-Key": key}
    answer = await gateway.client.put(f"/api/v1/agents/default/{path}", json=body, headers=headers)
    return answer.status_code, answer.json()


async def test_it_is_made_and_changed_as_a_runner_says_it_is_to_be_stored(gateway: RunningGateway) -> None:
    changed = ToolAnswer({**CHECKED, "code": "exports.a = 2"})
    async with checking(gateway, ToolAnswer(CHECKED), changed) as asked:
        status, first = await put(gateway, "libraries/lib", BODY)
        _, second = await put(gateway, "libraries/lib", {**BODY, "code": "y"})
        _, same = await put(gateway, "libraries/lib", {**BODY, "code": "y"})
    assert (status, first["definition"], first["version"], first["actor"]) == (200, CHECKED, 1, "user")
    assert asked[0] == CheckDefinition(AGENT, EntityKind.LIBRARY, "lib", BODY)
    assert (second["definition"]["code"], second["version"]) == ("exports.a = 2", 2)
    assert (same["version"], same["sequence"]) == (2, second["sequence"])


async def test_of_two_editors_the_second_is_told(gateway: RunningGateway) -> None:
    async with checking(gateway, *CODES):
        assert (await put(gateway, "libraries/two", {**BODY, "version": 0}))[0] == 200
        status, problem = await put(gateway, "libraries/two", {**BODY, "version": 0})
        assert (status, problem["kind"]) == (409, "conflict")
        assert (await put(gateway, "libraries/two", {**BODY, "version": 1}))[1]["version"] == 2


async def test_a_disabled_one_stays_so_and_a_new_one_is_enabled(gateway: RunningGateway) -> None:
    body = {**BODY, "parameter_schema": {"type": "object"}}
    first = {**body, "enabled": True}
    async with checking(gateway, ToolAnswer(first), ToolAnswer({**first, "code": "return 2"})):
        assert (await put(gateway, "tools/t", body))[1]["definition"]["enabled"] is True
        await gateway.client.patch("/api/v1/agents/default/tools/t", json={"enabled": False})
        made = (await put(gateway, "tools/t", body))[1]
    assert (made["definition"], made["version"]) == ({**first, "code": "return 2", "enabled": False}, 3)


async def test_the_same_key_and_body_get_the_first_answer_and_another_body_is_refused(
    gateway: RunningGateway,
) -> None:
    async with checking(gateway, *CODES):
        first = await put(gateway, "libraries/keyed", BODY, "k")
        assert await put(gateway, "libraries/keyed", BODY, "k") == first
        status, problem = await put(gateway, "libraries/keyed", {**BODY, "code": "y"}, "k")
    assert (status, problem["kind"]) == (422, "idempotency_mismatch")


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (
            ToolError(ErrorKind.REJECTED, "no", "/code", details={"line": 2, "column": 9}),
            422,
            {"kind": "invalid_request", "detail": "no", "path": "/code", "line": 2, "column": 9},
        ),
        (ToolError(ErrorKind.INVALID_ARGUMENTS, "no", "/name"), 422, {"path": "/name"}),
        (ToolError(ErrorKind.TOO_LARGE, "no"), 413, {"kind": "too_large"}),
        (ToolError(ErrorKind.INTERNAL, "no", retryable=True), 503, {"kind": "unavailable"}),
        (ToolError(ErrorKind.INTERNAL, "no"), 500, {"kind": "internal"}),
    ],
)
async def test_what_a_runner_refuses_is_a_problem_that_says_where(
    gateway: RunningGateway, error: ToolError, status: int, told: dict[str, Any]
) -> None:
    async with checking(gateway, ToolAnswer(error=error)):
        got, problem = await put(gateway, "libraries/refused", BODY)
    assert (got, {name: problem[name] for name in told}) == (status, told)
    assert (await gateway.client.get("/api/v1/agents/default/libraries/refused")).status_code == 404


async def test_without_a_runner_it_says_so(gateway: RunningGateway) -> None:
    status, problem = await put(gateway, "skills/s", {"description": "d", "content": "c"})
    assert (status, problem["kind"]) == (503, "unavailable")
    assert "No tool runner" in problem["detail"]
    status, problem = await put(gateway, "skills/s", {"description": "d"})
    assert (status, problem["kind"]) == (422, "invalid_request")
