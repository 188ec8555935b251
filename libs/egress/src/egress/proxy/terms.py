"""On which terms the requests of one program leave."""

from dataclasses import dataclass, field

from agent_contracts.errors import ErrorKind, Rejected
from egress.guard import EgressGate
from egress.proxy import limits
from egress.request_note import Note, RequestNote


@dataclass
class Allowance:
    """Bytes that a program may still send and be sent, both together; None: as many as it likes."""

    left: int | None = None

    def require_some(self) -> None:
        """`Rejected(kind="too_large")` if there are none."""
        if self.left is not None and self.left <= 0:
            raise Rejected("it has sent and been sent as many bytes as it may", kind=ErrorKind.TOO_LARGE)

    def take(self, size: int) -> None:
        """So many of them. `Rejected` if there are no more then."""
        if self.left is not None:
            self.left -= size
            self.require_some()


@dataclass(frozen=True)
class Terms:
    """`gate` lets each request pass, or raises; `note` is told of each once it is over. So many `connections`
    may be open at a time, and carry what is in the `allowance`."""

    gate: EgressGate | None = None
    note: Note | None = None
    connections: int = limits.CONNECTIONS
    allowance: Allowance = field(default_factory=Allowance)


class MeteredRequest:
    """One request as it is carried: what is noted of it, and taken of the allowance. `out` and `come` raise
    `Rejected` once that is used up."""

    def __init__(self, noted: RequestNote, allowance: Allowance) -> None:
        self.noted = noted
        self._allowance = allowance

    def out(self, size: int) -> None:
        """So many bytes leave."""
        self._allowance.take(size)
        self.noted.left(size)

    def come(self, size: int) -> None:
        """So many bytes came."""
        self.noted.received(size)
        self._allowance.take(size)
