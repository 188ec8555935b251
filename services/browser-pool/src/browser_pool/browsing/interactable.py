"""The elements of a page that can be acted on, as its document describes them."""

from pathlib import Path
from typing import Any

from playwright.async_api import Locator

from agent_platform.log.storable_text import storable

MOST = 500

_COLLECT = Path(__file__).with_name("interactable.js").read_text(encoding="utf-8")


async def interactable_in(root: Locator) -> list[dict[str, Any]]:
    """The visible ones in an element, in order; one more than `MOST` where there are more."""
    found: list[dict[str, Any]] = storable(await root.evaluate(_COLLECT, MOST))
    return found
