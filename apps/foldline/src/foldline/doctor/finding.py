"""What a check found."""

from dataclasses import dataclass
from enum import StrEnum

from agent_platform.secrecy.failure_text import failure_text


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


def ok(check: str, text: str) -> Finding:
    """All is well."""
    return Finding(check, Severity.OK, failure_text(text))


def warning(check: str, text: str, to_do: str) -> Finding:
    """It works, but somebody should know."""
    return Finding(check, Severity.WARNING, failure_text(text), to_do)


def problem(check: str, text: str, to_do: str) -> Finding:
    """It doesn't work."""
    return Finding(check, Severity.PROBLEM, failure_text(text), to_do)
