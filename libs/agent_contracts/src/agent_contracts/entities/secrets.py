"""The user's secrets: how they are named, and the words that stand for one where its value must not."""

import re

import msgspec

SECRET_NAME = r"^[A-Z][A-Z0-9_]{0,63}$"
SHORTEST_SECRET = 8
"""Characters. What is shorter can't be told from ordinary text, so it couldn't be kept out of answers."""
LONGEST_SECRET = 8 * 1024

PLACEHOLDER = re.compile(r"\{\{secret:([A-Z][A-Z0-9_]{0,63})\}\}")


class SecretDefinition(msgspec.Struct, frozen=True):
    """What is known of a secret without its value: the hosts it may be sent to, and whether code of the agent
    gets the value itself (for signing). `revision` is that of the encrypted value, which is kept apart from
    the log."""

    hosts: tuple[str, ...]
    revision: int
    reveal: bool = False


def placeholder(name: str) -> str:
    """What stands for the secret in requests, and wherever its value was taken out."""
    return f"{{{{secret:{name}}}}}"
