"""The keys that a person may press, as Playwright names them."""

from agent_contracts.questions.takeover import KeyInput

_NAMED = frozenset(
    (
        *("Enter", "Tab", "Backspace", "Delete", "Escape", "Home", "End", "PageUp", "PageDown"),
        *("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"),
    )
)
_WITH_CTRL = frozenset("abiuyz")
"""Letters that do something to text. Copying and pasting go by the person's own clipboard, since that of
Chromium is one for all sessions."""


def chord(key: KeyInput) -> str | None:
    """What to press; None for what isn't one: a character to type, or nothing that is let through."""
    modifiers = [name for name, held in (("Alt", key.alt), ("Shift", key.shift)) if held]
    if key.key in _NAMED:
        return "+".join([*(["Control"] if key.ctrl else []), *modifiers, key.key])
    if key.ctrl and not key.alt and key.key.lower() in _WITH_CTRL:
        return "+".join(["Control", *modifiers, f"Key{key.key.upper()}"])
    return None


def character(key: KeyInput) -> str | None:
    """What is typed; with Ctrl and Alt, as some keyboards write @, too."""
    typed = len(key.key) == 1 and key.key.isprintable() and key.ctrl == key.alt
    return key.key if typed else None
