"""The text of nats-server's configuration file."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from agent_platform.nats.accounts import (
    SERVICES_ACCOUNT,
    WakeUser,
    services_account,
    wake_users_lines,
    wakes_account,
)
from agent_platform.nats.user import NatsUser

MAX_PAYLOAD_BYTES = 8 * 1024 * 1024
MAX_FILE_STORE = "1024TB"
"""None, in effect. By itself nats-server takes three quarters of what is free when it starts, and counts what
it stores already against that: a log that had filled a fifth of a disk was refused at the next start, and a
server that started on a full disk stored nothing after room was made."""


@dataclass(frozen=True)
class NatsOptions:
    """Where a server listens (on 127.0.0.1), where it stores, when it flushes (`always`, or a duration)."""

    port: int
    monitor_port: int
    store: Path
    sync: str = "always"


def render(options: NatsOptions, users: Sequence[NatsUser], others: Sequence[WakeUser] = ()) -> str:
    """The file's text. Holds passwords: keep it private. Users of accounts other than our services' see only
    what belongs to their account: streams, subjects, everything. `others` may wake sessions."""
    return "\n".join(
        [
            "server_name: foldline",
            f"listen: {_text(f'127.0.0.1:{options.port}')}",
            f"http: {_text(f'127.0.0.1:{options.monitor_port}')}",
            f"max_payload: {MAX_PAYLOAD_BYTES}",
            "jetstream {",
            f"  store_dir: {_text(str(options.store))}",
            f"  sync_interval: {_text(options.sync)}",
            "  max_memory_store: 256MB",
            f"  max_file_store: {MAX_FILE_STORE}",
            "}",
            *_accounts(users, others),
            "",
        ]
    )


def _accounts(users: Sequence[NatsUser], others: Sequence[WakeUser]) -> list[str]:
    by_account = {
        account: [_user(member) for member in members]
        for account, members in groupby(sorted(users, key=lambda u: u.account), lambda u: u.account)
    }
    ours = services_account(by_account.pop(SERVICES_ACCOUNT, []))
    more = [line for account, members in by_account.items() for line in _account(account, members)]
    return ["accounts {", *ours, *wakes_account(wake_users_lines(others)), *more, "}"]


def _account(name: str, users: Sequence[str]) -> list[str]:
    members = (f"      {user}" for user in users)
    return [f"  {name} {{", "    jetstream: enabled", "    users: [", *members, "    ]", "  }"]


def _user(user: NatsUser) -> str:
    permissions = []
    if user.publish is not None:
        permissions.append(f"publish: {_subjects(user.publish)}")
    if user.subscribe is not None:
        permissions.append(f"subscribe: {_subjects(user.subscribe)}")
    if user.allow_responses:
        permissions.append(f"allow_responses: {user.allow_responses}")
    return (
        f"{{user: {_text(user.name)}, password: {_text(user.password)}, "
        f"permissions: {{{', '.join(permissions)}}}}}"
    )


def _subjects(allowed: tuple[str, ...]) -> str:
    # An empty allow list would mean that everything is allowed.
    return f"{{allow: {json.dumps(allowed)}}}" if allowed else '{deny: ">"}'


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
