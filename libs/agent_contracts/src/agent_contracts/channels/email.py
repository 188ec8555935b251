"""A mailbox, by way of a mail server."""

from typing import Annotated, Literal

import msgspec

from agent_contracts.channels.kind import CREDENTIAL, ChannelKind, ChannelTarget
from agent_contracts.form_inputs import MemberFlaw, declared

Security = Literal["starttls", "tls", "none"]
"""How the connection to a mail server is kept secret. `none` is for servers on private addresses."""
_HOST = msgspec.Meta(max_length=253)
_MAILBOX = msgspec.Meta(max_length=320)


class Email(ChannelTarget, frozen=True, kw_only=True, tag="email"):
    """A mailbox, by way of a mail server."""

    to: Annotated[str, _MAILBOX, declared("To", hint="me@example.org", format="email")]
    """The mailbox that gets the messages."""
    sender: Annotated[str, _MAILBOX, declared("From", hint="foldline@example.org", format="email")]
    """The mailbox that they come from."""
    host: Annotated[str, _HOST, declared("Mail server", hint="smtp.example.org", format="hostname")]
    """The server that takes them."""
    port: Annotated[int, msgspec.Meta(ge=1, le=65535), declared("Port")] = 587
    """The mail server's port."""
    security: Annotated[
        Security,
        declared(
            "Encryption",
            options={
                "starttls": "STARTTLS (port 587)",
                "tls": "TLS (port 465)",
                "none": "None, in your own network",
            },
        ),
    ] = "starttls"
    """How the connection to it is kept secret."""
    username: (
        Annotated[str, CREDENTIAL, declared("User name", "Only if the server needs a login.")] | None
    ) = None
    """Who logs in there."""
    password: Annotated[str, CREDENTIAL, declared("Password", secret=True)] | None = None
    """The password of that login."""


def _check(target: Email) -> None:
    if (target.username is None) != (target.password is None):
        missing = "username" if target.username is None else "password"
        raise MemberFlaw(missing, "A login at a mail server has both a user name and a password")


EMAIL = ChannelKind(shape=Email, title="Mail", noun="mail", leads_to=("to",), check=_check)
