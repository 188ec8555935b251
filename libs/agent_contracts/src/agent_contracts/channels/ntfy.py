"""A topic of an ntfy server (https://docs.ntfy.sh)."""

from typing import Annotated

from agent_contracts.channels.kind import ADDRESS, CREDENTIAL, ChannelKind, ChannelTarget
from agent_contracts.form_inputs import declared

_TOPIC = r"^[-_A-Za-z0-9]{1,64}$"


class Ntfy(ChannelTarget, frozen=True, kw_only=True, tag="ntfy"):
    """A topic of an ntfy server."""

    topic: Annotated[
        str,
        declared(
            "Topic",
            "At most 64 letters, digits, _ and -. Anyone who knows the topic can read it: choose a name that "
            "is hard to guess.",
            pattern=_TOPIC,
        ),
    ]
    server: Annotated[str, ADDRESS, declared("Server", format="uri")] = "https://ntfy.sh"
    """Address of the ntfy server."""
    token: (
        Annotated[
            str,
            CREDENTIAL,
            declared("Access token", "Only if the server needs one.", secret=True, format="token"),
        ]
        | None
    ) = None


NTFY = ChannelKind(shape=Ntfy, title="ntfy", noun="ntfy", leads_to=("server",))
