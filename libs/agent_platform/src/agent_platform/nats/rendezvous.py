"""Which of several members owns which share: the same answer for all who know the same members."""

from collections.abc import Collection
from hashlib import blake2b


def owners(members: Collection[str], shares: int) -> tuple[str, ...]:
    """The owner of each share, 0 to `shares` - 1, by rendezvous (highest random weight) hashing.

    Shares spread evenly by chance. A member that joins takes its shares from all others; those of one that
    leaves go to all others; no other share moves. There must be a member.
    """
    return tuple(max(members, key=lambda member: _weight(member, share)) for share in range(shares))


def _weight(member: str, share: int) -> bytes:
    return blake2b(f"{share}.{member}".encode(), digest_size=8).digest()
