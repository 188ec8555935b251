"""What a check found."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import structlog

from agent_platform.secrecy.failure_text import failure_of, failure_text

_log = structlog.get_logger()


class Severity(StrEnum):
    """How bad it is."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    """One check's outcome in a line, and for anything but OK what to do about it."""

    check: str
    verdict: Severity
    text: str
    to_do: str = ""


Outcome = Finding | list[Finding]
Check = Callable[[], Outcome | Awaitable[Outcome]]


async def findings_of(checks: Mapping[str, Check]) -> list[Finding]:
    """What all of them find. One that fails itself, as on a full disk, is a problem that says why."""
    return [finding for name, check in checks.items() for finding in await _findings_of(name, check)]


async def _findings_of(name: str, check: Check) -> list[Finding]:
    try:
        found = check()
        if inspect.isawaitable(found):
            found = await found
    except Exception as error:
        _log.warning("doctor.check_failed", check=name, exc_info=True)
        text = f"this could not be checked: {failure_of(error)}"
        return [problem(name, text, "correct what it says, then run foldline doctor again")]
    return found if isinstance(found, list) else [found]


def ok(check: str, text: str) -> Finding:
    """All is well."""
    return Finding(check, Severity.OK, failure_text(text))


def warning(check: str, text: str, to_do: str) -> Finding:
    """It works, but somebody should know."""
    return Finding(check, Severity.WARNING, failure_text(text), to_do)


def problem(check: str, text: str, to_do: str) -> Finding:
    """It doesn't work."""
    return Finding(check, Severity.PROBLEM, failure_text(text), to_do)
