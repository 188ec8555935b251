"""An agent's prompt and notes, as a person reads, edits and reverts them."""

import asyncio
from typing import Any

import pytest
from httpx import Response

from agent_contracts.entities.agent_texts import DEFAULT_PROMPT, LEARNED_NOTES, SYSTEM_PROMPT
from agent_contracts.ids import CallId, SessionId
from agent_platform.entities.entity import EntityKey, EntityWriter
from foldline_testing.gateway.running import AGENT, RunningGateway, Start

PATHS = {"prompt": SYSTEM_PROMPT, "notes": LEARNED_NOTES}


class Text:
    """One text of the default agent over HTTP."""

    def __init__(self, gateway: RunningGateway, name: str) -> None:
        self.gateway = gateway
        self.path = f"/api/v1/agents/default/{name}"
        self.which = PATHS[name]

    async def __call__(self, method: str, path: str = "", key: str | None = None, **body: Any) -> Response:
        headers = {"Idempotency-Key": key} if key else {}
        return await self.gateway.client.request(method, self.path + path, json=body or None, headers=headers)

    async def write(self, text: str, **more: Any) -> Any:
        """Write it whole; what is answered."""
        answer = await self("PUT", text=text, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def read(self, path: str = "") -> Any:
        """What is there."""
        answer = await self("GET", path)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture(params=PATHS)
def text(request: pytest.FixtureRequest, gateway: RunningGateway) -> Text:
    return Text(gateway, request.param)


def problem(answer: Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["kind"]


async def test_before_anybody_wrote_it_is_what_the_agents_tools_read(text: Text) -> None:
    assert await text.read() == {
        "text": DEFAULT_PROMPT if text.which is SYSTEM_PROMPT else "",
        "version": 0,
        **dict.fromkeys(("sequence", "written_at", "actor", "session_id", "call_id")),
        "outside": [],
    }
    assert await text.read("/versions") == {"items": [], "next_cursor": None}


async def test_each_edit_is_a_version_of_the_user(text: Text) -> None:
    first, second = await text.write("one"), await text.write("two\r\n🏴‍☠️")
    assert (first["version"], second["version"]) == (1, 2)
    assert (second["actor"], second["session_id"], second["call_id"]) == ("user", None, None)
    assert await text.read() == second
    assert await text.read("/versions/1") == first
    assert await text.read(f"?at={first['sequence']}") == first
    assert (await text.read("/versions"))["items"] == [
        {
            "sequence": one["sequence"],
            "version": one["version"],
            "deleted": False,
            "written_at": one["written_at"],
            "actor": "user",
            "session_id": None,
            "call_id": None,
            "causation": None,
            "replaced": replaced,
            "outside": [],
        }
        for one, replaced in ((second, first["sequence"]), (first, None))
    ]


async def test_what_the_agent_wrote_names_the_call(text: Text) -> None:
    key = EntityKey(AGENT, text.which.kind, text.which.name)
    writer = EntityWriter.call(SessionId("s1"), CallId("c1"), 1, since=0)
    await text.gateway.entities.write(key, "mine", writer)
    found = await text.read()
    assert (found["text"], found["actor"], found["session_id"], found["call_id"]) == (
        "mine",
        "agent",
        "s1",
        "c1",
    )


async def test_writing_the_same_again_makes_no_version(text: Text) -> None:
    first = await text.write("same")
    assert await text.write("same") == first
    assert (await text("PATCH", operation="append", content="")).json() == first


async def test_an_edit_by_operation_is_the_one_that_the_agent_has(text: Text) -> None:
    await text.write("a b a")
    for edit, after in (
        ({"operation": "find_replace", "find": "a", "replace": ".*"}, ".* b a"),
        ({"operation": "append", "content": "\n"}, ".* b a\n"),
        ({"operation": "delete", "content": ".*"}, " b a\n"),
        ({"operation": "prepend", "content": "é"}, "é b a\n"),
        ({"operation": "replace", "content": "aa"}, "aa"),
        ({"operation": "find_replace", "find": "a", "replace": "b", "replace_all": True}, "bb"),
    ):
        answer = await text("PATCH", **edit)
        assert (answer.status_code, answer.json()["text"]) == (200, after)
    for edit in (
        {"operation": "find_replace", "find": "x", "replace": ""},
        {"operation": "find_replace", "find": "", "replace": ""},
        {"operation": "append"},
        {"operation": "shorten"},
    ):
        assert problem(await text("PATCH", **edit)) == (422, "invalid_request")
    assert (await text.read())["version"] == 7


async def test_an_edit_of_a_version_that_is_no_more_the_current_one_is_a_conflict(text: Text) -> None:
    assert (await text.write("one", version=0))["version"] == 1
    assert (await text.write("two", version=1))["version"] == 2
    assert problem(await text("PUT", text="three", version=1)) == (409, "conflict")
    assert problem(await text("PATCH", operation="append", content="x", version=0)) == (409, "conflict")
    assert (await text.read())["text"] == "two"


async def test_people_who_edit_at_the_same_time_lose_nothing(text: Text) -> None:
    await text.write("")
    answers = await asyncio.gather(*(text("PATCH", operation="append", content=f"{n};") for n in range(5)))
    assert {answer.status_code for answer in answers} == {200}
    assert sorted((await text.read())["text"].split(";")) == ["", *"01234"]


async def test_an_earlier_version_is_made_the_newest_by_number_or_event(text: Text) -> None:
    first = await text.write("one")
    await text.write("two")
    await text.write("three")
    reverted = (await text("POST", ":revert", version=1)).json()
    assert (reverted["text"], reverted["version"], reverted["actor"]) == ("one", 4, "user")
    assert (await text("POST", ":revert", sequence=first["sequence"])).json() == reverted
    assert (await text("POST", ":revert", version=3)).json()["text"] == "three"
    assert [one["version"] for one in (await text.read("/versions"))["items"]] == [5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"version": 9}, (404, "not_found")),
        ({"sequence": 999}, (404, "not_found")),
        ({"version": 0}, (422, "invalid_request")),
        ({"version": 1, "sequence": 1}, (422, "invalid_request")),
        ({"to": 1}, (422, "invalid_request")),
    ],
)
async def test_a_version_that_isnt_there_cant_be_gone_back_to(
    text: Text, body: dict[str, Any], expected: tuple[int, str]
) -> None:
    await text.write("one")
    assert problem(await text("POST", ":revert", **body)) == expected
    assert problem(await text("GET", "/versions/2")) == (404, "not_found")


async def test_versions_come_in_pages(text: Text) -> None:
    for number in range(5):
        await text.write(str(number))
    newest = await text.read("/versions?limit=2")
    older = await text.read(f"/versions?limit=2&cursor={newest['next_cursor']}")
    oldest = await text.read(f"/versions?limit=2&cursor={older['next_cursor']}")
    pages = [[one["version"] for one in page["items"]] for page in (newest, older, oldest)]
    assert (pages, oldest["next_cursor"]) == ([[5, 4], [3, 2], [1]], None)
    assert problem(await text("GET", "/versions?cursor=999")) == (404, "not_found")


async def test_the_same_key_and_body_get_the_first_answer_however_late(start: Start) -> None:
    one, other = Text(await start(), "prompt"), Text(await start(), "prompt")
    first = await one.write("mine", key="k")
    await one.write("theirs")
    assert await other.write("mine", key="k") == first
    assert (await one.read())["text"] == "theirs"
    assert problem(await other("PUT", key="k", text="else")) == (422, "idempotency_mismatch")
    reverted = (await one("POST", ":revert", key="k", version=1)).json()
    assert (await other("POST", ":revert", key="k", version=1)).json() == reverted
    assert [entry["version"] for entry in (await one.read("/versions"))["items"]] == [3, 2, 1]


async def test_texts_of_two_agents_have_nothing_to_do_with_each_other(gateway: RunningGateway) -> None:
    await gateway.client.post("/api/v1/agents", json={"id": "other", "name": "Other"})
    headers = {"Idempotency-Key": "k"}
    for agent in ("default", "other"):
        answer = await gateway.client.put(
            f"/api/v1/agents/{agent}/notes", json={"text": agent}, headers=headers
        )
        assert (answer.json()["text"], answer.json()["version"]) == (agent, 1)


async def test_a_text_of_a_mebibyte_fits_and_no_larger_one(text: Text) -> None:
    assert (await text.write("é" * 524_288))["version"] == 1
    assert problem(await text("PUT", text="é" * 524_288 + "x")) == (413, "too_large")
    assert problem(await text("PATCH", operation="append", content="x")) == (413, "too_large")
    assert problem(await text("PUT", text="\x00")) == (422, "bad_text")
