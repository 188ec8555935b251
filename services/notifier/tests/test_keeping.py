"""What is kept of what is to be sent: it stays small, and nothing in it is forgotten."""

from datetime import timedelta

import msgspec
import pytest
from pydantic import SecretStr

from agent_contracts.channels.webhook import Webhook
from agent_contracts.entities.notifications import (
    KINDS,
    MOST_CHANNELS,
    Channel,
    ChannelStatus,
    Preferences,
    QuietHours,
)
from agent_contracts.errors import Transient
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.session_events.inputs import ReminderDue
from agent_domain.notifications.book import NotificationBook
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.secrets.key import SecretsKey, new_key
from agent_domain.secrets.settings import SecretsSettings
from agent_platform.entities.entities import Entities
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import SystemClock
from agent_platform.services.embedded.nats_config import MAX_PAYLOAD_BYTES
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.notifier.working import BUCKET, NOON, World
from foldline_testing.session_domain.story import answers, asks, says, wants
from notifier.desk.channels import Channels
from notifier.desk.desk import (
    MOST_AGENTS,
    MOST_QUOTED,
    WINDOW_S,
    Desk,
    NoticePolicy,
    PendingDelivery,
    admit,
    put_right,
    release,
)
from notifier.desk.kept_desk import KeptDesk
from notifier.desk.notices import Notice
from notifier.settings import NotifierSettings


async def test_a_long_answer_is_kept_short_through_quiet_hours() -> None:
    world = World()
    await world.has_channel()
    quiet = QuietHours("00:00", "23:59", "UTC")
    await world.book.put_preferences(Preferences(quiet=quiet))
    async with world.works():
        for number in range(3):
            chat = await (await world.chat(f"s_{number}", "A trip")).given(ReminderDue("r_1", "water"))
            await chat.given(answers(chat, "x" * 900_000))
        await world.settles()
        assert world.following.trouble is None
        assert sum(one.counts["reminder"] for one in world.kept.current.held.values()) == 3
        assert len(msgspec.json.encode(world.kept.current)) < 10_000


def test_a_desk_that_is_full_fits_into_one_message() -> None:
    """Of the longest that there is, in characters of four bytes."""
    quiet = Preferences(quiet=QuietHours("00:00", "23:59", "UTC"))
    policy = NoticePolicy(quiet, 5, {f"{number:064}": KINDS for number in range(MOST_CHANNELS)})
    desk = Desk()
    for agent in range(MOST_AGENTS + 1):
        for number in range(MOST_QUOTED + 1):
            notice = Notice(
                key=f"question-{'s' * 64}-{agent}-{number}",
                kind="question",
                agent_id=AgentId("a" * 58 + f"{agent:06}"),
                at="2026-01-31T12:35:00.000Z",
                headline="A question waits for you",
                session_id=SessionId("s" * 64),
                about="\U00010348" * 1_000,
                text="\U00010348" * 1_000,
            )
            desk = admit(desk, notice, policy, NOON.timestamp())
    assert len(desk.held) == MOST_AGENTS
    awake = msgspec.structs.replace(policy, preferences=Preferences(address="https://me.example/"))
    sending = release(desk, awake, (NOON + timedelta(days=1)).timestamp())
    for one in (desk, sending):
        assert len(msgspec.json.encode(one)) < MAX_PAYLOAD_BYTES


class ForgetfulBucket(Bucket):
    """Stores as its log does; what is named in `lost` is stored, and its answer doesn't come."""

    def __init__(self, log: MemoryLog, name: str) -> None:
        super().__init__(log, name)
        self.lost: bytes | None = None

    async def put(
        self, key: str, value: bytes, *, expect: int | None = None, ttl_s: float | None = None
    ) -> int:
        revision = await super().put(key, value, expect=expect, ttl_s=ttl_s)
        if self.lost is not None and self.lost in value:
            self.lost = None
            raise Transient("no answer came", kind="timeout")
        return revision


async def test_a_message_is_sent_though_it_was_not_told_that_its_beginning_is_kept() -> None:
    world = World()
    world.bucket = forgetful = ForgetfulBucket(MemoryLog(), BUCKET)
    world.book = NotificationBook(forgetful, SecretsKey(SecretsSettings(secrets_key=SecretStr(new_key()))))
    await world.has_channel()
    forgetful.lost = b'"under_way":true'

    async def was_lost() -> bool | None:
        return forgetful.lost is None or None

    async def sent() -> bool | None:
        return bool(world.outbox.sent) or None

    async with world.works():
        chat = await (await world.chat("s_1", "A trip")).given(says("plan a trip"))
        call = wants(chat, "ask_user", pauses=True)
        await chat.given(answers(chat, calls=[call]), asks(call.call_id, "Which city?"))
        await eventually(was_lost, within=60)
        await world.following.keep_checkpoint()  # any other change finds out that it was stored
        await eventually(sent, within=60)
    assert [message.text for _, message in world.outbox.sent] == ["Which city?"]


async def test_a_clock_that_was_ahead_and_is_put_right_silences_nobody() -> None:
    world = World(limit=1)
    await world.has_channel()

    async def asked(session_id: str) -> None:
        chat = await (await world.chat(session_id, "A trip")).given(says("plan a trip"))
        call = wants(chat, "ask_user", pauses=True)
        await chat.given(answers(chat, calls=[call]), asks(call.call_id, f"Where, {session_id}?"))
        await world.settles()

    async with world.works():
        world.clock.later(86_400)
        await asked("s_1")
        world.clock.later(-86_400)
        await asked("s_2")
    assert [message.text for _, message in world.outbox.sent] == ["Where, s_1?", "Where, s_2?"]


@pytest.mark.parametrize("ahead_s", [3600, 86_400, 27 * 3600])
def test_what_a_clock_that_was_ahead_put_off_is_sent_when_it_is_right(ahead_s: int) -> None:
    policy = NoticePolicy(Preferences(), limit=1, channels={"phone": KINDS})
    agent, desk, now = AgentId("default"), Desk(), NOON.timestamp()
    for number in range(2):
        notice = Notice(f"n_{number}", "question", agent, "2026-03-02T12:00:00Z", "A question waits for you")
        desk = admit(desk, notice, policy, now + ahead_s)
    desk = msgspec.structs.replace(
        desk, sending=(PendingDelivery("n_0", "phone", now + ahead_s + 60, attempts=1),)
    )
    assert put_right(desk, now + ahead_s) is desk
    right = put_right(desk, now)
    assert [one.next_at for one in right.sending] == [now]
    assert release(right, policy, now).held == {}
    assert desk.held[agent].until <= now + ahead_s + WINDOW_S


async def test_a_channel_that_is_off_or_gone_takes_nothing() -> None:
    world = World()
    for name in ("phone", "off", "gone", "failing"):
        await world.has_channel(name)
    await world.book.put(
        Channel("off", Webhook(url="https://example.org/hook", secret="whsec_AAAA"), enabled=False)
    )
    await world.book.put_status("gone", ChannelStatus(gone=True))
    await world.book.put_status("failing", ChannelStatus(failures=3))
    settings = EffectiveSettings(Entities(world.log, SystemClock(), "/notifier"), NotifierSettings())
    policy = await Channels(world.book, settings).policy()
    assert set(policy.channels) == {"phone", "failing"}


@pytest.mark.parametrize(("last_sequence", "checkpoint"), [(9, 9), (10, 10), (11, 10)])
async def test_a_desk_of_a_log_that_was_cut_begins_at_its_end(last_sequence: int, checkpoint: int) -> None:
    bucket = Bucket(MemoryLog(), BUCKET)
    await KeptDesk(bucket).take(10)
    after = KeptDesk(bucket)
    await after.take(last_sequence)
    assert after.current.checkpoint == checkpoint
