"""The users of a NATS server: one that may do everything, and one for each entry of a table of rights."""

import json
from collections.abc import Mapping

from agent_contracts.log.subjects import METRICS_ASKED, metrics_subject
from agent_platform.nats.accounts import services_account, wakes_account
from agent_platform.nats.rights import Rights
from agent_platform.nats.user import NatsUser

ADMIN = "admin"
"""May do everything: creates the streams; for the command line and people."""

WAKE_USERS_FILE = "wake-users.conf"
"""Written anew by `foldline wake-credentials nats` where NATS runs by itself."""


def nats_users(rights: Mapping[str, Rights], passwords: Mapping[str, str]) -> list[NatsUser]:
    """All users with their rights. `passwords` by user name: one for each, `admin` included."""
    admin = NatsUser(ADMIN, passwords[ADMIN])
    return [admin, *(_user(name, passwords[name], its) for name, its in rights.items())]


def authorization_text(rights: Mapping[str, Rights]) -> str:
    """The `accounts` block of a nats-server configuration; passwords come from the environment of the server:
    see `password_variable`. Who may wake sessions stands in a file beside it, `WAKE_USERS_FILE`."""
    users = [_entry(ADMIN, None), *(_entry(name, its) for name, its in rights.items())]
    others = wakes_account([f'include "{WAKE_USERS_FILE}"'])
    return "\n".join(["accounts {", *services_account(users), *others, "}", ""])


def password_variable(user: str) -> str:
    """The variable of the server's environment that holds this user's password."""
    return f"FOLDLINE_NATS_PASSWORD_{user.upper().replace('-', '_')}"


def _user(name: str, password: str, rights: Rights) -> NatsUser:
    return NatsUser(
        name,
        password,
        publish=_publishes(name, rights),
        subscribe=_subscribes(name, rights),
        allow_responses=rights.answers,
    )


def _publishes(name: str, rights: Rights) -> tuple[str, ...]:
    return (metrics_subject(name), *rights.publish)


def _subscribes(name: str, rights: Rights) -> tuple[str, ...]:
    return (f"_INBOX.{name}.>", METRICS_ASKED, *rights.subscribe)


def _entry(name: str, rights: Rights | None) -> str:
    lines = [f'user: "{name}"', f"password: ${password_variable(name)}"]
    if rights is not None:
        permissions = [
            f"publish: {_allowed(_publishes(name, rights))}",
            f"subscribe: {_allowed(_subscribes(name, rights))}",
            *([f"allow_responses: {rights.answers}"] if rights.answers else []),
        ]
        lines.append(f"permissions: {{{', '.join(permissions)}}}")
    return "{" + ", ".join(lines) + "}"


def _allowed(subjects: tuple[str, ...]) -> str:
    return f"{{allow: {json.dumps(subjects)}}}"
