"""What each line of a log says of the work it belongs to: ids, bound once for all that is done under them.

One context variable holds all of them. structlog's own has one for each name, and looks at every variable of
the context to bind or to unbind: a twentieth of a step's processor time, for lines that nobody writes.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from structlog.typing import EventDict, WrappedLogger

_NOTHING: Mapping[str, object] = {}
_bound: ContextVar[Mapping[str, object]] = ContextVar("bound_ids", default=_NOTHING)


@contextmanager
def bound(**ids: object) -> Iterator[None]:
    """Bind `ids` to the lines that are logged within, also by tasks that begin there. Of one name the inner
    value counts."""
    token = _bound.set({**_bound.get(), **ids})
    try:
        yield
    finally:
        _bound.reset(token)


def bound_ids() -> Mapping[str, object]:
    """What is bound here."""
    return _bound.get()


def with_bound_ids(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """structlog's processor: what is bound is part of the line; what the line itself says comes first."""
    return {**_bound.get(), **event}
