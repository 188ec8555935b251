"""The text of nats-server's configuration file."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from agent_platform.nats.user import GLOBAL_ACCOUNT, NatsUser

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


def render(options: NatsOptions, users: Sequence[NatsUser]) -> str:
    """The file's text. Holds passwords: keep it private. Users of accounts other than the global one see only
    what belongs to their account: streams, subjects, everything."""
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
            *_authorization(users),
            "",
        ]
    )


def _authorization(users: Sequence[NatsUser]) -> list[str]:
    by_account = {
        account: list(members)
        for account, members in groupby(sorted(users, key=lambda u: u.account), lambda u: u.account)
    }
    lines = ["authorization {", *_users(by_account.pop(GLOBAL_ACCOUNT, [])), "}"]
    if by_account:
        lines.append("accounts {")
        for account, members in by_account.items():
            lines += [f"  {account} {{", "  jetstream: enabled", *_users(members), "  }"]
        lines.append("}")
    return lines


def _users(users: Sequence[NatsUser]) -> list[str]:
    return ["  users: [", *(f"    {_user(user)}" for user in users), "  ]"]


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
