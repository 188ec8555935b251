"""NATS subject patterns: `*` is one token, `>` one or more at the end."""


def matches(pattern: str, subject: str) -> bool:
    """Whether the pattern covers the subject."""
    if pattern == subject or pattern == ">":
        return True
    wanted, tokens = pattern.split("."), subject.split(".")
    for index, token in enumerate(wanted):
        if token == ">":
            return len(tokens) > index
        if index >= len(tokens) or (token != "*" and token != tokens[index]):
            return False
    return len(wanted) == len(tokens)
