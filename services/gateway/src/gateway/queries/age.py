"""How old what was read is: told to whoever asks a door, whichever operation did the reading."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from agent_platform.process.clock import rfc3339
from gateway.queries.checkpoint import Behind

_heard: ContextVar["Age | None"] = ContextVar("age of what was read", default=None)

BEHIND_HEADER, AS_OF_HEADER = "Foldline-Behind", "Foldline-As-Of"


class Age:
    """Of all that is read within a block: what is told of it."""

    def __init__(self) -> None:
        self._was_read = False
        self._oldest: Behind | None = None

    def read(self, behind: Behind | None) -> None:
        """One more was read, so far behind; None: it is as of now."""
        self._was_read = True
        if behind and (self._oldest is None or behind.events > self._oldest.events):
            self._oldest = behind

    def headers(self) -> dict[str, str]:
        """What an answer says of it; nothing where nothing was read."""
        if self._oldest is None:
            return {BEHIND_HEADER: "0"} if self._was_read else {}
        as_of = self._oldest.as_of
        told = {} if as_of is None else {AS_OF_HEADER: rfc3339(as_of)}
        return {BEHIND_HEADER: str(self._oldest.events), **told}

    def sentence(self) -> str:
        """The same for a model; empty where everything is as of now."""
        if self._oldest is None:
            return ""
        as_of = "old" if self._oldest.as_of is None else f"as of {rfc3339(self._oldest.as_of)}"
        return (
            f"This is {as_of}: the lists lack the last {self._oldest.events} events. What was stored is safe."
        )


@contextmanager
def age_of_reads() -> Iterator[Age]:
    """Hears of everything that is read within the block."""
    age = Age()
    token = _heard.set(age)
    try:
        yield age
    finally:
        _heard.reset(token)


def tell_age(behind: Behind | None) -> None:
    """Something was read that is so far behind; None: that is as of now."""
    age = _heard.get()
    if age is not None:
        age.read(behind)
