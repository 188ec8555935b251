"""A bug in what the notifier stands on, at each of its ports: it works on, and sends each message once."""

from collections.abc import Callable
from typing import Any

import pytest
from structlog.testing import capture_logs

from agent_domain.notifications.book import NotificationBook
from agent_platform.log.bucket import Bucket
from foldline_testing.notifier.chat import Chat
from foldline_testing.notifier.working import World
from foldline_testing.session_domain.story import answers, asks, says, wants
from notifier import handlers
from notifier.desk.channels import Channels
from notifier.notices.session_notices import SessionNotices
from notifier.sending import dispatcher

ERRORS = [RuntimeError("out of luck"), OSError("no such device"), KeyError("missing")]
each_error = pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)


@pytest.fixture
async def world(monkeypatch: pytest.MonkeyPatch) -> World:
    for module in (dispatcher, handlers):
        monkeypatch.setattr(module, "_RETRY_S", 0.01)
    world = World()
    await world.has_channel()
    return world


async def asking(world: World, session_id: str) -> Chat:
    """A session that waits for an answer."""
    chat = await (await world.chat(session_id, "A trip")).given(says("plan a trip"))
    call = wants(chat, "ask_user", pauses=True)
    return await chat.given(answers(chat, calls=[call]), asks(call.call_id, f"{session_id}?"))


def breaks(
    monkeypatch: pytest.MonkeyPatch, port: type, method: str, error: Exception, *, after: int = 0
) -> None:
    """One call of a port's method raises, after so many that don't."""
    does: Callable[..., Any] = getattr(port, method)
    left = after

    async def raises(*args: Any, **more: Any) -> Any:
        nonlocal left
        left -= 1
        if left == -1:
            raise error
        return await does(*args, **more)

    monkeypatch.setattr(port, method, raises)


PORTS = [
    (NotificationBook, "channel", 0),
    (NotificationBook, "put_status", 0),
    (Bucket, "put", 1),  # that an attempt begins
    (Bucket, "put", 3),  # that it has ended
]


@each_error
@pytest.mark.parametrize(("port", "method", "after"), PORTS)
async def test_what_breaks_beside_a_message_neither_loses_nor_repeats_it(
    port: type, method: str, after: int, error: Exception, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world.works():
        breaks(monkeypatch, port, method, error, after=after)
        with capture_logs() as logs:
            await asking(world, "s_1")
            await world.settles()
            await asking(world, "s_2")
            await world.settles()
        assert [message.text for _, message in world.outbox.sent] == ["s_1?", "s_2?"]
        assert world.kept.current.sending == ()
    assert [line["exc_info"] in (True, error) for line in logs if line["log_level"] == "error"] == [True]


@each_error
async def test_a_sender_that_breaks_ends_its_message_alone_and_the_person_sees_why(
    error: Exception, world: World
) -> None:
    world.outbox.failures["phone"] = [error]
    async with world.works():
        await asking(world, "s_1")
        await world.settles()
        status = (await world.book.statuses())["phone"]
        assert (status.failures, type(error).__name__ in (status.error or "")) == (1, True)
        assert str(error) not in (status.error or "")
        await asking(world, "s_2")
        await world.settles()
    assert [message.text for _, message in world.outbox.sent] == ["s_2?"]


@each_error
@pytest.mark.parametrize(
    ("port", "method"), [(SessionNotices, "notices"), (SessionNotices, "is_over"), (Channels, "policy")]
)
async def test_what_breaks_while_it_looks_holds_up_nothing_that_comes_after(
    port: type, method: str, error: Exception, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world.works():
        breaks(monkeypatch, port, method, error)
        await asking(world, "s_1")
        await world.settles()
        await asking(world, "s_2")
        await world.settles()
        assert [message.text for _, message in world.outbox.sent][-1] == "s_2?"
