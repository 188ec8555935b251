"""A person to whom a context is handed over, as the context knows them."""

from typing import Protocol

from playwright.async_api import Dialog, Page


class ContextHolder(Protocol):
    """Somebody to whom a context is handed over: while it `holds`, no tool may use it."""

    @property
    def holds(self) -> bool:
        """Whether it is theirs now."""
        ...

    def opened(self, page: Page) -> None:
        """A page came."""
        ...

    def asked(self, dialog: Dialog) -> None:
        """A page opened a dialog, which is theirs to answer."""
        ...
