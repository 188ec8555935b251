"""Any HTTP server: it gets a CloudEvent, signed by the rules of Standard Webhooks."""

import base64
import binascii
from typing import Annotated

from agent_contracts.channels.kind import ADDRESS, CREDENTIAL, ChannelKind, ChannelTarget
from agent_contracts.form_inputs import MemberFlaw, declared

SECRET_PREFIX = "whsec_"


class Webhook(ChannelTarget, frozen=True, kw_only=True, tag="webhook"):
    """Any HTTP server."""

    url: Annotated[
        str, ADDRESS, declared("Address", "It gets a signed POST with a CloudEvent.", format="uri")
    ]
    secret: Annotated[
        str,
        CREDENTIAL,
        declared(
            "Secret", "Signs each message. Leave it out to get one, or to keep the one before.", secret=True
        ),
    ] = ""
    """Signs each message (`whsec_` and base64). Left out: one is made, or the one before stays."""


def _secret(random: bytes) -> str:
    return SECRET_PREFIX + base64.b64encode(random).decode()


def _check(target: Webhook) -> None:
    try:
        key = base64.b64decode(target.secret.removeprefix(SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not 24 <= len(key) <= 64:
        raise MemberFlaw(
            "secret", "A webhook's secret is `whsec_` and 24 to 64 bytes in base64. Leave it out to get one"
        )


WEBHOOK = ChannelKind(
    shape=Webhook,
    title="Webhook",
    noun="webhook",
    leads_to=("url",),
    check=_check,
    made="secret",
    make=_secret,
)
