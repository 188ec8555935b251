"""A mail server, by SMTP. It is dialled at an address that egress checked; TLS is for the server's name."""

import asyncio
import ssl
from email.message import EmailMessage
from email.utils import format_datetime
from functools import cached_property

import aiosmtplib
from aiosmtplib import errors

from agent_contracts.channels.email import Email
from agent_contracts.entities.notifications import Channel
from agent_contracts.errors import Permanent, Rejected, Transient
from agent_platform.process.clock import Clock
from egress.dialing import Resolver, dial
from egress.proxies.clients import authorities
from egress.rules import EgressRules
from notifier.desk.notices import NoticeMessage, shortened
from notifier.sending.port import ATTEMPT_S, SenderParts


class EmailSender:
    """Sends one mail over a connection of its own."""

    def __init__(
        self, rules: EgressRules, resolver: Resolver, clock: Clock, tls: ssl.SSLContext | None = None
    ) -> None:
        """`tls` is whom to trust; by default, whom the machine or certifi trusts."""
        self._rules = rules
        self._resolver = resolver
        self._clock = clock
        self._given_tls = tls

    async def send(self, channel: Channel, message: NoticeMessage) -> None:
        """See `Sender`."""
        target = channel.target
        assert isinstance(target, Email)
        if target.security == "none" and not self._rules.opens(target.host, target.port):
            raise Rejected(
                f"nothing is sent to {target.host} without TLS: choose starttls or tls, or, if it is in your "
                "own network, have the operator name it in FOLDLINE_EGRESS_PRIVATE_HOSTS",
                kind="not_secure",
            )
        progress = _MailProgress()
        try:
            async with asyncio.timeout(ATTEMPT_S):
                await self._send(target, self._mail(target, message), progress)
        except TimeoutError as error:
            raise progress.failure(f"{target.host} took longer than {ATTEMPT_S:g} seconds") from error
        except errors.SMTPAuthenticationError as error:
            raise Permanent(
                f"{target.host} refuses the login: {_said(error)}", kind="login_refused"
            ) from error
        except errors.SMTPResponseException as error:
            if error.code < 400:  # aiosmtplib's, for an answer that it can't read
                raise progress.failure(f"{target.host} doesn't speak SMTP properly") from error
            raise _refused(target, error.code, _said(error)) from error
        except errors.SMTPRecipientsRefused as error:
            first = error.recipients[0]
            raise _refused(target, first.code, shortened(first.message, 150)) from error
        except (errors.SMTPException, OSError) as error:
            raise progress.failure(f"{target.host}: {shortened(str(error), 150)}") from error

    async def _send(self, target: Email, mail: EmailMessage, progress: "_MailProgress") -> None:
        connection = await dial(self._rules, self._resolver, target.host, target.port)
        client = aiosmtplib.SMTP(
            hostname=target.host,
            sock=connection,
            timeout=ATTEMPT_S,
            use_tls=target.security == "tls",
            start_tls=target.security == "starttls",
            tls_context=self._tls if target.security != "none" else None,
            local_hostname="foldline.invalid",
        )
        try:
            await client.connect()
            if target.username:
                await client.login(target.username, target.password or "")
            progress.sent = True
            await client.send_message(mail)
            progress.taken = True
            await client.quit()
        except (errors.SMTPException, OSError):
            if not progress.taken:
                raise
        finally:
            client.close()
            connection.close()

    def _mail(self, target: Email, message: NoticeMessage) -> EmailMessage:
        mail = EmailMessage()
        mail["From"] = target.sender
        mail["To"] = target.to
        mail["Subject"] = message.title
        mail["Date"] = format_datetime(self._clock.now())
        mail["Message-ID"] = f"<{message.id}@foldline.invalid>"
        mail["Auto-Submitted"] = "auto-generated"
        parts = [message.text or message.title, message.link or ""]
        mail.set_content("\n\n".join(part for part in parts if part) + "\n")
        return mail

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return self._given_tls or authorities()


def sender(parts: SenderParts) -> EmailSender:
    """The sender of this kind."""
    return EmailSender(parts.rules, parts.resolver, parts.clock)


class _MailProgress:
    """How far an attempt came: whether the mail began to be sent, whether it was taken."""

    sent = False
    taken = False

    def failure(self, message: str) -> Transient | Permanent:
        if self.sent:
            return Permanent(f"{message}; the mail may or may not have been taken", kind="outcome_unknown")
        return Transient(message, kind="upstream")


def _refused(target: Email, code: int, said: str) -> Transient | Rejected:
    message = f"{target.host} answers {code}: {said}"
    return Transient(message, kind="upstream") if 400 <= code < 500 else Rejected(message, kind="refused")


def _said(error: errors.SMTPResponseException) -> str:
    return shortened(error.message, 150)
