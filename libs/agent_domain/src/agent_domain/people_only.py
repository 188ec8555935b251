"""Parts of a prompt that only people change: from a line `<people-only>` to a line `</people-only>`. Pure."""

from agent_contracts.errors import ErrorKind, Rejected

OPENS, CLOSES = "<people-only>", "</people-only>"


def people_only(text: str) -> list[str]:
    """The parts, in order, without their marks. One that isn't closed goes to the end of the text."""
    parts: list[str] = []
    part: list[str] | None = None
    for line in text.split("\n"):
        mark = line.strip()
        if part is None:
            if mark == OPENS:
                part = []
        elif mark == CLOSES:
            parts.append("\n".join(part))
            part = None
        else:
            part.append(line)
    if part is not None:
        parts.append("\n".join(part))
    return parts


def require_kept(before: str, after: str) -> None:
    """`Rejected(kind="refused")` for an edit of an agent that changes, takes away or makes such a part."""
    kept = people_only(before)
    if people_only(after) == kept:
        return
    message = (
        f"Nothing was changed: what stands between the lines {OPENS} and {CLOSES} is for people alone to "
        "change, and so are these lines. Edit what stands outside of them, or ask the user"
        if kept
        else f"Nothing was changed: only people mark a part by the line {OPENS}"
    )
    raise Rejected(message, kind=ErrorKind.REFUSED)
