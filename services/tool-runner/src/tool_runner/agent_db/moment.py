"""When a statement runs, and what its randomness is drawn from: recorded with each write."""

import secrets

import msgspec

from agent_platform.process.clock import Clock


class Moment(msgspec.Struct, frozen=True):
    """`clock` is in milliseconds since 1970, UTC; `seed` is any text."""

    clock: int
    seed: str


def moment_now(clock: Clock) -> Moment:
    """Now, with fresh randomness."""
    return Moment(round(clock.now().timestamp() * 1000), secrets.token_hex(16))
