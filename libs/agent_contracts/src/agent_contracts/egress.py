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
    """One request; of several redirects each is one. Its `path` has no query and no value of a secret.

    `bytes_out` and `bytes_in` are of headers and body as HTTP has them, without TLS. `secrets` are the names
    of those whose values it held. `status` is the answer's.
    """

    host: str
    method: str
    path: str
    verdict: EgressVerdict
    bytes_out: int = 0
    bytes_in: int = 0
    status: int | None = None
    secrets: tuple[str, ...] = ()


class CallEgress(msgspec.Struct, frozen=True, omit_defaults=True):
    """The requests of one call, in order, at most `MOST_LISTED`; `more` came after them."""

    requests: tuple[EgressRequest, ...]
    more: int = 0
