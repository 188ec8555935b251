"""Whatever a key means elsewhere, it is text wherever a person types."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import ElementHandle, Page, expect

from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.stack import Stack

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]
AGENT = "writer"
KEYS = "nfkjism/?"
"""Every key that is a shortcut where nobody types."""
FIELDS = "input, textarea, [contenteditable=true]"
NO_LETTERS = {
    "button",
    "checkbox",
    "color",
    "date",
    "datetime-local",
    "file",
    "hidden",
    "month",
    "number",
} | {*("radio", "range", "reset", "submit", "time", "week")}
OPENS = re.compile(r"^(Add|New|Edit|Replace|Write|Change|Set|Connect|Choose|Another|Ask|Make|Rename)\b")
"""What buttons are called that open a form."""
WHAT = """one => [
  one.type ?? "",
  one.getAttribute("aria-label") ?? one.labels?.[0]?.innerText ?? one.placeholder ?? "",
  Boolean(one.disabled || one.readOnly) || !one.checkVisibility() || Boolean(one.closest("[inert]")),
  one.matches("textarea, [contenteditable]"),
]"""
THINGS = {
    "tools/warm": {"description": "Warms.", "parameter_schema": {"type": "object"}, "code": "return 1"},
    "functions/half": {"description": "Halves.", "parameter_schema": {"type": "object"}, "code": "return 1"},
    "libraries/sums": {"description": "Sums.", "code": "return { one: 1 }"},
    "components/Hello": {"description": "Greets.", "code": "export default () => <b>Hello</b>"},
    "skills/tea": {"description": "Tea.", "content": "Boil it.", "tags": []},
    "state/colour": {"value": "red"},
    "notes": {"text": "Likes tea."},
}


def text_of(field: ElementHandle) -> str:
    """What stands in a field."""
    return str(field.evaluate("one => one.value ?? one.innerText"))


class Walk:
    """Types into each field that it meets for the first time, and remembers what was wrong."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.met: dict[str, str] = {}
        self.wrong: list[str] = []

    def type_everywhere(self, place: str) -> None:
        """Type into every field that is in sight."""
        for field in self.page.query_selector_all(FIELDS):
            kind, label, off, is_long = field.evaluate(WHAT)
            if off or kind in NO_LETTERS or label in self.met:
                continue
            self.met[label] = place
            for fault in self._faults(field, is_long=is_long):
                self.wrong.append(f"{place}, {label!r}: {fault}")

    def _faults(self, field: ElementHandle, *, is_long: bool) -> Iterator[str]:
        press, before = self.page.keyboard.press, self.page.url
        field.focus()
        press("ControlOrMeta+a")
        press("Delete")
        self.page.keyboard.type(KEYS)
        press("ArrowLeft")
        press("x")
        wanted = f"{KEYS[:-1]}x?"
        if (found := text_of(field)).strip().lower() != wanted:
            yield f"{found!r} stands there after {wanted!r} was typed"
        if is_long:
            # In the composer Enter sends.
            press("Shift+Enter" if field.evaluate("one => one.id === 'composer'") else "Enter")
            if "\n" not in text_of(field):
                yield "Enter makes no new line"
        if not field.evaluate("one => one.type === 'search'"):  # there Escape takes back the search
            press("Escape")
        if "".join(text_of(field).lower().split()) != wanted:
            yield f"after Escape there is {text_of(field)!r}"
        press("Tab")
        if field.evaluate("one => one.getRootNode().activeElement === one"):
            yield "Tab doesn't leave it"
        if self.page.url != before or self.page.locator(".modal.show").count():
            yield f"a key led to {self.page.url}"


def test_every_key_can_be_typed_into_every_field_of_the_studio(
    stack: Stack, door: Gateway, new_page: NewPage
) -> None:
    door.post("/agents", {"id": AGENT, "name": "Writer", "starters": False})
    for path, value in THINGS.items():
        door.put(f"/agents/{AGENT}/{path}", value)
    watched = new_page(stack.url, width=1440)
    page = watched.page
    page.goto(stack.link)
    walk = Walk(page)

    def go(rest: str) -> None:
        page.goto(f"{stack.url}/#/notifications")
        expect(page.get_by_role("heading", name="Notifications").first).to_be_visible()
        page.goto(f"{stack.url}/#/studio/{AGENT}/{rest}")
        expect(page.get_by_text("Live", exact=True)).to_be_attached()
        settled()

    def settled() -> None:
        expect(page.locator(".loading, .code-waiting")).to_have_count(0)

    go("tools")
    rooms = page.get_by_role("navigation", name="Sections of the studio").get_by_role("link")
    shelves = [str(one.get_attribute("href")).split("/")[3] for one in rooms.all()]
    tries = [f"{thing}/try" for thing in THINGS if thing.startswith(("tools", "functions"))]
    for place in [*shelves, *(thing for thing in THINGS if "/" in thing), *tries]:
        go(place)
        walk.type_everywhere(place)
        buttons = page.get_by_role("main").get_by_role("button", disabled=False)
        names = dict.fromkeys(name.strip() for name in buttons.all_inner_texts())
        for name in filter(OPENS.match, names):
            go(place)
            buttons.filter(has_text=name).first.click()
            settled()
            walk.type_everywhere(f"{place}, {name}")
    # Other places than the studio, which have fields of their own.
    session = door.post("/sessions", {"agent_id": AGENT, "title": "Fields"})["id"]
    for address in ("/", f"/s/{session}", f"/past/{AGENT}", "/gallery", "/notifications", "/inbox"):
        page.goto(f"{stack.url}/#{address}")
        settled()
        walk.type_everywhere(address)
    watched.forgive("422")  # some of what was typed is looked up at once, and is nothing that exists
    assert not walk.wrong, "\n".join(walk.wrong)
    assert {"Code", "Schema", "Examples", "Content", "Text", "Value", "Statement"} <= walk.met.keys()
