"""A POST to whoever takes messages over HTTP, and what its answer means."""

from urllib.parse import urlsplit

from agent_contracts.errors import Permanent, Rejected, Transient
from agent_platform.secrecy.failure_text import failure_text
from agent_platform.secrecy.known_secrets import KNOWN
from egress.fetching import FetchRequest, FetchResponse
from egress.guard import Egress
from egress.placeholders import KnownSecret
from egress.targets import target_of
from notifier.desk.notices import shortened
from notifier.sending.port import ATTEMPT_S, LARGEST_ANSWER

_LATER = frozenset({408, 425, 429})
_LONGEST_WORDS = 150
_TELLING = 16
"""Characters of a part of an address from which on it is taken for what lets a sender in."""


async def post(
    egress: Egress,
    url: str,
    headers: tuple[tuple[str, str], ...],
    body: bytes,
    secrets: tuple[KnownSecret, ...] = (),
) -> FetchResponse:
    """The answer, if it says that the message was taken. `Transient` for "later" and for faults of the
    server, `Permanent` for any other refusal.

    Placeholders of `secrets` are filled in, never over plain HTTP to a host that the operator hasn't opened.
    No failure repeats the address: who knows it may send.
    """
    KNOWN.learn(*_telling(url))
    request = FetchRequest(url, "POST", headers, body, limit=LARGEST_ANSWER, timeout_s=ATTEMPT_S)
    response = await egress.fetch(request, secrets)
    if response.url != target_of(url).url:
        raise Rejected(
            "the server sends elsewhere (a redirect), where the message was not taken: give the address that "
            "it leads to",
            kind="redirected",
        )
    if response.ok:
        return response
    said = shortened(failure_text(response.body.decode("utf-8", "replace")), _LONGEST_WORDS)
    problem = f"the server answers {response.status}" + (f": {said}" if said else "")
    if response.status in _LATER or response.status >= 500:
        raise Transient(problem, kind="upstream", retry_after=_seconds(response.headers.get("retry-after")))
    raise Permanent(problem, kind=f"http_{response.status}")


def _telling(url: str) -> list[str]:
    """The parts of an address that are long enough to be secret: of its path, and its query."""
    parts = urlsplit(url)
    return [one for one in (*parts.path.split("/"), parts.query) if len(one) >= _TELLING]


def _seconds(value: str | None) -> float | None:
    return float(value) if value is not None and value.isdecimal() and len(value) < 8 else None
