"""The passwords that Foldline makes for itself at the first start."""

import os
import secrets
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from agent_contracts.errors import Rejected

_BYTES = 24  # 192 bits


@dataclass(frozen=True)
class Passwords:
    """`nats`: of each NATS user, by name. All are letters, digits, `-` and `_`. Never shown in a repr."""

    nats: Mapping[str, str] = field(repr=False)
    postgres: str = field(repr=False)
    postgres_admin: str = field(repr=False)
    token: str = field(repr=False)


class _Stored(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    nats: dict[str, str] = {}
    postgres: str = ""
    postgres_admin: str = ""
    token: str = ""


def ensure_passwords(file: Path, nats_users: Iterable[str]) -> Passwords:
    """What `file` (0600) holds, after making what is missing: all of it at the first start, and later those
    of NATS users that are new. Call it with the data directory's lock held.

    Raises Rejected if the file is there but is not one of ours.
    """
    known = _read(file)
    complete = _Stored(
        nats={user: _new() for user in nats_users} | known.nats,
        postgres=known.postgres or _new(),
        postgres_admin=known.postgres_admin or _new(),
        token=known.token or _new(),
    )
    if complete != known:
        _write(file, complete)
    return Passwords(complete.nats, complete.postgres, complete.postgres_admin, complete.token)


def rotate_token(file: Path) -> str:
    """A new token in place of the one that `file` holds. Rejected if it isn't one of ours."""
    token = _new()
    _write(file, msgspec.structs.replace(_read(file), token=token))
    return token


def _new() -> str:
    return secrets.token_urlsafe(_BYTES)


def _read(file: Path) -> _Stored:
    try:
        file.chmod(0o600)
        return msgspec.json.decode(file.read_bytes(), type=_Stored)
    except FileNotFoundError:
        return _Stored()
    except msgspec.DecodeError as error:
        raise _damaged(file) from error


def _damaged(file: Path) -> Rejected:
    return Rejected(
        f"{file} is damaged. Restore it from a backup; or move it and the folder `postgres` beside it away: "
        "new passwords are made, and Postgres is filled again from the log."
    )


def _write(file: Path, content: _Stored) -> None:
    """Whole or not at all, also if the power fails."""
    handle, draft = tempfile.mkstemp(dir=file.parent, prefix=".passwords-")  # 0600
    with os.fdopen(handle, "wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(content)))
        out.flush()
        os.fsync(out.fileno())
    os.replace(draft, file)
