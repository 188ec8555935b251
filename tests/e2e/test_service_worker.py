"""The service worker in Chromium: what is pushed to it, and what it shows then.

The headless shell denies notifications and draws none, so what would be shown is kept instead.
"""

import functools
import json
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

PUBLIC = Path(__file__).parents[2] / "services/ui/public"
KEEP = """self.shown = [];
self.registration.showNotification = async (...given) => { self.shown.push(given); };
null;  // else it would be called"""


class Quiet(SimpleHTTPRequestHandler):
    """Files of a folder."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def home() -> Iterator[str]:
    """Where the page's public files are."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(PUBLIC))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_what_is_pushed_is_shown_and_what_is_not_ours_is_not_quoted(browser: Browser, home: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{home}/theme.js")
    with context.expect_event("serviceworker") as started:
        page.evaluate("navigator.serviceWorker.register('./sw.js')")
    worker = started.value
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    worker.evaluate(KEEP)
    registrations: list[dict[str, Any]] = []
    devtools = context.new_cdp_session(page)
    devtools.on(
        "ServiceWorker.workerRegistrationUpdated", lambda told: registrations.extend(told["registrations"])
    )
    devtools.send("ServiceWorker.enable")
    while not registrations:
        page.wait_for_timeout(50)

    def pushed(data: str, number: int) -> list[Any]:
        """What is shown for it, as the `number`th: its title and options."""
        to = {"origin": home, "registrationId": registrations[0]["registrationId"]}
        devtools.send("ServiceWorker.deliverPushMessage", {**to, "data": data})
        for _ in range(100):
            if worker.evaluate("self.shown.length") >= number:
                break
            page.wait_for_timeout(50)
        shown: list[list[Any]] = worker.evaluate("self.shown")
        assert len(shown) == number
        return shown[-1]

    ours = {"id": "q-1", "title": "A question waits for you", "text": "Which city?", "path": "#/s/s_1"}
    title, options = pushed(json.dumps(ours), 1)
    assert title == "A question waits for you"
    assert (options["body"], options["tag"]) == ("Which city?", "q-1")
    assert options["data"] == {"path": "#/s/s_1"}
    for number, foreign in enumerate(("no JSON", json.dumps({"title": 7, "path": "#/"}), "null"), 2):
        title, options = pushed(foreign, number)
        assert title == "Foldline: something waits for you"
        assert (options["body"], options["data"]) == ("", {"path": "#/"})
    context.close()
