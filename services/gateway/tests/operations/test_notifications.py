"""The person's channels: what goes in, what comes out, and what is refused."""

import base64
import json
from typing import Any

import msgspec
import pytest

from agent_contracts.api.notifications import WriteChannel
from agent_contracts.entities.notifications import (
    Channel,
    ChannelStatus,
    Email,
    Ntfy,
    QuietHours,
    Target,
    TestOutcome,
    Webhook,
    WebPush,
)
from agent_contracts.errors import Rejected
from agent_contracts.ids import SessionId
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.notifications.notifications import NewChannel
from gateway.operations.notifications.rules import cleaned_target

POINT = base64.urlsafe_b64encode(b"\4" + b"\1" * 64).decode().rstrip("=")
AUTH = base64.urlsafe_b64encode(b"\1" * 16).decode().rstrip("=")
BROWSER = WebPush("https://push.example/abc-canary", POINT, AUTH, "Firefox on Linux")
MAIL = Email("mail.example", 587, "me@example.org", "bot@example.org", "starttls", "bot", "pw-canary")


async def test_credentials_go_in_and_never_come_out() -> None:
    memory = InMemory()
    settings = memory.operations.notifications
    await settings.put(NewChannel("hook", Webhook("https://hooks.example/t/canary", "")))
    await settings.put(NewChannel("phone", Ntfy("https://ntfy.sh", "topic-canary", "tk_canary")))
    await settings.put(NewChannel("mail", MAIL))
    await settings.subscribe(BROWSER)
    shown = msgspec.json.encode(await settings.overview()).decode()
    assert "canary" not in shown
    assert [(one["kind"], one["leads_to"]) for one in json.loads(shown)["channels"]] == [
        ("web_push", "Firefox on Linux"),
        ("webhook", "hooks.example"),
        ("email", "me@example.org"),
        ("ntfy", "ntfy.sh"),
    ]
    stored = await memory.notifications._bucket.list()
    assert not any(b"canary" in entry.value or b"hooks" in entry.value for entry in stored.values())


async def test_a_webhooks_secret_is_made_shown_once_and_kept() -> None:
    settings = InMemory().operations.notifications
    made = await settings.put(NewChannel("hook", Webhook("https://a.example/", "")))
    assert made.secret is not None
    assert len(base64.b64decode(made.secret.removeprefix("whsec_"))) == 32
    again = await settings.put(NewChannel("hook", Webhook("https://b.example/", "")))
    assert again.secret is None
    kept = await settings._book.channel("hook")
    assert isinstance(kept, Channel)
    assert kept.target == Webhook("https://b.example/", made.secret)


async def test_a_channel_is_switched_off_without_its_credentials() -> None:
    settings = InMemory().operations.notifications
    await settings.put(NewChannel("mail", MAIL))
    await settings.put(NewChannel("mail", None, ["failure"], enabled=False))
    assert await settings._book.channel("mail") == Channel("mail", MAIL, ("failure",), False)
    with pytest.raises(Rejected, match="where the channel"):
        await settings.put(NewChannel("other", None))


@pytest.mark.parametrize(
    "target",
    [
        Webhook("ftp://a.example/", ""),
        Webhook("https://me:pw@a.example/", ""),
        Webhook("https://a.example/", "short"),
        Ntfy("https://ntfy.sh", "a/b"),
        Ntfy("https://ntfy.sh", "a", "with\nnewline"),
        Email("mail.example", 587, "me@example.org\r\nBcc: x@y.z", "bot@example.org"),
        Email("mail example", 587, "me@example.org", "bot@example.org"),
        Email("mail.example", 587, "me@example.org", "bot@example.org", "tls", "bot", None),
        WebPush("http://push.example/", POINT, AUTH),
        WebPush("https://push.example/", "AAAA", AUTH),
    ],
    ids=range(10),
)
async def test_what_can_t_be_a_channel_is_refused(target: Target) -> None:
    settings = InMemory().operations.notifications
    with pytest.raises(Rejected):
        await settings.put(NewChannel("one", target))
    assert (await settings.overview()).channels == []


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (Webhook("https://a.example/“x”", ""), "an address can't be this: character 19 of 21 is U+201C"),
        (Ntfy("https://ntfy\u00ad.sh", "t"), "an address can't be this: character 13 of 16 is U+00AD"),
        (Ntfy("https://ntfy.sh", "t", "ключ"), "a token of ntfy can't be this: character 1 of 4 is U+043A"),
        (
            Email("mail.example", 587, "“me@example.org", "bot@example.org"),
            "a mailbox can't be this: cha",
        ),
        (
            Email("mail“.example", 587, "me@a.org", "bot@a.org"),
            "a mail server can't be this: character 5",
        ),
        (
            Email("a.org", 587, "me@a.org", "b@a.org", "tls", "b", "p\u202e"),
            "token can't be this: character 2",
        ),
    ],
    ids=range(6),
)
async def test_a_character_that_can_t_be_seen_is_named(target: Target, words: str) -> None:
    with pytest.raises(Rejected) as refusal:
        await InMemory().operations.notifications.put(NewChannel("one", target))
    assert words in refusal.value.message


async def test_what_copying_adds_is_taken_off() -> None:
    def led(**body: Any) -> Target:
        target = msgspec.convert(body, WriteChannel).target
        assert target is not None
        return cleaned_target(target)

    assert led(webhook={"url": " https://a.example/\u200bx\n"}) == Webhook("https://a.example/x", "")
    ntfy = {"server": "\ufeffhttps://ntfy.sh", "topic": "t\u200b ", "token": "tk\n"}
    assert led(ntfy=ntfy) == Ntfy("https://ntfy.sh", "t", "tk")
    mail = {
        "host": " a.org",
        "sender": "b@a.org\u200b",
        "to": "me@a.org\n",
        "username": "b ",
        "password": "p\n",
    }
    assert led(email=mail) == Email("a.org", 587, "me@a.org", "b@a.org", "starttls", "b", "p")
    stored = await InMemory().operations.notifications.set_preferences(
        True, None, " https://me.example\u200b/"
    )
    assert stored.address == "https://me.example/"


async def test_there_are_at_most_twenty() -> None:
    settings = InMemory().operations.notifications
    for number in range(20):
        await settings.put(NewChannel(f"c{number}", Ntfy("https://ntfy.sh", "t")))
    with pytest.raises(Rejected, match="delete one"):
        await settings.put(NewChannel("one-more", Ntfy("https://ntfy.sh", "t")))
    await settings.put(NewChannel("c3", Ntfy("https://ntfy.sh", "another")))
    assert (await settings.delete("c3")).deleted
    assert not (await settings.delete("c3")).deleted


async def test_a_new_address_forgets_the_old_ones_trouble() -> None:
    memory = InMemory()
    settings = memory.operations.notifications
    await settings.put(NewChannel("phone", Ntfy("https://ntfy.sh", "t")))
    await memory.notifications.put_status("phone", ChannelStatus(error="no such topic", failures=3))
    assert (await settings.overview()).channels[0].error == "no such topic"
    await settings.put(NewChannel("phone", Ntfy("https://ntfy.sh", "t"), ["failure"]))
    assert (await settings.overview()).channels[0].error == "no such topic"
    await settings.put(NewChannel("phone", Ntfy("https://ntfy.sh", "other")))
    assert (await settings.overview()).channels[0].error is None


async def test_one_browser_is_one_channel_and_the_key_stays() -> None:
    settings = InMemory().operations.notifications
    key = (await settings.push_key()).public_key
    assert len(base64.urlsafe_b64decode(key + "=")) == 65
    first = await settings.subscribe(BROWSER)
    assert (await settings.subscribe(BROWSER)).name == first.name
    assert len((await settings.overview()).channels) == 1
    assert (await settings.push_key()).public_key == key


async def test_preferences_are_checked_and_kept() -> None:
    settings = InMemory().operations.notifications
    hours = QuietHours("22:00", "07:00", "Europe/Oslo")
    shown = await settings.set_preferences(False, hours, "https://me.example/foldline")
    assert shown.address == "https://me.example/foldline/"
    assert (await settings.overview()).preferences == shown
    for wrong in (
        QuietHours("25:00", "07:00", "UTC"),
        QuietHours("22:00", "22:00", "UTC"),
        QuietHours("22:00", "07:00", "Mars/Base"),
        QuietHours("22:00", "07:00", "../../etc/passwd"),
    ):
        with pytest.raises(Rejected):
            await settings.set_preferences(True, wrong, None)
    with pytest.raises(Rejected):
        await settings.set_preferences(True, None, "javascript:alert(1)")


async def test_a_test_is_the_notifiers_to_make_and_a_look_is_passed_on() -> None:
    memory = InMemory()
    settings = memory.operations.notifications
    with pytest.raises(Rejected, match="no channel"):
        await settings.test("phone")
    await settings.put(NewChannel("phone", Ntfy("https://ntfy.sh", "t")))
    memory.notifier.outcome = TestOutcome(False, "no such topic")
    assert (await settings.test("phone")).error == "no such topic"
    await settings.looking(SessionId("s_1"), True)
    assert memory.notifier.eyes == [("s_1", True)]
