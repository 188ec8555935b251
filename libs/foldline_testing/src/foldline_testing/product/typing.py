"""How a person writes: the mouse puts the cursor into a field, the keyboard does the rest."""

from playwright.sync_api import Locator

_TYPED = 300
"""Longer texts are pasted, as a person would: each key takes a while."""


def write(field: Locator, text: str) -> None:
    """Write this in place of all that a field holds. A new line is Shift and Enter, which sends nothing."""
    field.click()
    keyboard = field.page.keyboard
    keyboard.press("ControlOrMeta+a")
    keyboard.press("Delete")
    if len(text) > _TYPED:
        keyboard.insert_text(text)
        return
    for at, line in enumerate(text.split("\n")):
        if at:
            keyboard.press("Shift+Enter")
        keyboard.type(line)
