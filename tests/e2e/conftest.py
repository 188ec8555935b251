"""What the browser tests share: a browser, pages that must not complain, screenshots to look at."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from foldline.testing.browser import WatchedPage, chromium

SCREENSHOTS = Path(__file__).parent / "screenshots"
AXE = Path(__file__).parents[2] / "services/ui/node_modules/axe-core/axe.min.js"

NewPage = Callable[..., WatchedPage]

expect.set_options(timeout=60_000)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; closed with the module, since its event loop would be in the way of other tests."""
    with chromium() as started:
        yield started


@pytest.fixture
def screenshots() -> Path:
    """Where to keep what the pages look like."""
    SCREENSHOTS.mkdir(exist_ok=True)
    return SCREENSHOTS


@pytest.fixture
def axe() -> Path:
    """The accessibility checker."""
    return AXE


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Opens pages in profiles of their own; at the end none of them may have complained."""
    opened: list[WatchedPage] = []

    def new(home: str, **how: object) -> WatchedPage:
        opened.append(WatchedPage(browser, home, **how))  # type: ignore[arg-type]
        return opened[-1]

    yield new
    complaints = [complaint for page in opened for complaint in page.complaints]
    for page in opened:
        page.close()
    assert complaints == []
