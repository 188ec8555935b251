"""A long text as messages."""


def parts_of(text: str, longest: int) -> list[str]:
    """The text in parts of at most `longest` characters, cut between lines, or within one that is longer.

    No part is blank; nothing but line breaks between parts, and blank parts, is lost.
    """
    parts: list[str] = []
    rest = text
    while len(rest) > longest:
        end = rest.rfind("\n", 0, longest + 1)
        if end <= 0:
            end = longest
        parts.append(rest[:end])
        rest = rest[end:].removeprefix("\n")
    return [part for part in (*parts, rest) if part.strip()]
