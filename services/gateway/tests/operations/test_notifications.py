"""The person's channels: what goes in, what comes out, and what is refused."""

import base64
import json
from typing import Any

import msgspec
import pytest

from agent_contracts.api.notifications import (
    ChangePreferences,
    ShownPreferences,
    WriteChannel,
    WriteQuietHours,
)
from agent_contracts.channels.email import Email
from agent_contracts.channels.kind import ChannelTarget
from agent_contracts.channels.ntfy import Ntfy
from agent_contracts.channels.web_push import WebPush
from agent_contracts.channels.webhook import Webhook
from agent_contracts.entities.notifications import Channel, ChannelStatus, TestOutcome
from agent_contracts.errors import Rejected
from agent_contracts.ids import SessionId
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.notifications.notifications import NewChannel
from gateway.operations.notifications.rules import cleaned_target

POINT = base64.urlsafe_b64encode(b"\4" + b"\1" * 64).decode().rstrip("=")
AUTH = base64.urlsafe_b64encode(b"\1" * 16).decode().rstrip("=")
BROWSER = WebPush(
    endpoint="https://push.example/abc-canary", p256dh=POINT, auth=AUTH, browser="Firefox on Linux"
)
MAIL = Email(
    host="mail.example",
    port=587,
    to="me@example.org",
    sender="bot@example.org",
    security="starttls",
    username="bot",
    password="pw-canary",
)


async def test_credentials_go_in_and_never_come_out() -> None:
    memory = InMemory()
    settings = memory.operations.notifications
    await settings.put(NewChannel("hook", Webhook(url="https://hooks.example/t/canary", secret="")))
    await settings.put(
        NewChannel("phone", Ntfy(server="https://ntfy.sh", topic="topic-canary", token="tk_canary"))
    )
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
    made = await settings.put(NewChannel("hook", Webhook(url="https://a.example/", secret="")))
    assert made.secret is not None
    assert len(base64.b64decode(made.secret.removeprefix("whsec_"))) == 32
    again = await settings.put(NewChannel("hook", Webhook(url="https://b.example/", secret="")))
    assert again.secret is None
    kept = await settings._book.channel("hook")
    assert isinstance(kept, Channel)
    assert kept.target == Webhook(url="https://b.example/", secret=made.secret)


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
        Webhook(url="ftp://a.example/", secret=""),
        Webhook(url="https://me:pw@a.example/", secret=""),
        Webhook(url="https://a.example/", secret="short"),
        Ntfy(server="https://ntfy.sh", topic="a/b"),
        Ntfy(server="https://ntfy.sh", topic="a", token="with\nnewline"),
        Email(host="mail.example", port=587, to="me@example.org\r\nBcc: x@y.z", sender="bot@example.org"),
        Email(host="mail example", port=587, to="me@example.org", sender="bot@example.org"),
        Email(
            host="mail.example",
            port=587,
            to="me@example.org",
            sender="bot@example.org",
            security="tls",
            username="bot",
            password=None,
        ),
        WebPush(endpoint="http://push.example/", p256dh=POINT, auth=AUTH),
        WebPush(endpoint="https://push.example/", p256dh="AAAA", auth=AUTH),
    ],
    ids=range(10),
)
async def test_what_can_t_be_a_channel_is_refused(target: ChannelTarget) -> None:
    settings = InMemory().operations.notifications
    with pytest.raises(Rejected):
        await settings.put(NewChannel("one", target))
    assert (await settings.overview()).channels == []


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (
            Webhook(url="https://a.example/“x”", secret=""),
            "Address can't be this: character 19 of 21 is U+201C",
        ),
        (
            Ntfy(server="https://ntfy\u00ad.sh", topic="t"),
            "Server can't be this: character 13 of 16 is U+00AD",
        ),
        (
            Ntfy(server="https://ntfy.sh", topic="t", token="ключ"),
            "Access token can't be this: character 1 of 4 is U+043A",
        ),
        (
            Email(host="mail.example", port=587, to="“me@example.org", sender="bot@example.org"),
            "To can't be this: character 1",
        ),
        (
            Email(host="mail“.example", port=587, to="me@a.org", sender="bot@a.org"),
            "Mail server can't be this: character 5",
        ),
        (
            Email(
                host="a.org",
                port=587,
                to="me@a.org",
                sender="b@a.org",
                security="tls",
                username="b",
                password="p\u202e",
            ),
            "Password can't be this: character 2",
        ),
    ],
    ids=range(6),
)
async def test_a_character_that_can_t_be_seen_is_named(target: ChannelTarget, words: str) -> None:
    with pytest.raises(Rejected) as refusal:
        await InMemory().operations.notifications.put(NewChannel("one", target))
    assert words in refusal.value.message


async def test_what_copying_adds_is_taken_off() -> None:
    def led(**target: Any) -> ChannelTarget:
        found = msgspec.convert({"target": target}, WriteChannel).target
        assert found is not None
        return cleaned_target(found)

    assert led(kind="webhook", url=" https://a.example/\u200bx\n") == Webhook(url="https://a.example/x")
    given = {"server": "\ufeffhttps://ntfy.sh", "topic": "t\u200b ", "token": "tk\n"}
    assert led(kind="ntfy", **given) == Ntfy(server="https://ntfy.sh", topic="t", token="tk")
    emptied = {"server": " ", "topic": "t", "token": " "}
    assert led(kind="ntfy", **emptied) == Ntfy(topic="t")
    mail = {"host": " a.org", "sender": "b@a.org\u200b", "to": "me@a.org\n"}
    login = {"username": "b ", "password": "p\n"}
    cleaned = Email(host="a.org", to="me@a.org", sender="b@a.org", username="b", password="p")
    assert led(kind="email", **mail, **login) == cleaned
    change = ChangePreferences(address=" https://me.example\u200b/")
    stored = await InMemory().operations.notifications.change_preferences(change)
    assert stored.address == "https://me.example/"


async def test_a_channel_of_a_kind_that_is_gone_is_shown_and_hides_no_other() -> None:
    class Pigeon(ChannelTarget, frozen=True, tag="pigeon"):
        loft: str

    memory = InMemory()
    settings = memory.operations.notifications
    await settings.put(NewChannel("phone", Ntfy(topic="t")))
    await memory.notifications.put(Channel("bird", Pigeon("north")))
    shown = {one.name: (one.readable, one.leads_to) for one in (await settings.overview()).channels}
    assert shown == {"bird": (False, None), "phone": (True, "ntfy.sh")}
    await settings.put(NewChannel("bird", Ntfy(topic="t")))
    assert all(one.readable for one in (await settings.overview()).channels)


async def test_there_are_at_most_twenty() -> None:
    settings = InMemory().operations.notifications
    for number in range(20):
        await settings.put(NewChannel(f"c{number}", Ntfy(server="https://ntfy.sh", topic="t")))
    with pytest.raises(Rejected, match="delete one"):
        await settings.put(NewChannel("one-more", Ntfy(server="https://ntfy.sh", topic="t")))
    await settings.put(NewChannel("c3", Ntfy(server="https://ntfy.sh", topic="another")))
    assert (await settings.delete("c3")).deleted
    assert not (await settings.delete("c3")).deleted


async def test_a_new_address_forgets_the_old_ones_trouble() -> None:
    memory = InMemory()
    settings = memory.operations.notifications
    await settings.put(NewChannel("phone", Ntfy(server="https://ntfy.sh", topic="t")))
    await memory.notifications.put_status("phone", ChannelStatus(error="no such topic", failures=3))
    assert (await settings.overview()).channels[0].error == "no such topic"
    await settings.put(NewChannel("phone", Ntfy(server="https://ntfy.sh", topic="t"), ["failure"]))
    assert (await settings.overview()).channels[0].error == "no such topic"
    await settings.put(NewChannel("phone", Ntfy(server="https://ntfy.sh", topic="other")))
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
    hours = WriteQuietHours(begins="22:00", ends="07:00", timezone="Europe/Oslo")
    change = ChangePreferences(show_text=False, quiet=hours, address="https://me.example/foldline")
    shown = await settings.change_preferences(change)
    assert await settings.change_preferences(ChangePreferences()) == await settings.preferences() == shown
    assert (await settings.change_preferences(ChangePreferences(show_text=True))).quiet == shown.quiet
    assert await settings.change_preferences(ChangePreferences(show_text=False)) == shown
    assert shown.address == "https://me.example/foldline/"
    assert (await settings.overview()).preferences == shown
    for wrong in (
        ("25:00", "07:00", "UTC"),
        ("22:00", "22:00", "UTC"),
        ("22:00", "07:00", "Mars/Base"),
        ("22:00", "07:00", "../../etc/passwd"),
    ):
        hours = WriteQuietHours(begins=wrong[0], ends=wrong[1], timezone=wrong[2])
        with pytest.raises(Rejected):
            await settings.change_preferences(ChangePreferences(quiet=hours))
    with pytest.raises(Rejected):
        await settings.change_preferences(ChangePreferences(address="javascript:alert(1)"))
    assert await settings.preferences() == shown
    assert await settings.change_preferences(ChangePreferences(quiet=None, address=None)) == ShownPreferences(
        show_text=False, quiet=None, address=None
    )


async def test_a_test_is_the_notifiers_to_make_and_a_look_is_passed_on() -> None:
    memory = InMemory()
    settings = memory.operations.notifications
    with pytest.raises(Rejected, match="no channel"):
        await settings.test("phone")
    await settings.put(NewChannel("phone", Ntfy(server="https://ntfy.sh", topic="t")))
    memory.notifier.outcome = TestOutcome(False, "no such topic")
    assert (await settings.test("phone")).error == "no such topic"
    await settings.looking(SessionId("s_1"), True)
    assert memory.notifier.eyes == [("s_1", True)]
