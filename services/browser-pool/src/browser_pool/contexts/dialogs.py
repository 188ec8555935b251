"""How a page's dialog is answered, also where its page is gone meanwhile."""

import contextlib

from playwright.async_api import Dialog, Error


async def accept(dialog: Dialog, text: str) -> None:
    """*OK*; with this text, if it asks for some."""
    with contextlib.suppress(Error):
        await dialog.accept(text) if dialog.type == "prompt" else await dialog.accept()


async def dismiss(dialog: Dialog) -> None:
    """*Cancel*."""
    with contextlib.suppress(Error):
        await dialog.dismiss()
