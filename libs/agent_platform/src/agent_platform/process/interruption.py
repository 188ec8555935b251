"""Work that was interrupted and continues: the log says when that began, and how long it lasted."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog

from agent_platform.secrecy.failure_text import failure_of

_log = structlog.get_logger()

_FIRST = 3
_SAY_EACH_S = 60.0


class Interruption:
    """What interrupts one piece of work: `<name>.interrupted` for the first tries that fail, and then once a
    minute; `<name>.resumed` at the end, with how long it lasted."""

    def __init__(self, name: str, **bound: Any) -> None:
        self._name = name
        self._bound = bound
        self._tries = 0
        self._began = self._said_at = 0.0

    @property
    def lasts(self) -> bool:
        """Whether it was interrupted and is not over."""
        return self._tries > 0

    def hit(self, reason: str, *, bug: BaseException | None = None, **more: Any) -> None:
        """It was interrupted, or is still; by a bug: that is an error, and its traceback is said."""
        now = time.monotonic()
        if not self._tries:
            self._began = now
        self._tries += 1
        if self._tries <= _FIRST or now - self._said_at >= _SAY_EACH_S:
            self._said_at = now
            said = {"reason": reason, "tries": self._tries, **self._bound, **more}
            if bug is None:
                _log.warning(f"{self._name}.interrupted", **said)
            else:
                _log.error(f"{self._name}.interrupted", exc_info=bug, **said)

    def over(self) -> None:
        """The work continues. Says so once, and only if it was interrupted."""
        if self._tries:
            after_s = round(time.monotonic() - self._began, 3)
            _log.warning(f"{self._name}.resumed", tries=self._tries, after_s=after_s, **self._bound)
            self._tries = 0

    @contextmanager
    def tried(self, *failures: type[Exception]) -> Iterator[None]:
        """One try: one of these failures interrupts the work, and is not raised; a try without is its end."""
        try:
            yield
        except failures as failure:
            self.hit(failure_of(failure))
        else:
            self.over()
