"""What a person is told, and what not."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.entities.bisections import probe_agent_id
from agent_contracts.entities.entity import EntityKind, EntityWritten
from agent_contracts.entities.notifications import Preferences, QuietHours
from agent_contracts.errors import Permanent, Transient
from agent_contracts.event_sources import OPERATOR, Actor
from agent_contracts.ids import AgentId
from agent_contracts.log.record.codec import Envelope, encode, type_of
from agent_contracts.log.record.records import carrying
from agent_contracts.log.subjects import entity_subject
from agent_contracts.session_events.inputs import BegunBy, ReminderDue
from agent_contracts.session_events.results import ModelFailure, Thinking
from agent_platform.process.clock import rfc3339
from foldline_testing.notifier.chat import Chat
from foldline_testing.notifier.working import World
from foldline_testing.session_domain.story import answers, asks, done, fails, responds, says, wants


async def asking(
    world: World, question: str = "Which city?", session_id: str = "s_1", *, imported: bool = False
) -> Chat:
    """A session that waits for an answer."""
    chat = await world.chat(session_id, "A trip", imported=imported)
    await chat.given(says("plan a trip"))
    return await asked(chat, question)


async def asked(chat: Chat, question: str) -> Chat:
    """Its model asks."""
    call = wants(chat, "ask_user", pauses=True)
    return await chat.given(answers(chat, calls=[call]), asks(call.call_id, question))


async def failing(world: World, **created: Any) -> Chat:
    """A session whose turn failed for good."""
    chat = await (await world.chat("s_9", "A trip", **created)).given(says("hello"))
    failed = fails(chat, ModelFailure.AUTHENTICATION, message="the key is wrong", retryable=False)
    return await chat.given(failed)


@pytest.fixture
async def world() -> World:
    world = World()
    await world.has_channel()
    return world


async def test_a_question_is_told_once_with_its_words_and_where_to_answer(world: World) -> None:
    await world.book.put_preferences(Preferences(address="https://me.example/"))
    async with world.works():
        await asking(world)
        await world.settles()
    [(channel, message)] = world.outbox.sent
    assert channel == "phone"
    assert message.title == "A question waits for you: A trip"
    assert message.text == "Which city?"
    assert message.link == "https://me.example/#/s/s_1"


async def test_nothing_is_quoted_where_the_person_wants_that(world: World) -> None:
    await world.book.put_preferences(Preferences(show_text=False))
    async with world.works():
        await asking(world, "What is your PIN?")
        await world.settles()
    [(_, message)] = world.outbox.sent
    assert (message.title, message.text) == ("A question waits for you", "")


async def test_a_second_question_is_told_and_the_first_not_again(world: World) -> None:
    async with world.works():
        chat = await asking(world, "Where?")
        await world.settles()
        await chat.given(responds(chat.state.open_calls()[0].call_id, {"answer": "Oslo"}))
        await asked(chat, "When?")
        await world.settles()
    assert [message.text for _, message in world.outbox.sent] == ["Where?", "When?"]


async def test_an_answer_to_a_reminder_is_told_and_other_answers_are_not(world: World) -> None:
    async with world.works():
        chat = await (await world.chat("s_1", "A trip")).given(says("hello"))
        await chat.given(answers(chat, "Hello!"))
        await world.settles()
        assert world.outbox.sent == []
        await chat.given(ReminderDue("r_1", "water the plants"))
        await chat.given(answers(chat, "Time to water the plants."))
        await chat.given(says("thanks"))
        await chat.given(answers(chat, "You're welcome."))
        await world.settles()
    [(_, message)] = world.outbox.sent
    assert message.title == "A reminder came due: water the plants"
    assert message.text == "Time to water the plants."


async def test_a_notification_holds_nothing_of_what_the_model_thought(world: World) -> None:
    async with world.works():
        chat = await (await world.chat("s_1", "A trip")).given(ReminderDue("r_1", "water the plants"))
        answer = answers(chat, "Time to water them.")
        await chat.given(msgspec.structs.replace(answer, thinking=Thinking("CANARY: are they dry?")))
        await world.settles()
    [(_, message)] = world.outbox.sent
    assert message.text == "Time to water them."
    assert b"CANARY" not in msgspec.json.encode(message)


LATE = "Late: this was due on Monday, 2 March 2026 at 09:00 (UTC), 26 hours ago."


async def test_what_came_late_says_so(world: World) -> None:
    async with world.works():
        chat = await (await world.chat("s_1", "A trip")).given(says("hello"))
        await chat.given(answers(chat, "Hello!"))
        await chat.given(ReminderDue("r_1", "drink", quiet=True, late=LATE))
        await chat.given(ReminderDue("r_2", "water the plants", late=LATE))
        await chat.given(answers(chat, "Time to water the plants."))
        await world.chat("st_1", "News", begun_by=BegunBy("schedule", "t_1", late=LATE))
        await world.chat("st_2", "More news", begun_by=BegunBy("schedule", "t_1"))
        await world.settles()
    assert sorted((one.title, one.text) for _, one in world.outbox.sent) == [
        ("A reminder came late: drink", f"drink {LATE}"),
        ("A reminder came late: water the plants", f"{LATE} Time to water the plants."),
        ("A scheduled task runs late: News", LATE),
    ]


async def test_a_reminder_that_is_only_shown_is_told_at_once_and_once(world: World) -> None:
    async with world.works():
        chat = await (await world.chat("s_1", "A trip")).given(says("hello"))
        await chat.given(answers(chat, "Hello!"))
        await chat.given(ReminderDue("r_1", "water the plants", quiet=True))
        await world.settles()
        [(_, message)] = world.outbox.sent
        await chat.given(says("thanks"))
        await chat.given(answers(chat, "You're welcome."))
        await world.settles()
    assert len(world.outbox.sent) == 1
    assert (message.title, message.text) == ("A reminder came due: water the plants", "water the plants")


async def test_a_reminder_is_told_though_one_that_is_only_shown_comes_in_its_turn(world: World) -> None:
    async with world.works():
        chat = await (await world.chat("s_1", "A trip")).given(says("hello"))
        await chat.given(answers(chat, "Hello!"))
        await chat.given(ReminderDue("r_1", "water the plants"))
        await chat.given(ReminderDue("r_2", "drink", quiet=True))
        await chat.given(answers(chat, "Time to water the plants."))
        await world.settles()
    assert sorted((one.title, one.text) for _, one in world.outbox.sent) == [
        ("A reminder came due: drink", "drink"),
        ("A reminder came due: water the plants", "Time to water the plants."),
    ]


async def test_of_two_reminders_in_one_turn_both_are_told_and_neither_again(world: World) -> None:
    async with world.works():
        chat = await (await world.chat("s_1", "A trip")).given(says("hello"))
        await chat.given(answers(chat, "Hello!"))
        await chat.given(ReminderDue("r_1", "water the plants"))
        await chat.given(ReminderDue("r_2", "feed the cat"))
        await chat.given(answers(chat, "Both."))
        await chat.given(*([] if chat.state.model_call is None else [answers(chat, "Done.")]))
        await chat.given(says("thanks"))
        await chat.given(answers(chat, "You're welcome."))
        await world.settles()
    assert sorted(world.outbox.titles) == [
        "A reminder came due: feed the cat",
        "A reminder came due: water the plants",
    ]


async def test_a_turn_that_failed_for_good_is_told_one_that_goes_on_by_itself_is_not(world: World) -> None:
    async with world.works():
        again = await (await world.chat("s_2", "Later")).given(says("hello"))
        await again.given(fails(again, ModelFailure.OVERLOADED))
        assert again.state.failed_turn is not None
        assert again.state.failed_turn.retry_at is not None
        await failing(world)
        await world.settles()
    [(_, message)] = world.outbox.sent
    assert message.title == "A turn failed: A trip"
    assert message.text == "the key is wrong"


async def test_a_failure_of_a_sub_session_is_its_parents_to_tell(world: World) -> None:
    async with world.works():
        await failing(world, parent_id="s_8")
        await world.settles()
    assert world.outbox.sent == []


@pytest.mark.parametrize(
    ("actor", "told"), [(Actor.SERVICE, ["A schedule was paused: News"]), (Actor.USER, [])]
)
async def test_a_schedule_that_paused_itself_is_told_once(
    world: World, actor: Actor, told: list[str]
) -> None:
    value = {
        "name": "News",
        "task": "read",
        "cron": "@daily",
        "enabled": False,
        "paused_because": "it failed",
    }
    async with world.works():
        replaced = None
        for version, title in enumerate(["News", "The news"], 1):
            event = EntityWritten(
                EntityKind.SCHEDULE, "t_1", value | {"name": title}, version, replaced=replaced
            )
            envelope = Envelope(
                f"e{version}", type_of(event), event_sources.GATEWAY, rfc3339(world.clock.now()), actor
            )
            subject = entity_subject(AgentId("default"), EntityKind.SCHEDULE, "t_1")
            replaced = await world.log.append(carrying(envelope, encode(event), subject))
        await world.settles()
    assert world.outbox.titles == told


async def test_nobody_is_told_what_they_have_before_their_eyes(world: World) -> None:
    world.presence._looking["s_1"] = True
    async with world.works():
        await asking(world)
        await asking(world, "And you?", "s_2")
        await world.settles()
    assert [message.text for _, message in world.outbox.sent] == ["And you?"]


async def test_history_is_not_told(world: World) -> None:
    """What was there before the notifier, what happened over an hour ago, and what was imported."""
    await asking(world, "Before?", "s_0")
    async with world.works():
        world.clock.later(-3600 - 1)
        await asking(world, "Long ago?", "s_2")
        world.clock.later(3600 + 1)
        await asking(world, "Imported?", "s_3", imported=True)
        await asking(world, "Now?", "s_4")
        await world.settles()
    assert [message.text for _, message in world.outbox.sent] == ["Now?"]


async def test_what_happens_while_no_notifier_runs_is_told_by_the_next_once(world: World) -> None:
    async with world.works():
        await world.settles()
    await asking(world)
    for _ in range(2):
        async with world.works():
            await world.settles()
    assert len(world.outbox.sent) == 1


async def test_an_attempt_that_was_cut_off_is_not_made_again(world: World) -> None:
    world.outbox.hanging.add("phone")
    async with world.works():
        await asking(world)
        await world.settles()
        assert world.kept.current.sending[0].under_way
    world.outbox.hanging.clear()
    async with world.works():
        await world.settles()
    assert world.outbox.sent == []
    status = (await world.book.statuses())["phone"]
    assert "may or may not have arrived" in (status.error or "")


async def test_a_failed_attempt_is_repeated_later_and_later_and_then_no_more(world: World) -> None:
    world.outbox.failures["phone"] = [Transient("busy") for _ in range(9)]
    async with world.works():
        await asking(world)
        await world.settles()
        waits = []
        while world.kept.current.sending:
            [one] = world.kept.current.sending
            waits.append(one.next_at - world.clock.now().timestamp())
            world.clock.later(waits[-1])
            await world.settles()
    assert waits == [10, 60, 300, 900, 1800]
    assert (await world.book.statuses())["phone"].failures == 6


async def test_a_refused_message_is_not_repeated_and_the_next_success_ends_the_trouble(world: World) -> None:
    world.outbox.failures["phone"] = [Permanent("no such topic")]
    async with world.works():
        await asking(world, "One?")
        await world.settles()
        assert (await world.book.statuses())["phone"].error == "no such topic"
        assert world.kept.current.sending == ()
        await asking(world, "Two?", "s_2")
        await world.settles()
    status = (await world.book.statuses())["phone"]
    assert (status.error, status.failures) == (None, 0)


async def test_a_dead_channel_holds_up_no_other(world: World) -> None:
    await world.has_channel("dead")
    world.outbox.hanging.add("dead")
    async with world.works():
        for number in range(3):
            await asking(world, f"{number}?", f"s_{number}")
        await world.settles()
        assert [message.text for _, message in world.outbox.sent] == ["0?", "1?", "2?"]


async def test_a_flood_becomes_one_summary(world: World) -> None:
    async with world.works():
        for number in range(40):
            await asking(world, f"{number}?", f"s_{number}")
        await world.settles()
        assert len(world.outbox.sent) == 5
        assert len(msgspec.json.encode(world.kept.current)) < 20_000
        world.clock.later(601)
        await world.settles()
    assert world.outbox.titles[5:] == ["Foldline: 35 questions wait"]


async def test_quiet_hours_hold_everything_back_for_one_message(world: World) -> None:
    await world.book.put_preferences(Preferences(quiet=QuietHours("13:00", "15:00", "Europe/Oslo")))
    async with world.works():  # it is 13:35 in Oslo
        await failing(world)
        await asking(world, "Still there?", "s_2")
        answered = await asking(world, "Answered meanwhile?", "s_3")
        await world.settles()
        await answered.given(responds(answered.state.open_calls()[0].call_id, {"answer": "yes"}))
        world.clock.later(timedelta(minutes=84).total_seconds())
        await world.settles()
        assert world.outbox.sent == []
        world.clock.later(61)
        await world.settles()
    assert world.outbox.titles == ["Foldline: 1 question waits, 1 thing failed"]


async def test_quiet_hours_that_are_ended_give_free_what_they_held(world: World) -> None:
    await world.book.put_preferences(Preferences(quiet=QuietHours("13:00", "23:00", "Europe/Oslo")))
    async with world.works():  # it is 13:35 in Oslo
        await asking(world, "Where?")
        await asking(world, "When?", "s_2")
        await world.settles()
        assert world.outbox.sent == []
        await world.book.put_preferences(Preferences(quiet=QuietHours("13:00", "22:00", "Europe/Oslo")))
        await world.settles()
        assert world.outbox.sent == []
        await world.book.put_preferences(Preferences())
        await world.settles()
        assert world.outbox.titles == ["Foldline: 2 questions wait"]
        world.clock.later(timedelta(hours=12).total_seconds())
        await world.settles()
    assert len(world.outbox.sent) == 1


async def test_a_chat_at_its_token_limit_is_told_and_its_sub_session_s_is_not(world: World) -> None:
    async with world.works():
        for session_id, parent in (("s_1", None), ("s_2", "s_8")):
            chat = await (await world.chat(session_id, "A trip", parent_id=parent)).given(says("hello"))
            await chat.given(answers(chat, calls=[wants(chat, "get_state")], tokens=100_000))
            await chat.given(done(chat.state.open_calls()[0].call_id))
        await world.settles()
    [(_, message)] = world.outbox.sent
    assert message.title == "A chat reached its token limit: A trip"
    assert message.text == "It used 100000 of its 100000 tokens. Raise the limit to continue."
    assert message.link is None
    assert message.session_id == "s_1"


@pytest.mark.parametrize("erased", ["s_1", "default"])
async def test_nothing_is_told_of_what_was_erased(world: World, erased: str) -> None:
    """Neither what is held back nor what waits for another attempt; what is of others is told."""
    world.outbox.failures["phone"] = [Transient("busy")]
    async with world.works():
        await asking(world, "On its way?")
        await world.settles()
        await world.book.put_preferences(Preferences(quiet=QuietHours("13:00", "15:00", "Europe/Oslo")))
        await asking(world, "Held back?", "s_2")
        await world.settles()
        event = EntityWritten(EntityKind.ERASED, erased, {}, 1)
        envelope = Envelope("e1", type_of(event), OPERATOR, rfc3339(world.clock.now()), Actor.USER)
        subject = entity_subject(AgentId("default"), EntityKind.ERASED, erased)
        await world.log.append(carrying(envelope, encode(event), subject))
        await world.settles()
        kept = msgspec.json.encode(world.kept.current)
        assert b"On its way?" not in kept
        assert (b"Held back?" in kept) is (erased == "s_1")
        world.clock.later(timedelta(hours=3).total_seconds())
        await world.settles()
    assert [message.text for _, message in world.outbox.sent] == (["Held back?"] if erased == "s_1" else [])


async def test_two_notifiers_don_t_both_send(world: World) -> None:
    async with world.works():
        old, following = world.kept, world.following
        async with world.works():
            with pytest.raises(Permanent, match="taken over"):
                await old.change(lambda desk: msgspec.structs.replace(desk, checkpoint=99))
            assert following is not world.following


@pytest.mark.parametrize(("agent", "told"), [("default", 1), (probe_agent_id("b_1"), 0)])
async def test_what_a_probe_of_a_search_asks_concerns_nobody(agent: str, told: int) -> None:
    world = World()
    await world.has_channel()
    async with world.works():
        chat = Chat(world.log, world.clock, "s_1", agent_id=agent)
        await (await chat.begins("A trip")).given(says("plan a trip"))
        await asked(chat, "Which city?")
        await world.settles()
    assert len(world.outbox.sent) == told
