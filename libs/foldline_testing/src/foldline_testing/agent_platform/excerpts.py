"""What a failed test printed, as a person can read it: its end, and before that what went wrong."""

import re

LAST = 60
"""Lines of its end."""
WRONG = 40
"""Lines of warnings and errors before its end."""
_WIDTH = 400
_BEGINS = re.compile(r"(?:\x1b\[[0-9;]*m)*\d{4}-\d\d-\d\d[T ]\d")
_IS_WRONG = re.compile(
    r"\[(?:\x1b\[[0-9;]*m)*(?:warning|error|critical|exception)|\b(?:WARNING|ERROR|CRITICAL)\b"
)


def excerpt(text: str) -> str:
    """The last lines, and of those before them what was logged as a warning or worse."""
    lines = text.splitlines()
    before, end = lines[:-LAST], lines[-LAST:]
    wrong = _wrong(before)
    kept = [*wrong[: WRONG // 2], *wrong[max(WRONG // 2, len(wrong) - WRONG // 2) :]]
    shown, last = [], -1
    for number in [*kept, len(before)]:
        if number - last > 1:
            shown.append(f"… {number - last - 1} lines …")
        if number < len(before):
            shown.append(before[number])
        last = number
    return "\n".join(_cut(line) for line in [*shown, *end])


def _wrong(lines: list[str]) -> list[int]:
    """The numbers of the lines that are warnings or worse, or follow one without a time of their own."""
    found, within = [], False
    for number, line in enumerate(lines):
        if _BEGINS.match(line) or not within:
            within = _IS_WRONG.search(line) is not None
        if within:
            found.append(number)
    return found


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[:_WIDTH]} … {len(line) - _WIDTH} characters"
