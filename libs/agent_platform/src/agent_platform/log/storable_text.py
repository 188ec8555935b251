"""Text that every part can store: no U+0000 (Postgres refuses it), no lone surrogates (not UTF-8)."""

from agent_contracts.json_value import Json

REPLACEMENT = "\ufffd"


def storable_text(text: str) -> str:
    """The text with U+FFFD for what can't be stored; two surrogates that make a character become it."""
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\x00", REPLACEMENT)


def storable(value: Json) -> Json:
    """The JSON value with `storable_text` in every string, names included. Recurses as deep as the value."""
    match value:
        case str():
            return storable_text(value)
        case list() | tuple():
            return [storable(item) for item in value]
        case dict():
            return {storable_text(name): storable(item) for name, item in value.items()}
        case _:
            return value
