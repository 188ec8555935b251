"""Discord as it answers: messages in parts, and its refusals in our own kinds."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from foldline_protoagent.discord import parts_of
from foldline_testing.agent_tools.called import Called
from foldline_testing.egress.web import answered

WorldOf = Callable[..., Called]
LIMITED = {"message": "You are being rate limited.", "retry_after": 1.25, "global": False}


def says(document: Any, status: int = 200) -> bytes:
    """An answer of JSON."""
    return answered(json.dumps(document).encode(), "Content-Type: application/json", status=status)


def bodies(discord: Any) -> list[Any]:
    """What was sent to it."""
    return [json.loads(one.partition("\r\n\r\n")[2]) for one in discord.seen]


async def test_a_message_is_sent_once_with_a_number_of_its_own(world_of: WorldOf, recorded: Any) -> None:
    discord = await recorded(says({"id": "900"}))
    assert await world_of(egress=discord).text("discord_send", channel_id="55", content="Hi **all**") == (
        "Sent message to 55 (id 900)."
    )
    [body] = bodies(discord)
    assert (body["content"], body["enforce_nonce"]) == ("Hi **all**", True)
    assert body["allowed_mentions"] == {"parse": ["users"]}
    [request] = discord.asked
    assert (request.method, request.url) == ("POST", "https://discord.com/api/v10/channels/55/messages")
    assert ("Authorization", "Bot {{secret:DISCORD_BOT_TOKEN}}") in request.headers


async def test_a_long_message_is_cut_between_lines(world_of: WorldOf, recorded: Any) -> None:
    discord = await recorded(*(says({"id": str(n)}) for n in range(3)))
    lines = "\n".join(f"line {n:04}" for n in range(500))
    assert await world_of(egress=discord).text("discord_send", channel_id="5", content=lines) == (
        "Sent 3 messages to 5 (id 0, 1, 2)."
    )
    parts = [body["content"] for body in bodies(discord)]
    assert "\n".join(parts) == lines
    assert all(len(part) <= 2_000 for part in parts)
    assert len({body["nonce"] for body in bodies(discord)}) == 3


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("short", ["short"]),
        ("a" * 10, ["a" * 10]),
        ("a" * 11, ["a" * 10, "a"]),
        ("aaaa\nbbbb\ncccc", ["aaaa\nbbbb", "cccc"]),
        ("aaaaaaaaaa\nb", ["aaaaaaaaaa", "b"]),
        ("\n" * 30 + "x", ["x"]),
        ("aaa\n\n\n\n\n\n\n\n\n\nb", ["aaa\n\n\n\n\n\n\n", "\n\nb"]),
    ],
)
def test_parts_are_short_enough_and_never_blank(text: str, parts: list[str]) -> None:
    assert [part.strip("\n") for part in parts_of(text, 10)] == [part.strip("\n") for part in parts]
    assert all(0 < len(part) <= 10 for part in parts_of(text, 10))


async def test_when_a_part_fails_the_ones_before_are_told(world_of: WorldOf, recorded: Any) -> None:
    discord = await recorded(says({"id": "1"}), says(LIMITED, 429))
    kind, message, _ = await world_of(egress=discord).error(
        "discord_send", channel_id="5", content="x" * 5_000
    )
    assert kind == ErrorKind.UPSTREAM
    assert "try again after 1.25 s (retry_after)" in message
    assert "Of 3 messages, 1 were sent before: 1. Don't send those again." in message


async def test_the_newest_messages_are_read_first(world_of: WorldOf, recorded: Any) -> None:
    one = {
        "id": "2",
        "timestamp": "2026-05-01T10:00:00+00:00",
        "author": {"username": "ada"},
        "content": "two\nlines",
        "attachments": [{"filename": "a.png"}],
    }
    discord = await recorded(says([one, {**one, "id": "1", "author": None, "attachments": []}]), says([]))
    called = world_of(egress=discord)
    assert await called.text("discord_read", channel_id="5", limit=500) == (
        "[2026-05-01T10:00:00+00:00] ada (2): two lines [attached: a.png]\n"
        "[2026-05-01T10:00:00+00:00] unknown (1): two lines"
    )
    assert discord.asked[0].url.endswith("/channels/5/messages?limit=100")
    assert await called.text("discord_read", channel_id="5") == "No messages."


async def test_a_reaction_is_put(world_of: WorldOf, recorded: Any) -> None:
    discord = await recorded(answered(status=204))
    text = await world_of(egress=discord).text("discord_react", channel_id="5", message_id="7", emoji="👍")
    assert text == "Reacted with 👍 to 7."
    [request] = discord.asked
    assert request.method == "PUT"
    assert request.url.endswith("/channels/5/messages/7/reactions/%F0%9F%91%8D/@me")


@pytest.mark.parametrize("tool", ["discord_send", "discord_read", "discord_react"])
@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (says({"message": "401: Unauthorized"}, 401), ErrorKind.BLOCKED, "401: Unauthorized"),
        (says({"message": "Unknown Channel"}, 404), ErrorKind.NOT_FOUND, "Unknown Channel"),
        (says(LIMITED, 429), ErrorKind.UPSTREAM, "try again after 1.25 s (retry_after)"),
        (says({"message": "Missing Access"}, 403), ErrorKind.BLOCKED, "Missing Access"),
        (says({}, 500), ErrorKind.UPSTREAM, "Discord answered 500"),
    ],
)
async def test_what_discord_refuses_is_an_error_that_says_why(
    world_of: WorldOf, recorded: Any, tool: str, answer: bytes, kind: str, words: str
) -> None:
    more = {"discord_send": {"content": "x"}, "discord_react": {"message_id": "1", "emoji": "x"}}.get(
        tool, {}
    )
    found, message, _ = await world_of(egress=await recorded(answer)).error(tool, channel_id="5", **more)
    assert found == kind
    assert words in message


@pytest.mark.parametrize(
    ("tool", "arguments", "path"),
    [
        ("discord_send", {"content": "x"}, "/channel_id"),
        ("discord_send", {"channel_id": "general", "content": "x"}, "/channel_id"),
        ("discord_send", {"channel_id": "5"}, "/content"),
        ("discord_send", {"channel_id": "5", "content": "\n"}, "/content"),
        ("discord_send", {"channel_id": "5", "content": "x" * 20_001}, "/content"),
        ("discord_send", {"channel_id": "5", "content": "x", "tts": True}, "/tts"),
        ("discord_read", {}, "/channel_id"),
        ("discord_read", {"channel_id": "5/../6"}, "/channel_id"),
        ("discord_read", {"channel_id": "5", "limit": "9"}, "/limit"),
        ("discord_read", {"channel_id": "5", "before": "9"}, "/before"),
        ("discord_react", {"channel_id": "5", "emoji": "x"}, "/message_id"),
        ("discord_react", {"channel_id": "5", "message_id": "1"}, "/emoji"),
        ("discord_react", {"channel_id": "5", "message_id": "1", "emoji": ""}, "/emoji"),
    ],
)
async def test_what_is_missing_too_much_or_wrong_is_named_before_anything_is_asked(
    world_of: WorldOf, recorded: Any, tool: str, arguments: dict[str, Any], path: str
) -> None:
    discord = await recorded()
    kind, _, where = await world_of(egress=discord).error(tool, **arguments)
    assert (kind, where) == (ErrorKind.INVALID_ARGUMENTS, path)
    assert discord.asked == []
