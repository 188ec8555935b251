"""What is noted of a request to a server: in the name of the call that it was sent for, if of any."""

from collections.abc import Mapping

import httpcore2
import httpx2

from agent_contracts.egress import LONGEST_PATH, EgressRequest, EgressVerdict
from agent_contracts.errors import Rejected, Transient
from egress.redaction import Redaction
from mcp_host.connecting.under_way import NOTE

_AROUND = len(b": \r\n")
_NOBODY = (Transient, httpcore2.ConnectError, httpcore2.ConnectTimeout, httpcore2.PoolTimeout)
"""What fails before anything is sent."""


class ConnectionNotes:
    """Knows the `values` of secrets, by their names, that may stand in a request."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._redaction = Redaction(values)
        self._each = {name: Redaction({name: value}) for name, value in values.items()}

    def failed(self, request: httpx2.Request, why: Exception) -> None:
        """No answer came."""
        match why:
            case Rejected():
                self._note(request, "blocked")
            case _ if isinstance(why, _NOBODY):
                self._note(request, "failed")
            case _:
                self._note(request, "sent")

    def answered(self, request: httpx2.Request, answer: httpcore2.Response) -> None:
        """The head of the answer came. A stream without a length counts as that."""
        length = next((value for name, value in answer.headers if name.lower() == b"content-length"), b"0")
        bytes_in = _size(answer.headers) + (int(length) if length.isdigit() else 0)
        self._note(request, "sent", bytes_in, answer.status)

    def _note(
        self, request: httpx2.Request, verdict: EgressVerdict, bytes_in: int = 0, status: int | None = None
    ) -> None:
        note = NOTE.get()
        if note is None:
            return
        length = request.headers.get("content-length", "0")
        left = verdict == "sent"
        whole = f"{request.url}\n" + "\n".join(request.headers.values())
        note(
            EgressRequest(
                host=request.url.host,
                method=request.method,
                path=self._redaction.text(request.url.path)[:LONGEST_PATH],
                verdict=verdict,
                bytes_out=_size(request.headers.raw) + int(length) if left else 0,
                bytes_in=bytes_in,
                status=status,
                secrets=tuple(name for name, one in self._each.items() if left and one.finds(whole)),
            )
        )


def _size(headers: list[tuple[bytes, bytes]]) -> int:
    return sum(len(name) + len(value) + _AROUND for name, value in headers)
