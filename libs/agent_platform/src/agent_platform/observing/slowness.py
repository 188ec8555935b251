"""A line for what took longer than it should, past what a person set."""

from typing import Any

import structlog

_log = structlog.get_logger()


class _Patience:
    """Of the whole process, as its log is."""

    seconds = 30.0


def slow_after(seconds: float) -> None:
    """From now on what takes longer than this is told. 0: nothing is."""
    _Patience.seconds = seconds


def tell_if_slow(what: str, seconds: float, **more: Any) -> None:
    """Say `<what>.slow` of something that took so many seconds, if that is too long."""
    if 0 < _Patience.seconds < seconds:
        _log.warning(f"{what}.slow", took_s=round(seconds, 3), slow_after_s=_Patience.seconds, **more)
