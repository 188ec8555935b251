"""What left the machine in the name of a call: each request, and what became of it."""

from typing import Literal

import msgspec

MOST_LISTED = 100
"""So many requests of one call are listed; the others are counted."""
LONGEST_PATH = 200
"""Characters of a path."""

EgressVerdict = Literal["sent", "asked", "refused", "blocked", "failed"]
"""`sent`: it left. Nothing of it did where it needed a person's yes first (`asked`), the policy or a person's
no stood against it (`refused`), nothing may go there (`blocked`), or nobody was reached (`failed`)."""


class EgressRequest(msgspec.Struct, frozen=True, omit_defaults=True):
    """One request. Redirects are requests of their own."""

    host: str
    method: str
    path: str
    """The path, without the query and without values of secrets."""
    verdict: EgressVerdict
    """`sent`: it left. Otherwise nothing left: a person had to approve it first (`asked`), the policy or a
    person refused it (`refused`), nothing may go there (`blocked`), or nobody answered (`failed`)."""
    bytes_out: int = 0
    bytes_in: int = 0
    status: int | None = None
    """The HTTP status of the answer; null: there was none."""
    secrets: tuple[str, ...] = ()


class CallEgress(msgspec.Struct, frozen=True, omit_defaults=True):
    """The requests of one call, in order, up to a limit."""

    requests: tuple[EgressRequest, ...]
    """The requests, in order."""
    more: int = 0
    """Number of requests that are not listed."""
