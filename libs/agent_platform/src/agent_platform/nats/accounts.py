"""The accounts of a NATS server: our services in one, other services, that wake sessions, in another.

In one account nothing would keep a service that may only publish `wake.…` from naming any subject as the
place for the stream's answer, and so from having the server write that there, to the log or a bucket.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from agent_contracts.log.subjects import ALL_WAKES, wakes_of

SERVICES_ACCOUNT = "FOLDLINE"
"""Our services', with every stream."""
WAKES_ACCOUNT = "WAKES"
"""Other services': of ours it can reach `wake.>` alone, as a request. Places for answers are its own."""

_BCRYPT = re.compile(r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}")


@dataclass(frozen=True)
class WakeUser:
    """Another service that may publish its wakes, and hear the answers to that, and nothing else.

    `source` is the name of its credentials; `password` a bcrypt hash: the server needs no more.
    """

    source: str
    password: str = field(repr=False)

    def __post_init__(self) -> None:
        if not _BCRYPT.fullmatch(self.password):
            raise ValueError(f"the password of {self.source!r} is not a bcrypt hash")

    @property
    def name(self) -> str:
        """Its name as a NATS user."""
        return wake_user(self.source)


def wake_user(source: str) -> str:
    """The NATS user of the credentials `source`. Its inbox is `_INBOX.<user>.>`."""
    return f"wake-{source}"


def services_account(users: Sequence[str]) -> list[str]:
    """Our account with these users, as lines for the block `accounts`."""
    return [
        f"  {SERVICES_ACCOUNT} {{",
        "    jetstream: enabled",
        f'    exports: [{{service: "{ALL_WAKES}", accounts: [{WAKES_ACCOUNT}]}}]',
        "    users: [",
        *(f"      {user}" for user in users),
        "    ]",
        "  }",
    ]


def wakes_account(users: Sequence[str]) -> list[str]:
    """The others' account, as lines for the block `accounts`; `users` is the lines that say who is in it."""
    imported = f'{{service: {{account: {SERVICES_ACCOUNT}, subject: "{ALL_WAKES}"}}}}'
    return [
        f"  {WAKES_ACCOUNT} {{",
        f"    imports: [{imported}]",
        *(f"    {line}" for line in users),
        "  }",
    ]


def wake_users_lines(users: Sequence[WakeUser]) -> list[str]:
    """Who is in the others' account."""
    return ["users: [", *(f"  {_entry(user)}" for user in users), "]"]


def _entry(user: WakeUser) -> str:
    publish, subscribe = json.dumps([wakes_of(user.source)]), json.dumps([f"_INBOX.{user.name}.>"])
    return (
        f'{{user: "{user.name}", password: "{user.password}", '
        f"permissions: {{publish: {{allow: {publish}}}, subscribe: {{allow: {subscribe}}}}}}}"
    )
