"""What goes over the wire, against servers of this machine. No channel was ever tried live."""

import asyncio
import base64
import email
import email.policy
import hashlib
import hmac
import json
import os
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import http_ece
import msgspec
import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02

from agent_contracts.channels.email import Email
from agent_contracts.channels.kind import ChannelTarget
from agent_contracts.channels.ntfy import Ntfy
from agent_contracts.channels.web_push import WebPush
from agent_contracts.channels.webhook import Webhook
from agent_contracts.entities.notifications import Channel
from agent_contracts.errors import Failure, Permanent, Rejected, Transient
from egress.rules import EgressRules
from foldline_testing.egress.certificates import certificate_for
from foldline_testing.egress.web import FixedNames, answered, egress_to, local_server
from foldline_testing.notifier.working import NOON, StandingClock, World
from notifier.desk.notices import NoticeMessage
from notifier.sending import email as mail
from notifier.sending.email import EmailSender
from notifier.sending.ntfy import NtfySender
from notifier.sending.port import SubscriptionGone
from notifier.sending.web_push import WebPushSender
from notifier.sending.webhook import WebhookSender

MESSAGE = NoticeMessage(
    id="question-s_1-m1-00",
    kind="question",
    at="2026-01-31T12:35:00.000Z",
    title="A question waits for you: Ein Ausflug ☀",
    text="Which city — Oslo?",
    path="#/s/s_1",
    link="https://me.example/#/s/s_1",
)
SECRET = "whsec_" + base64.b64encode(b"k" * 32).decode()


def to(target: ChannelTarget) -> Channel:
    return Channel("one", target)


async def test_a_webhook_gets_a_cloud_event_whose_signature_ten_lines_check() -> None:
    async with local_server(lambda _: answered(status=204)) as server:
        sender = WebhookSender(egress_to("hooks.test"), StandingClock())
        message = msgspec.structs.replace(MESSAGE, text="one\u2028two\x85three")
        await sender.send(to(Webhook(url=server.url("hooks.test", "/in?a=1"), secret=SECRET)), message)
    head, _, body = server.seen[0].partition("\r\n\r\n")
    assert head.startswith("POST /in?a=1 HTTP/1.1")
    assert len(body.encode("latin-1").decode().splitlines()) == 1
    headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in head.splitlines()[1:])}
    assert headers["content-type"] == "application/cloudevents+json; charset=utf-8"
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body.encode("latin-1")
    digest = hmac.new(b"k" * 32, signed, hashlib.sha256).digest()
    assert headers["webhook-signature"] == "v1," + base64.b64encode(digest).decode()
    event = json.loads(body.encode("latin-1"))
    assert event["specversion"] == "1.0"
    assert event["id"] == headers["webhook-id"] == MESSAGE.id
    assert event["type"] == "foldline.notification.question.v1"
    assert event["data"]["title"] == MESSAGE.title


@pytest.mark.parametrize(
    ("answer", "failure", "says"),
    [
        (answered(b"over quota", status=500), Transient, "500: over quota"),
        (answered(b"", "Retry-After: 77", status=429), Transient, "429"),
        (answered(b"no such hook", status=404), Permanent, "404: no such hook"),
        (answered(b"", "Location: /login", status=302), Rejected, "redirect"),
        (b"nonsense\r\n\r\n", Permanent, "may or may not have taken effect"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n" + b"x" * 100_000, None, ""),
    ],
    ids=["its fault", "later", "never", "elsewhere", "nonsense", "without end"],
)
async def test_what_an_answer_means(answer: bytes, failure: type[Failure] | None, says: str) -> None:
    async with local_server(lambda asked: answered() if asked.startswith("GET") else answer) as server:
        sender = WebhookSender(egress_to("hooks.test"), StandingClock())
        sending = sender.send(to(Webhook(url=server.url("hooks.test"), secret=SECRET)), MESSAGE)
        if failure is None:
            await sending
            return
        with pytest.raises(failure, match=says) as caught:
            await sending
    if b"Retry-After" in answer:
        assert isinstance(caught.value, Transient)
        assert caught.value.retry_after == 77


async def test_a_private_address_is_refused_unless_the_operator_opened_it() -> None:
    async with local_server(lambda _: answered()) as server:
        sender = WebhookSender(egress_to("other.test"), StandingClock())
        with pytest.raises(Rejected, match="FOLDLINE_EGRESS_PRIVATE_HOSTS"):
            await sender.send(to(Webhook(url=f"http://127.0.0.1:{server.port}/", secret=SECRET)), MESSAGE)
        mailer = EmailSender(EgressRules(), FixedNames({"mail.test": ["127.0.0.1"]}), StandingClock())
        with pytest.raises(Rejected, match="private"):
            await mailer.send(
                to(Email(host="mail.test", port=server.port, to="a@b.c", sender="d@e.f", security="tls")),
                MESSAGE,
            )
        assert server.seen == []


async def test_ntfy_gets_its_json_form_with_the_token() -> None:
    async with local_server(lambda _: answered(b"{}")) as server:
        target = Ntfy(server=server.url("ntfy.test", ""), topic="my-topic", token="tk_secret1")
        await NtfySender(egress_to("ntfy.test")).send(to(target), MESSAGE)
    head, _, body = server.seen[0].partition("\r\n\r\n")
    assert "authorization: Bearer tk_secret1" in head
    assert json.loads(body.encode("latin-1")) == {
        "topic": "my-topic",
        "title": MESSAGE.title,
        "message": MESSAGE.text,
        "tags": ["question"],
        "click": MESSAGE.link,
    }


async def test_a_token_is_not_sent_in_clear_to_a_public_host_nor_repeated_in_an_error() -> None:
    async with local_server(lambda asked: answered(asked.encode("latin-1"), status=403)) as server:
        target = Ntfy(server=server.url("ntfy.test", ""), topic="my-topic", token="tk_secret1")
        with pytest.raises(Permanent) as caught:
            await NtfySender(egress_to("ntfy.test")).send(to(target), MESSAGE)
        assert "tk_secret1" not in caught.value.message
    with pytest.raises(Rejected, match="https"):
        await NtfySender(egress_to()).send(
            to(Ntfy(server="http://93.184.216.34/", topic="t", token="tk_secret1")), MESSAGE
        )


class Browser:
    """A browser with a push subscription, and what its service worker would be handed."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.auth = os.urandom(16)
        self.point = self.key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )

    def subscription(self, endpoint: str) -> WebPush:
        return WebPush(endpoint=endpoint, p256dh=_text(self.point), auth=_text(self.auth), browser="Firefox")

    def opens(self, body: bytes) -> Any:
        return json.loads(http_ece.decrypt(body, private_key=self.key, auth_secret=self.auth))


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


async def test_a_push_message_can_be_read_by_its_browser_alone_and_says_who_sent_it() -> None:
    world, browser = World(), Browser()
    private = ec.generate_private_key(ec.SECP256R1())
    number = private.private_numbers().private_value
    await world.book.vapid_key_or_new(_text(number.to_bytes(32, "big")))
    async with local_server(lambda _: answered(status=201)) as server:
        sender = WebPushSender(egress_to("push.test"), world.book, StandingClock(), "https://me.invalid")
        await sender.send(to(browser.subscription(server.url("push.test", "/p/1"))), MESSAGE)
    head, _, body = server.seen[0].partition("\r\n\r\n")
    assert "content-encoding: aes128gcm" in head
    assert "ttl: 86400" in head
    assert "Oslo" not in body
    assert browser.opens(body.encode("latin-1")) == {
        "id": MESSAGE.id,
        "title": MESSAGE.title,
        "text": MESSAGE.text,
        "path": MESSAGE.path,
    }
    authorization = next(line for line in head.splitlines() if line.startswith("authorization: "))
    assert Vapid02.verify(authorization.removeprefix("authorization: "))
    claims = json.loads(base64.urlsafe_b64decode(authorization.split("t=")[1].split(".")[1] + "=="))
    assert claims["aud"] == f"http://push.test:{server.port}"
    assert claims["exp"] - NOON.timestamp() == 12 * 3600


@pytest.mark.parametrize("status", [404, 410])
async def test_a_subscription_that_is_over_is_gone(status: int) -> None:
    world = World()
    await world.book.vapid_key_or_new(_text(b"\1" * 32))
    async with local_server(lambda _: answered(status=status)) as server:
        sender = WebPushSender(egress_to("push.test"), world.book, StandingClock(), "https://me.invalid")
        with pytest.raises(SubscriptionGone, match="subscribe"):
            await sender.send(to(Browser().subscription(server.url("push.test"))), MESSAGE)


async def test_keys_that_are_none_are_refused() -> None:
    world = World()
    await world.book.vapid_key_or_new(_text(b"\1" * 32))
    sender = WebPushSender(egress_to("push.test"), world.book, StandingClock(), "https://me.invalid")
    broken = WebPush(endpoint="https://push.test/", p256dh=_text(b"\4" + b"\1" * 64), auth=_text(b"\1" * 16))
    with pytest.raises(Rejected, match="no proper keys"):
        await sender.send(to(broken), MESSAGE)


class Mailbox:
    """What a mail server took. `answer` is what it says to a mail."""

    def __init__(self, answer: str = "250 taken") -> None:
        self.answer = answer
        self.mails: list[email.message.EmailMessage] = []
        self.logins: list[bytes] = []
        self.secure: list[bool] = []

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        raw = envelope.content
        assert isinstance(raw, bytes)
        self.mails.append(email.message_from_bytes(raw, policy=email.policy.default))
        assert server.transport is not None
        self.secure.append(server.transport.get_extra_info("ssl_object") is not None)
        return self.answer

    def login(self, server: SMTP, session: Session, envelope: Envelope, how: str, given: Any) -> AuthResult:
        assert isinstance(given, LoginPassword)
        self.logins.append(given.login + b":" + given.password)
        return AuthResult(success=given.password == b"right", handled=False)


@asynccontextmanager
async def mail_server(box: Mailbox, security: str, tls: ssl.SSLContext) -> AsyncIterator[int]:
    options: dict[str, Any] = {"authenticator": box.login}
    if security == "starttls":
        options |= {"tls_context": tls, "require_starttls": True, "auth_required": True}
    else:
        options |= {"auth_require_tls": False}

    talking: list[SMTP] = []

    def factory() -> SMTP:
        talking.append(SMTP(box, hostname="mail.test", **options))
        return talking[-1]

    loop = asyncio.get_running_loop()
    server = await loop.create_server(factory, "127.0.0.1", 0, ssl=tls if security == "tls" else None)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for one in talking:
            if one.transport is not None:
                one.transport.close()
        await asyncio.sleep(0.05)  # sleeps: work


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    return certificate_for("mail.test", tmp_path_factory.mktemp("tls"))


def mailer(trusted: ssl.SSLContext | None = None) -> EmailSender:
    rules = EgressRules(private_hosts=frozenset({"mail.test"}))
    return EmailSender(rules, FixedNames({"mail.test": ["127.0.0.1"]}), StandingClock(), trusted)


Tls = tuple[ssl.SSLContext, ssl.SSLContext]


@pytest.mark.parametrize("security", ["tls", "starttls", "none"])
async def test_a_mail_arrives_as_it_was_meant(security: Any, tls: Tls) -> None:
    box = Mailbox()
    async with mail_server(box, security, tls[0]) as port:
        target = Email(
            host="mail.test",
            port=port,
            to="me@example.org",
            sender="bot@example.org",
            security=security,
            username="bot",
            password="right",
        )
        await mailer(tls[1]).send(to(target), MESSAGE)
    [taken] = box.mails
    assert taken["Subject"] == MESSAGE.title
    assert taken["To"] == "me@example.org"
    assert taken.get_content().split() == [*MESSAGE.text.split(), MESSAGE.link]
    assert box.logins == [b"bot:right"]
    assert box.secure == [security != "none"]


async def test_what_a_mail_server_refuses_is_told_and_what_it_puts_off_is_tried_again(tls: Tls) -> None:
    for answer, failure in (("550 go away", Rejected), ("451 later", Transient)):
        box = Mailbox(answer)
        async with mail_server(box, "none", tls[0]) as port:
            target = Email(
                host="mail.test", port=port, to="me@example.org", sender="bot@example.org", security="none"
            )
            with pytest.raises(failure, match=answer[4:]):
                await mailer().send(to(target), MESSAGE)
    async with mail_server(Mailbox(), "tls", tls[0]) as port:
        wrong = Email(
            host="mail.test",
            port=port,
            to="me@example.org",
            sender="bot@example.org",
            security="tls",
            username="bot",
            password="wrong",
        )
        with pytest.raises(Permanent, match="refuses the login"):
            await mailer(tls[1]).send(to(wrong), MESSAGE)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # aiosmtpd leaves a transport
async def test_a_server_that_nobody_vouches_for_gets_neither_mail_nor_password(tls: Tls) -> None:
    for security in ("tls", "starttls"):
        box = Mailbox()
        async with mail_server(box, security, tls[0]) as port:
            target = Email(
                host="mail.test",
                port=port,
                to="a@b.c",
                sender="d@e.f",
                security=security,
                username="bot",
                password="right",
            )
            with pytest.raises(Transient):
                await mailer(ssl.create_default_context()).send(to(target), MESSAGE)
        assert (box.mails, box.logins) == ([], [])


async def test_nothing_goes_in_clear_to_a_host_that_is_not_opened() -> None:
    sender = EmailSender(EgressRules(), FixedNames({"mail.test": ["93.184.216.34"]}), StandingClock())
    with pytest.raises(Rejected, match="without TLS"):
        await sender.send(
            to(Email(host="mail.test", port=25, to="a@b.c", sender="d@e.f", security="none")), MESSAGE
        )


@pytest.mark.parametrize(
    "says",
    [b"", b"220 " + b"x" * 5_000_000, b"220 hi\r\n" + b"250-y\r\n" * 500_000],
    ids=["says nothing", "a line without end", "an answer without end"],
)
async def test_a_hostile_mail_server_is_bounded(says: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail, "ATTEMPT_S", 0.5)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(says)
            await writer.drain()
            await reader.read()
        except ConnectionError:
            return
        finally:
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises((Transient, Permanent)):  # the server never ends by itself
            await mailer().send(
                to(Email(host="mail.test", port=port, to="a@b.c", sender="d@e.f", security="none")), MESSAGE
            )


@pytest.mark.parametrize(
    ("path", "secret"),
    [
        ("/services/T0/B0/q8Zr51kd93LmQxv7", "q8Zr51kd93LmQxv7"),
        ("/in?token=q8Zr51kd93LmQxv7", "q8Zr51kd93LmQxv7"),
        ("/q8Zr51kd93LmQxv7?wait=true", "q8Zr51kd93LmQxv7"),
    ],
)
async def test_a_server_that_repeats_the_address_gets_it_into_no_failure(path: str, secret: str) -> None:
    """Whoever knows the address of a webhook can send by it."""

    def repeating(request: str) -> bytes:
        return answered(f"no: {request}".encode(), status=401)

    async with local_server(repeating) as server:
        sender = WebhookSender(egress_to("hooks.test"), StandingClock())
        with pytest.raises(Permanent) as refused:
            await sender.send(to(Webhook(url=server.url("hooks.test", path), secret=SECRET)), MESSAGE)
    assert refused.value.message.startswith("the server answers 401: no: POST /")
    assert secret not in refused.value.message
