"""Work that was interrupted and continues: the log says when that began, and how long it lasted."""

import time
from typing import Any

import structlog

_log = structlog.get_logger()


class Interruption:
    """What interrupts one piece of work: `<name>.interrupted` for each try, `<name>.resumed` at the end."""

    def __init__(self, name: str, **bound: Any) -> None:
        self._name = name
        self._bound = bound
        self._tries = 0
        self._began = 0.0

    @property
    def lasts(self) -> bool:
        """Whether it was interrupted and is not over."""
        return self._tries > 0

    def hit(self, reason: str, **more: Any) -> None:
        """It was interrupted, or is still."""
        if not self._tries:
            self._began = time.monotonic()
        self._tries += 1
        _log.warning(f"{self._name}.interrupted", reason=reason, tries=self._tries, **self._bound, **more)

    def over(self) -> None:
        """The work continues. Says so once, and only if it was interrupted."""
        if self._tries:
            after_s = round(time.monotonic() - self._began, 3)
            _log.warning(f"{self._name}.resumed", tries=self._tries, after_s=after_s, **self._bound)
            self._tries = 0
