"""Whom commands run as."""

import os

OWN_ID = 65531
"""A user and group that nothing else runs as (Chromium is 65532, the sandbox 65533, Postgres 65534)."""


def is_root() -> bool:
    """Whether there is a choice: only root can become another user."""
    return os.geteuid() == 0


def as_own_user() -> list[str]:
    """The arguments before those of a program that is started as that user, where that can be."""
    if not is_root():
        return []
    return ["/usr/bin/setpriv", f"--reuid={OWN_ID}", f"--regid={OWN_ID}", "--clear-groups", "--no-new-privs"]


def give(path: str | int) -> None:
    """Let commands have a file or folder of ours."""
    if is_root():
        os.chown(path, OWN_ID, OWN_ID)
