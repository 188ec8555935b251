"""A chat channel's host: who may write, and what they are told. The gateway is played."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agent_contracts.errors import Rejected, Transient
from agent_contracts.ids import AgentId
from agent_domain.chats.book import MOST_WAITING, ChatBook, partner_id_of
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import SystemClock
from agent_tools.chats import conversation, hosting, words
from agent_tools.chats.channel import ChatMessage, ReceivedMessages
from foldline_testing.agent_platform.eventually import all_had_their_turn, until
from foldline_testing.agent_platform.memory_log import MemoryLog

NAME = "telegram"


class Channel:
    """What people write, and are sent."""

    longest = 40

    def __init__(self) -> None:
        self.written: asyncio.Queue[Sequence[ChatMessage] | Exception] = asyncio.Queue()
        self.sent: list[str] = []
        self.breaks: list[Exception] = []
        self.cursors: list[str] = []

    async def receive(self, cursor: str) -> ReceivedMessages:
        self.cursors.append(cursor)
        found = await self.written.get()
        if isinstance(found, Exception):
            raise found
        return ReceivedMessages(found, cursor=f"after {found[-1].id}")

    async def send(self, chat: str, text: str) -> None:
        if self.breaks:
            raise self.breaks.pop(0)
        assert len(text) <= self.longest
        self.sent.append(text)

    def write(
        self,
        text: str,
        *,
        number: str = "",
        sender: str = "1",
        at: datetime | None = None,
        name: str = "",
    ) -> None:
        message = ChatMessage(id=number or text, chat="c", sender=sender, text=text, at=at, name=name)
        self.written.put_nowait([message])


class Played:
    """The gateway: sessions, turns by their paths, and what is asked of it."""

    def __init__(self) -> None:
        self.posts: list[tuple[str, Any, str | None]] = []
        self.turns: dict[str, dict[str, Any]] = {}
        self.questions: dict[str, dict[str, Any]] = {}
        self.refuses: list[Exception] = []
        self._keys: dict[str, Any] = {}

    async def get(self, path: str, **params: Any) -> Any:
        if path in self.questions:
            return self.questions[path]
        await asyncio.sleep(0)
        return self.turns.setdefault(path, turn("running"))

    async def post(self, path: str, body: Any = None, *, key: str | None = None, **params: Any) -> Any:
        if self.refuses:
            raise self.refuses.pop(0)
        if key is not None and key in self._keys:
            return self._keys[key]
        self.posts.append((path, body, key))
        number = len(self.posts)
        answer = {"id": f"s{number}"} if path == "/sessions" else {"sequence": number}
        if key is not None:
            self._keys[key] = answer
        return answer

    def said(self) -> list[str]:
        return [body["text"] for path, body, _ in self.posts if path.endswith("/messages")]


def turn(status: str, answer: str = "", **more: Any) -> dict[str, Any]:
    told = {"status": status, "answer": answer, "approvals": [], "questions": []}
    return told | {"error": None, "ended_at": None} | more


class World:
    def __init__(self) -> None:
        self.book = ChatBook(Bucket(MemoryLog(), "chats"), SystemClock())
        self.gateway = Played()
        self.channel = Channel()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        foldline: Any = self.gateway
        host = hosting.ChatHost(NAME, self.book, foldline, self.channel, SystemClock())
        task = asyncio.create_task(host.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def allow(self, sender: str = "1") -> None:
        asked = await self.book.ask(NAME, "c", sender, "Ada")
        assert asked is not None
        await self.book.allow(asked, asked.code or "", AgentId("a1"))

    async def progress(self) -> Any:
        partner = await self.book.find(NAME, partner_id_of(NAME, "c", "1"))
        assert partner is not None
        return await self.book.progress(partner)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    for module, name in ((conversation, "_LOOK_S"), (conversation, "_AGAIN_S"), (hosting, "_FIRST_WAIT_S")):
        monkeypatch.setattr(module, name, 0.02)
    return World()


def noted(world: World) -> list[str | None]:
    """The problems of the channel as they are told, with their ends."""
    told: list[str | None] = []
    tell = world.book.tell

    async def note(channel: str, problem: str | None) -> None:
        await tell(channel, problem)
        told.append(problem)

    world.book.tell = note  # type: ignore[method-assign]  # to see what was told meanwhile
    return told


async def test_strangers_are_told_a_code_once_and_cost_nothing_else(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.channel, "longest", 4000)
    async with world.running():
        for number in range(MOST_WAITING + 3):
            for again in range(2):
                world.channel.write("let me in", number=f"{number}.{again}", sender=str(number))
        world.channel.write("", number="last", sender="0")
        await until(lambda: world.channel.written.empty())
        await all_had_their_turn()
    assert len(world.channel.sent) == MOST_WAITING
    assert all("foldline chats allow " in text for text in world.channel.sent)
    assert world.gateway.posts == []


async def test_a_message_that_comes_twice_is_said_once_and_its_answer_sent_in_pieces(world: World) -> None:
    await world.allow()
    async with world.running():
        for _ in range(3):
            world.channel.write("hello", number="7")
        await until(lambda: bool(world.gateway.said()))
        [path] = [one for one in world.gateway.turns] or ["/sessions/s1/turns/2"]
        world.gateway.turns[path] = turn("completed", "word " * 20, ended_at="t")
        await until(lambda: len(world.channel.sent) >= 3)
        await all_had_their_turn()
    assert world.gateway.said() == ["hello"]
    assert " ".join(world.channel.sent).split() == ["word"] * 20
    assert (await world.progress()).turns == ()


@pytest.mark.parametrize(
    ("name", "told"),
    [("Anna", {"speaker": "Anna"}), ("", {}), ("An\nna\x1b", {"speaker": "An na"}), ("\n", {})],
)
async def test_what_somebody_says_carries_what_they_call_themselves(
    world: World, name: str, told: dict[str, str]
) -> None:
    await world.allow()
    async with world.running():
        world.channel.write("hello", name=name)
        await until(lambda: len(world.gateway.posts) == 2)
    assert world.gateway.posts[1][1] == {"text": "hello", **told}


async def test_what_was_not_told_before_it_died_is_told_by_the_next(world: World) -> None:
    await world.allow()
    async with world.running():
        world.channel.write("hello")
        await until(lambda: bool(world.gateway.turns))
    world.gateway.turns["/sessions/s1/turns/2"] = turn("completed", "late", ended_at="t")
    async with world.running():
        await until(lambda: world.channel.sent == ["late"])
    assert len(world.gateway.posts) == 2


async def test_a_channel_receives_from_where_it_was_also_after_a_restart(world: World) -> None:
    await world.allow()
    for number in (1, 2):
        async with world.running():
            world.channel.write(f"hello {number}")
            await until(lambda: len(world.channel.cursors) == 2 * number)  # noqa: B023  # waited for here
    assert world.channel.cursors == ["", "after hello 1", "after hello 1", "after hello 2"]


async def test_nothing_of_before_somebody_was_allowed_is_ever_said(world: World) -> None:
    async with world.running():
        world.channel.write("who are you?", number="1")
        world.channel.write("delete it all", number="2")
        await until(lambda: len(world.channel.cursors) == 3)
    await world.allow()
    earlier = datetime.now(UTC) - timedelta(minutes=1)
    async with world.running():
        world.channel.write("who are you?", number="1")
        world.channel.write("delete it all", number="2")
        world.channel.write("never came before", number="3", at=earlier)
        world.channel.write("hello", number="4", at=datetime.now(UTC))
        await until(lambda: bool(world.gateway.said()))
    assert world.gateway.said() == ["hello"]


async def test_an_old_message_of_somebody_removed_is_no_new_one(world: World) -> None:
    await world.allow()
    async with world.running():
        world.channel.write("hello")
        await until(lambda: bool(world.gateway.said()))
        [partner] = await world.book.partners()
        await world.book.remove(partner)
        world.channel.write("hello")
        await until(lambda: len(world.channel.cursors) == 3)
        assert world.channel.sent == []
    await world.allow()
    async with world.running():
        world.channel.write("hello")
        await until(lambda: len(world.channel.cursors) == 5)
    assert world.gateway.said() == ["hello"]


async def test_the_messages_of_one_person_dont_push_out_those_of_another(world: World) -> None:
    await world.allow()
    await world.allow("2")
    async with world.running():
        world.channel.write("once", sender="2")
        for number in range(300):
            world.channel.write("/help", number=str(number))
        world.channel.write("/help", number="0")
        world.channel.write("once", sender="2")
        await until(lambda: len(world.channel.cursors) == 304)
    assert world.gateway.said() == ["once"]
    assert len([text for text in world.channel.sent if text.startswith("Write what")]) == 300


CALL = {"id": "s1.c1", "tool": "send", "arguments": {}, "rule": "It leaves", "requested_at": "1"}


async def test_a_yes_of_before_a_call_never_allows_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world.channel, "longest", 4000)
    await world.allow()
    path, earlier = "/sessions/s1/turns/2", datetime.now(UTC)
    async with world.running():
        world.channel.write("send it")
        await until(lambda: path in world.gateway.turns)
        world.gateway.turns[path] = turn("waiting_for_input", approvals=[CALL])
        await until(lambda: len(world.channel.sent) == 1)
        world.channel.write("yes", number="old", at=earlier)
        await until(lambda: len(world.channel.sent) == 2)
        assert world.channel.sent[1] == words.TOO_EARLY
        assert len(world.gateway.posts) == 2
        world.channel.write("yes", number="new", at=datetime.now(UTC))
        await until(lambda: len(world.gateway.posts) == 3)
    assert world.gateway.posts[2][:2] == ("/approvals/s1.c1", {"decision": "once"})


async def test_a_yes_that_was_received_before_the_question_is_no_answer_to_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It came in one go with the message that the call is of; the channel tells no times."""
    monkeypatch.setattr(world.channel, "longest", 4000)
    await world.allow()
    path, take = "/sessions/s1/turns/2", conversation.PartnerConversation.take

    async def slowly(self: Any, message: ChatMessage, received_at: datetime) -> None:
        if message.text == "yes":
            world.gateway.turns[path] = turn("waiting_for_input", approvals=[CALL])
            await until(lambda: len(world.channel.sent) == 1)
        await take(self, message, received_at)

    monkeypatch.setattr(conversation.PartnerConversation, "take", slowly)
    async with world.running():
        said = [ChatMessage(id=text, chat="c", sender="1", text=text) for text in ("send it", "yes")]
        world.channel.written.put_nowait(said)
        await until(lambda: len(world.channel.sent) == 2)
    assert world.channel.sent[1] == words.TOO_EARLY
    assert [path for path, _, _ in world.gateway.posts] == ["/sessions", "/sessions/s1/messages"]


async def test_an_old_stop_or_new_changes_nothing(world: World) -> None:
    await world.allow()
    now = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=1)
    await asyncio.sleep((now - datetime.now(UTC)).total_seconds() + 0.01)  # sleeps: clock
    async with world.running():
        world.channel.write("work", at=now)
        world.channel.write("/stop", number="old", at=now - timedelta(seconds=1))
        world.channel.write("/new", number="older", at=now - timedelta(seconds=1))
        world.channel.write("more", at=now)
        world.channel.write("/stop", at=now)
        await until(lambda: len(world.gateway.posts) == 4)
    kinds = [path.rpartition("/")[2] for path, _, _ in world.gateway.posts]
    assert kinds == ["sessions", "messages", "messages", "s1:interrupt"]
    assert world.channel.sent == []


def test_a_message_without_a_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        ChatMessage(id="1", chat="c", sender="1", text="", at=datetime(2026, 1, 1))  # noqa: DTZ001


async def test_an_edited_message_changes_nothing_and_no_word_of_the_api_is_told(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.channel, "longest", 4000)
    await world.allow()
    async with world.running():
        world.channel.write("hello", number="1")
        await until(lambda: bool(world.gateway.said()))
        world.channel.write("hullo", number="1")  # remembered: nothing is asked of the gateway
        world.gateway.refuses = [Rejected("This Idempotency-Key was used", kind="idempotency_mismatch")]
        world.channel.write("bye", number="2")
        await until(lambda: bool(world.channel.sent))
    assert world.channel.sent == [words.EDITED]
    assert world.gateway.said() == ["hello"]


async def test_two_messages_of_one_turn_have_one_answer(world: World) -> None:
    await world.allow()
    async with world.running():
        world.channel.write("first")
        world.channel.write("second")
        await until(lambda: len(world.gateway.said()) == 2)
        for number in (2, 3):
            world.gateway.turns[f"/sessions/s1/turns/{number}"] = turn("completed", "both", ended_at="t")
        await until(lambda: bool(world.channel.sent))
        await all_had_their_turn()
    assert world.channel.sent == ["both"]


async def test_a_call_is_allowed_by_a_word_and_other_words_leave_it_waiting(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.channel, "longest", 4000)
    await world.allow()
    path = "/sessions/s1/turns/2"
    call = {
        "id": "s1.c1",
        "tool": "send",
        "arguments": {"to": "Bob"},
        "rule": "It leaves",
        "requested_at": "1",
    }
    async with world.running():
        world.channel.write("send it")
        await until(lambda: path in world.gateway.turns)
        world.gateway.turns[path] = turn("waiting_for_input", approvals=[call])
        await until(lambda: len(world.channel.sent) == 1)
        world.channel.write("what for?")
        await until(lambda: len(world.channel.sent) == 2)
        world.channel.write("Yes.", number="y")
        world.channel.write("Yes.", number="y")
        await until(lambda: len(world.gateway.posts) == 3)
        world.gateway.turns[path] = turn("waiting_for_input", approvals=[call | {"requested_at": "2"}])
        await until(lambda: len(world.channel.sent) == 3)
        world.channel.write("no")
        await until(lambda: len(world.gateway.posts) == 4)
        world.gateway.turns[path] = turn("completed", "Done.", ended_at="t")
        await until(lambda: world.channel.sent[-1] == "Done.")
    assert [body for one, body, _ in world.gateway.posts[2:]] == [
        {"decision": "once"},
        {"decision": "refuse"},
    ]
    assert "It leaves" in world.channel.sent[0]
    assert "Answer yes or no" in world.channel.sent[1]


async def test_an_answer_that_comes_at_once_is_no_new_message(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.channel, "longest", 4000)
    await world.allow()
    path, show = "/sessions/s1/turns/2", {"kind": "ask_user", "question": "Which?", "options": ["A", "B"]}
    asked = {"id": "s1.q", "session_id": "s1", "show": show, "requested_at": "1"}
    world.gateway.questions["/questions/s1.q"] = asked
    send = world.channel.send

    async def answered_at_once(chat: str, text: str) -> None:
        await send(chat, text)
        world.channel.write("2")
        await all_had_their_turn()

    monkeypatch.setattr(world.channel, "send", answered_at_once)
    async with world.running():
        world.channel.write("ask me")
        await until(lambda: path in world.gateway.turns)
        world.gateway.turns[path] = turn("waiting_for_input", questions=[asked])
        await until(lambda: len(world.gateway.posts) == 3)
    assert world.gateway.posts[2][:2] == ("/questions/s1.q", {"answer": "B"})
    assert world.gateway.said() == ["ask me"]


async def test_a_question_that_was_answered_elsewhere_is_asked_no_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.channel, "longest", 4000)
    await world.allow()
    path, show = "/sessions/s1/turns/2", {"kind": "ask_user", "question": "Which?", "options": ["A", "B"]}
    asked = {"id": "s1.q", "session_id": "s1", "show": show, "requested_at": "1"}
    world.gateway.questions["/questions/s1.q"] = asked
    async with world.running():
        world.channel.write("ask me")
        await until(lambda: path in world.gateway.turns)
        world.gateway.turns[path] = turn("waiting_for_input", questions=[asked])
        await until(lambda: bool(world.channel.sent))
        world.gateway.refuses = [Rejected("It was answered", kind="already_answered")]
        world.channel.write("2")
        await until(lambda: len(world.channel.sent) == 2)
        world.gateway.turns[path] = turn("failed", error={"message": "the model is gone"}, ended_at="t")
        await until(lambda: len(world.channel.sent) == 3)
    assert world.channel.sent[1] == words.ELSEWHERE
    assert "the model is gone" in world.channel.sent[2]
    assert world.gateway.said() == ["ask me"]


async def test_a_session_that_is_over_is_followed_by_another_and_new_begins_one(world: World) -> None:
    await world.allow()
    async with world.running():
        world.channel.write("one")
        await until(lambda: len(world.gateway.said()) == 1)
        world.gateway.refuses = [Rejected("It is archived", kind="session_closed")]
        world.channel.write("two")
        await until(lambda: len(world.gateway.said()) == 2)
        world.channel.write("/new")
        world.channel.write("three")
        await until(lambda: len(world.gateway.said()) == 3)
    begun = [key for path, _, key in world.gateway.posts if path == "/sessions"]
    assert len(set(begun)) == len(begun) == 3


async def test_a_message_waits_while_the_gateway_or_the_token_fails_and_the_trouble_is_told(
    world: World,
) -> None:
    await world.allow()
    world.gateway.refuses = [
        Transient("no answer"),
        Rejected("This program's token is wrong", kind="unauthorized"),
        Transient("no answer"),
    ]
    told = noted(world)
    async with world.running():
        world.channel.write("hello")
        await until(lambda: bool(world.gateway.said()))
        await all_had_their_turn()
    assert [one for one in told if one] == ["no answer", "This program's token is wrong", "no answer"]
    assert told[-1] is None
    assert world.gateway.said() == ["hello"]


async def test_a_channel_that_breaks_is_tried_again_and_says_why_meanwhile(world: World) -> None:
    told = noted(world)
    async with world.running():
        world.channel.written.put_nowait(RuntimeError("no net"))
        await until(lambda: "no net" in told)
        world.channel.breaks = [OSError("busy"), OSError("busy")]
        world.channel.written.put_nowait([ChatMessage(id="1", chat="c", sender="1", text="hello")])
        await until(lambda: bool(world.channel.sent) and told[-1] is None)
    assert told.count("busy") == 2
    assert [one.problem for one in await world.book.channels()] == [None]


@pytest.mark.parametrize(
    ("text", "longest", "pieces"),
    [
        ("", 10, []),
        ("short", 10, ["short"]),
        ("one two three", 8, ["one two", "three"]),
        ("a" * 25, 10, ["a" * 10, "a" * 10, "a" * 5]),
        ("first par\n\nsecond", 12, ["first par", "second"]),
    ],
)
def test_a_long_text_is_parted_where_one_may(text: str, longest: int, pieces: list[str]) -> None:
    assert list(words.pieces_of(text, longest)) == pieces


def test_a_very_long_text_is_cut_and_says_so() -> None:
    pieces = list(words.pieces_of("word " * 10_000, 100))
    assert len(pieces) == words.MOST_PIECES
    assert pieces[-1].endswith("(the rest can be read in Foldline)")
    assert all(len(one) <= 100 for one in pieces)


FORM = {
    "kind": "user_input",
    "title": "Where?",
    "description": "",
    "steps": [
        {
            "title": "",
            "fields": [
                {"name": "town", "label": "Town", "type": "text", "required": True},
                {"name": "nights", "label": "Nights", "type": "integer"},
            ],
        }
    ],
}


@pytest.mark.parametrize(
    ("show", "said", "body"),
    [
        ({"kind": "ask_user", "options": ["A", "B"]}, "2", {"answer": "B"}),
        ({"kind": "ask_user", "options": ["A", "B"]}, "3", {"answer": "3"}),
        ({"kind": "ask_user"}, "1", {"answer": "1"}),
        (FORM, "town: Oslo\nnights: 2", {"data": {"town": "Oslo", "nights": 2}}),
        (FORM, "Skip", {"dismiss": True}),
    ],
)
def test_words_answer_a_question(show: dict[str, Any], said: str, body: dict[str, Any]) -> None:
    assert words.answer_of(show, said) == body


@pytest.mark.parametrize("said", ["where: Oslo", "nights: many"])
def test_words_that_dont_fit_a_form_say_why(said: str) -> None:
    with pytest.raises(Rejected, match="field"):
        words.answer_of(FORM, said)
    with pytest.raises(Rejected, match="only be answered in Foldline"):
        words.answer_of({"kind": "render_and_wait"}, "hello")
