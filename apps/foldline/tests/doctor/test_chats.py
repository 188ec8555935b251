"""What doctor says of the channels by which people write from other programs."""

import pytest

from agent_domain.chats.book import MOST_WAITING, ChatBook
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import SystemClock
from foldline.doctor.running import chats
from foldline_testing.agent_platform.memory_log import MemoryLog


@pytest.fixture
def book() -> ChatBook:
    return ChatBook(Bucket(MemoryLog(), "chats"), SystemClock())


async def test_a_wrong_setting_needs_a_restart_and_after_it_nothing_old_is_said(book: ChatBook) -> None:
    await book.tell("telegram", "wrong key")
    found = await chats(book)
    assert (found.verdict, found.text) == ("problem", "telegram: wrong key")
    assert "restart Foldline" in (found.to_do or "")
    await book.begin("telegram")
    found = await chats(book)
    assert (found.verdict, found.text) == ("ok", "telegram (not heard from since the start)")
    await book.tell("telegram", None)
    assert (await chats(book)).text == "telegram"


async def test_too_many_who_wait_are_told_of(book: ChatBook) -> None:
    for number in range(MOST_WAITING):
        await book.ask("telegram", "1", str(number), "n")
    await book.tell("telegram", None)
    found = await chats(book)
    assert (found.verdict, "nobody else gets a code" in found.text) == ("warning", True)
