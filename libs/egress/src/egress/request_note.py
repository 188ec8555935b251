"""What is noted of each request: where it went, how much, with which secrets, and what became of it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from agent_contracts.egress import LONGEST_PATH, EgressRequest, EgressVerdict
from agent_contracts.errors import ErrorKind, Failure, Rejected
from egress.placeholders import KnownSecret, holds, redaction_of
from egress.redirects import Hop

Note = Callable[[EgressRequest], None]
"""Who is told of a request once it is over."""
RawHeaders = list[tuple[bytes, bytes]]

_VERDICTS: dict[str, EgressVerdict] = {ErrorKind.APPROVAL_NEEDED: "asked", ErrorKind.REFUSED: "refused"}
_AROUND = len(b": \r\n")


class RequestNote:
    """What is known of one request by now."""

    def __init__(self) -> None:
        self.whole: Hop | None = None
        self.bytes_out = 0
        self.bytes_in = 0
        self.status: int | None = None

    def leaves(self, whole: Hop, size: int) -> None:
        """It is sent now, with the values of secrets, as so many bytes."""
        self.whole = whole
        self.bytes_out = size

    def left(self, size: int) -> None:
        """So many bytes more left."""
        self.bytes_out += size

    def answered(self, status: int, headers: RawHeaders) -> None:
        """The answer's head came."""
        self.status = status
        self.received(sum(len(name) + len(value) + _AROUND for name, value in headers))

    def received(self, size: int) -> None:
        """So many bytes more came."""
        self.bytes_in += size


def verdict_of(failure: Failure) -> EgressVerdict:
    """What became of a request that was kept from leaving by this."""
    return _VERDICTS.get(failure.kind, "blocked")


@contextmanager
def noted(hop: Hop, secrets: Sequence[KnownSecret], note: Note | None) -> Iterator[RequestNote]:
    """Tells of the hop, with its placeholders as they are, when the block is left, however that is."""
    one = RequestNote()
    verdict: EgressVerdict = "failed"
    try:
        yield one
    except Rejected as error:
        verdict = verdict_of(error)
        raise
    finally:
        if note is not None:
            path = redaction_of(secrets).text(hop.target.path.partition("?")[0])
            request = EgressRequest(
                hop.target.host,
                hop.request.method,
                path[:LONGEST_PATH],
                verdict if one.whole is None else "sent",
                one.bytes_out,
                one.bytes_in,
                one.status,
                tuple(secret.name for secret in secrets if one.whole and holds(one.whole, secret)),
            )
            note(request)


def size_of(hop: Hop, headers: RawHeaders) -> int:
    """Bytes of the request as HTTP/1.1 has it."""
    line = len(f"{hop.request.method} {hop.target.path} HTTP/1.1\r\n".encode())
    fields = sum(len(name) + len(value) + _AROUND for name, value in headers)
    return line + fields + len(b"\r\n") + len(hop.request.body or b"")
