"""The studio as a person uses it, in a browser."""

import re

from playwright.sync_api import Locator, Page, expect

from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.stack import Stack


def opened(stack: Stack, page: Page, agent: str, section: str = "tools") -> None:
    """Log in, and go to a section of an agent's studio."""
    page.goto(stack.link)
    page.get_by_role("link", name=re.compile("^Studio")).click()
    page.goto(f"{stack.url}/#/studio/{agent}/{section}")
    expect(page.get_by_text("Live", exact=True)).to_be_attached()


def rewrite(editor: Locator, text: str) -> None:
    """Write something else in place of all that an editor holds, by the keyboard as a person does."""
    editor.press("ControlOrMeta+a")
    editor.page.keyboard.insert_text(text)


def settled(watched: WatchedPage) -> None:
    """Nothing was wrong but that the browser may have wanted to keep the look of what was replaced."""
    watched.forgive("Applying inline style")
    assert watched.complaints == []
