"""Neighbours of one role are sent as one message, and nothing else is touched."""

from typing import Any

import msgspec
import pytest

from foldline_testing.model_caller.servers import refused
from foldline_testing.model_caller.ways import Way
from foldline_testing.session_domain.shown import without_times
from model_caller.providers.merging import merged
from session_domain.model_requests.encoded_array import EncodedArray, encoded, part_of

SYSTEM = {"role": "system", "content": "s"}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLS: dict[str, Any] = {"role": "assistant", "content": "x", "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c", "content": '{"role":"user"},{"role":"user"}'}
PICTURE = {"type": "image_url", "image_url": {"url": "data:,"}}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


@pytest.mark.parametrize(
    ("messages", "sent"),
    [
        ([SYSTEM, user("a"), user("b"), user("c")], [SYSTEM, user("a\n\nb\n\nc")]),
        ([user("a"), assistant("b"), assistant("c"), user("d")], [user("a"), assistant("b\n\nc"), user("d")]),
        ([user("a"), user([PICTURE])], [user([{"type": "text", "text": "a"}, PICTURE])]),
        ([user([PICTURE]), user([PICTURE])], [user([PICTURE, PICTURE])]),
        ([assistant(""), assistant("b")], [assistant("b")]),
        ([assistant("a"), CALLS, RESULT], [CALLS | {"content": "a\n\nx"}, RESULT]),
        ([CALLS, RESULT, RESULT, user("a")], [CALLS, RESULT, RESULT, user("a")]),
        ([SYSTEM, SYSTEM, user("a")], [SYSTEM, SYSTEM, user("a")]),
        ([], []),
    ],
)
def test_neighbours_of_one_role_are_one_message(messages: list[Any], sent: list[Any]) -> None:
    assert list(merged(messages)) == sent
    for cut in range(len(messages)):  # a part may hold several messages
        parts = [part_of(some) for some in (messages[:cut], messages[cut:]) if some]
        assert list(merged(EncodedArray(parts))) == sent


def test_without_neighbours_nothing_is_decoded_or_copied() -> None:
    array = encoded([SYSTEM, user("a"), CALLS, RESULT, user("b")])
    assert merged(array) is array


def test_of_a_long_chat_only_neighbours_are_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = [one for number in range(500) for one in (user(f"q{number}"), assistant("a" * 500))]
    parts = [
        part_of([*talk[:-1], assistant("b"), assistant("c"), user("d")]),
        part_of([user("e"), *talk[1:]]),
    ]
    decoded: list[int] = []
    decode = msgspec.json.decode

    def counting(data: bytes) -> Any:
        decoded.append(len(data))
        return decode(data)

    monkeypatch.setattr(msgspec.json, "decode", counting)
    together = merged(EncodedArray(parts))
    monkeypatch.undo()
    assert sum(decoded) < 500
    expected = [*talk[:-1], assistant("b\n\nc"), user("d\n\ne"), *talk[1:]]
    assert list(together) == expected


def test_what_comes_before_an_added_message_stays_the_same() -> None:
    before = [SYSTEM, user("a"), assistant("b"), user("c")]
    sent = merged(before).joined().removesuffix(b'"}]')
    for more in ([user("d")], [user("d"), assistant("e")], [assistant("f")]):
        assert merged([*before, *more]).joined().startswith(sent)


@pytest.mark.parametrize("way", ["openai", "litellm"], indirect=True)
async def test_two_messages_of_a_person_are_sent_as_one(way: Way) -> None:
    answers = iter([refused(400, {"error": {"message": "no"}}), way.says(way.speech.text("Well."))])
    async with way.chat(lambda _: [next(answers)]) as (conversation, seen):
        await conversation.say("one")
        await conversation.say("two")
    assert [message["role"] for message in seen[-1].body["messages"]] == ["system", "user"]
    [said] = without_times(seen[-1].body["messages"][1:])
    assert said["content"] == "one\n\ntwo"
    assert msgspec.json.encode(seen[-1].body)
