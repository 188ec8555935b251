"""Why a page wasn't reached. Chromium tells a refused connection apart from no other."""

from collections import OrderedDict

from agent_contracts.errors import Failure, Rejected
from egress.targets import target_of

_KEPT = 1000


class Refusals:
    """For each host and port that was asked for last, the failure if there was one. The newest are kept."""

    def __init__(self) -> None:
        self._failures: OrderedDict[tuple[str, int], Failure] = OrderedDict()

    def note(self, host: str, port: int, failure: Failure) -> None:
        """It could not be reached, or must not be."""
        self._failures.pop((host, port), None)
        self._failures[host, port] = failure
        if len(self._failures) > _KEPT:
            self._failures.popitem(last=False)

    def forget(self, host: str, port: int) -> None:
        """It was reached."""
        self._failures.pop((host, port), None)

    def of(self, url: str) -> Failure | None:
        """Why this address (http, https, ws or wss) wasn't reached the last time that it was asked for:
        `Rejected(kind="blocked")` by the rules, `Transient(kind="upstream")` if nobody answers. None if it
        was reached, or wasn't asked for."""
        if url[:2].lower() == "ws":
            url = "http" + url[2:]
        try:
            target = target_of(url)
        except Rejected:
            return None
        return self._failures.get((target.host, target.port))
