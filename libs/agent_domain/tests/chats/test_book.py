"""Who may write from another program: a code counts for an hour, and only for whom it was told."""

from datetime import timedelta

import pytest

from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_domain.chats.book import MOST_WAITING, WAITS, ChatBook, ChatProgress, full_channels
from agent_platform.log.bucket import Bucket
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_tools.clock import MovableClock

AGENT = AgentId("a1")


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def book(clock: MovableClock) -> ChatBook:
    return ChatBook(Bucket(MemoryLog(), "chats"), clock)


async def test_a_code_lets_in_whom_it_was_told_and_nobody_else(book: ChatBook) -> None:
    ada, bob = await book.ask("telegram", "1", "1", "Ada"), await book.ask("telegram", "2", "2", "Bob")
    assert ada is not None
    assert bob is not None
    assert bob.code is not None
    assert ada.code is not None
    for wrong in ("", "x", bob.code):
        with pytest.raises(Rejected):
            await book.allow(ada, wrong, AGENT)
    allowed = await book.allow(ada, f" {ada.code[:4].lower()}-{ada.code[4:]} ", AGENT)
    assert (allowed.code, allowed.agent_id) == (None, AGENT)
    assert await book.find("telegram", ada.id) == allowed
    with pytest.raises(Rejected):
        await book.allow(allowed, ada.code, AgentId("a2"))
    assert await book.find("matrix", ada.id) is None


async def test_who_waits_longer_than_an_hour_is_unknown_again_and_few_can_wait(
    book: ChatBook, clock: MovableClock
) -> None:
    first = await book.ask("telegram", "0", "0", "0")
    assert first is not None
    for number in range(1, MOST_WAITING):
        assert await book.ask("telegram", "1", str(number), "n") is not None
    assert await book.ask("telegram", "1", "more", "n") is None
    assert await book.ask("matrix", "1", "more", "n") is not None
    clock.ahead = WAITS + timedelta(seconds=1)
    assert await book.find("telegram", first.id) is None
    assert await book.partners() == []
    assert await book.ask("telegram", "1", "more", "n") is not None


async def test_who_is_removed_is_unknown_at_once_and_nothing_of_the_conversation_stays(
    book: ChatBook,
) -> None:
    ada = await book.ask("telegram", "1", "1", "Ada")
    assert ada is not None
    allowed = await book.allow(ada, ada.code or "", AGENT)
    await book.keep(allowed, ChatProgress(session_id="s_1").with_seen("7"))
    [listed] = await book.partners()
    assert (listed.id, listed.session_id) == (ada.id, "s_1")
    await book.remove(allowed)
    assert await book.find("telegram", ada.id) is None
    assert await book.progress(allowed) == ChatProgress().with_seen("7")
    assert await book.partners() == []


async def test_the_state_of_a_channel_keeps_the_moment_of_its_change(
    book: ChatBook, clock: MovableClock
) -> None:
    await book.tell("telegram", "no net")
    [before] = await book.channels()
    clock.ahead = timedelta(minutes=1)
    await book.tell("telegram", "no net")
    assert await book.channels() == [before]
    await book.tell("telegram", None)
    [after] = await book.channels()
    assert (after.problem, after.changed_at > before.changed_at) == (None, True)


async def test_what_was_wrong_before_a_channel_was_started_anew_isnt_said_of_it_now(book: ChatBook) -> None:
    await book.tell("telegram", "wrong key")
    await book.begin("telegram")
    [begun] = await book.channels()
    assert (begun.problem, begun.heard) == (None, False)
    await book.tell("telegram", None)
    [works] = await book.channels()
    assert (works.problem, works.heard) == (None, True)


async def test_a_channel_on_which_nobody_new_gets_a_code_says_so(book: ChatBook) -> None:
    for number in range(MOST_WAITING):
        assert full_channels(await book.partners()) == []
        await book.ask("telegram", "1", str(number), "n")
    [full] = full_channels(await book.partners())
    assert full.startswith("telegram: 20 people wait to be allowed")
    await book.remove((await book.partners())[0])
    assert full_channels(await book.partners()) == []
