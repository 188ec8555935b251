"""The rooms of the studio in the browser: test runs, live preview, database, dead letters, runners."""

import asyncio
import concurrent.futures
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage, keep_look
from foldline_testing.product.looks import DESKTOP, PHONE, Looks
from foldline_testing.product.stack import Stack
from foldline_testing.product.studio_page import opened, rewrite, settled
from foldline_testing.product.typing import write
from foldline_testing.product.waking_service import waking_service

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]
TRIED = """const { n } = args
console.log("n is " + n)
await state.set("last", n)
if (n > 9) {
  throw new RangeError("too much: " + n)
}
return { twice: n * 2 }
"""
NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def test_a_tool_is_tried_for_real_also_while_it_is_disabled(
    stack: Stack, door: Gateway, new_page: NewPage, screenshots: Path
) -> None:
    agent = "tester"
    door.post("/agents", {"id": agent, "name": "Tester", "starters": False})
    door.put(
        f"/agents/{agent}/tools/doubler",
        {"description": "Doubles.", "parameter_schema": NUMBER, "code": TRIED},
    )
    door.patch(f"/agents/{agent}/tools/doubler", {"enabled": False})
    watched = new_page(stack.url)
    page = watched.page
    opened(stack, page, agent)
    page.goto(f"{stack.url}/#/studio/{agent}/tools/doubler/try")
    trial = page.get_by_role("region", name="Test run")
    expect(trial).to_contain_text("writes the agent's state")
    expect(trial).to_contain_text("The tool is disabled for the agent")
    write(trial.get_by_label("n", exact=True), "4")
    trial.get_by_role("button", name="Run for real").click()
    expect(trial.get_by_role("group", name="Result")).to_contain_text('"twice": 8')
    expect(trial.get_by_role("group", name="Log")).to_have_text("n is 4")
    assert door.get(f"/agents/{agent}/state/last")["value"] == 4

    write(trial.get_by_label("n", exact=True), "12")
    trial.get_by_role("button", name="Run for real").click()
    expect(trial.get_by_role("alert")).to_contain_text("RangeError: too much: 12")
    where = trial.get_by_role("group", name="Where it failed")
    expect(where.locator("[aria-current=location]")).to_contain_text('throw new RangeError("too much')
    expect(trial.get_by_role("group", name="Log")).to_have_text("n is 12")
    keep_look(page, screenshots / "studio-test-run-failed.png")

    write(trial.get_by_label("n", exact=True), "many")
    trial.get_by_role("button", name="Run for real").click()
    expect(trial.get_by_label("n", exact=True)).to_have_attribute("aria-invalid", "true")
    watched.forgive("422")
    page.reload()
    expect(trial.get_by_label("n", exact=True)).to_have_value("many")


PAGE = """export default function Hello({ who = "you" }) {
  return <Card>Hello {who}</Card>;
}
"""


def test_a_component_lives_beside_its_code_and_what_is_not_saved_is_kept(
    stack: Stack, door: Gateway, new_page: NewPage, screenshots: Path, axe: Path
) -> None:
    agent = "painter"
    door.post("/agents", {"id": agent, "name": "Painter", "starters": False})
    door.put(f"/agents/{agent}/components/Hello", {"description": "Greets.", "code": PAGE})
    watched = new_page(stack.url, width=1440)
    page = watched.page
    opened(stack, page, agent, "components")
    page.goto(f"{stack.url}/#/studio/{agent}/components/Hello")
    preview = page.frame_locator(".preview iframe")
    expect(preview.get_by_text("Hello you")).to_be_visible()

    page.get_by_role("button", name="Edit").click()
    editor = page.get_by_role("textbox", name="Code")
    rewrite(editor, PAGE.replace("Hello {who}", "Welcome {who}"))
    expect(preview.get_by_text("Welcome you")).to_be_visible()
    Looks(page, [(PHONE, "light"), (1440, "dark")], screenshots, axe).check("studio-preview")

    page.goto(f"{stack.url}/#/studio/{agent}/notes")
    expect(page.get_by_role("heading", name="Notes")).to_be_visible()
    page.goto(f"{stack.url}/#/studio/{agent}/components")
    expect(page.get_by_role("link", name=re.compile("^Hello"))).to_contain_text("not saved")
    page.reload()
    page.get_by_role("link", name=re.compile("^Hello")).click()
    expect(page.get_by_role("form", name="Edit Hello")).to_contain_text("is here again")
    expect(editor).to_contain_text("Welcome")
    expect(preview.get_by_text("Welcome you")).to_be_visible()
    assert door.get(f"/agents/{agent}/components/Hello")["version"] == 1
    editor.press("ControlOrMeta+s")
    expect(page.get_by_text("version 2", exact=True)).to_be_visible()
    assert "Welcome" in door.get(f"/agents/{agent}/components/Hello")["definition"]["code"]

    page.get_by_role("button", name="Edit").click()
    rewrite(editor, "export default function Hello() {\n  throw new TypeError('off');\n}")
    report = page.get_by_role("alert", name="Error of the page")
    expect(report).to_contain_text("TypeError: off at line 2")
    page.get_by_role("button", name="Live preview").click()
    expect(page.locator(".preview iframe")).to_have_count(0)
    page.get_by_role("button", name="Cancel").click()
    watched.forgive("TypeError: off")
    settled(watched)


HOSTILE = "<img src=x onerror=alert(1)>\u202edlrow"
FILLED = """
const rows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
  INSERT INTO big SELECT i + ?, 'row ' || (i + ?) FROM n`
await db.sql("CREATE TABLE big (id INTEGER PRIMARY KEY, name TEXT)")
for (let start = 0; start < 1000000; start += 200000) await db.sql(rows, [start, start])
await db.sql('CREATE TABLE "odd ""one" (note TEXT, huge INTEGER, bytes BLOB, empty)')
await db.sql(`INSERT INTO "odd ""one" VALUES (?, 9223372036854775807, x'3c623e00', NULL)`, [args.text])
await db.sql('INSERT INTO "odd ""one" VALUES (?, 1, NULL, 2)', ["x".repeat(1000000)])
return "filled"
"""


def test_the_database_is_looked_at_and_asked_whatever_is_in_it(
    stack: Stack, door: Gateway, new_page: NewPage, screenshots: Path, axe: Path
) -> None:
    agent = "keeper-of-rows"
    door.post("/agents", {"id": agent, "name": "Rows", "starters": False})
    door.put(
        f"/agents/{agent}/functions/fill",
        {"description": "Fills.", "parameter_schema": {"type": "object"}, "code": FILLED},
    )
    filled = door.post(f"/agents/{agent}/functions/fill:test", {"arguments": {"text": HOSTILE}})
    assert (filled["error"], filled["result"]) == (None, "filled")
    watched = new_page(stack.url)
    page = watched.page
    opened(stack, page, agent, "database")
    page.get_by_role("link", name=re.compile("^big 1,000,000 rows")).click()
    table = page.get_by_role("article", name="Table big")
    expect(table.get_by_text("Rows 1–50 of 1,000,000")).to_be_visible()
    table.get_by_role("button", name="Last rows").click()
    expect(table.get_by_text("row 1000000", exact=True)).to_be_visible()
    write(table.get_by_label("Go to row"), "500001")
    table.get_by_label("Go to row").press("Enter")
    expect(table.get_by_text("row 500001", exact=True)).to_be_visible()
    table.get_by_role("button", name="id", exact=True).click()
    table.get_by_role("button", name="id").click()
    expect(table.get_by_role("cell", name="row 1000000")).to_be_visible()

    page.get_by_role("link", name=re.compile('^odd "one')).click()
    odd = page.get_by_role("article", name='Table odd "one')
    expect(odd.get_by_text("<img src=x")).to_be_visible()
    expect(odd.get_by_text("9223372036854775807")).to_be_visible()
    expect(odd.get_by_text("blob, 4 B")).to_be_visible()
    assert odd.locator("img").count() == 0
    Looks(page, [(PHONE, "dark"), (DESKTOP, "light")], screenshots, axe).check("studio-table")
    odd.get_by_role("button", name="Show all of note of row 2").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("1,000,000 characters")
    dialog.locator(".btn-link.p-0").first.click()
    assert len(dialog.get_by_role("group", name="Value").inner_text()) == 1_000_000
    dialog.get_by_role("button", name="Close").click()
    odd.get_by_role("button", name="Show all of bytes of row 1").click()
    expect(dialog.get_by_role("group", name="Value")).to_contain_text("3c 62 3e 00")
    dialog.get_by_role("button", name="Close").click()

    page.get_by_role("link", name="Query", exact=True).click()
    query = page.get_by_role("region", name="Query")
    editor = query.get_by_role("textbox", name="Statement")
    rewrite(editor, "SELECT count(*) AS rows, max(name) AS last FROM big")
    editor.press("ControlOrMeta+Enter")
    expect(query.get_by_role("cell", name="1000000", exact=True)).to_be_visible()
    rewrite(editor, "SELECT * FROM big")
    query.get_by_role("button", name="Run").click()
    expect(query.get_by_text("There are more: these are the first 1,000.")).to_be_visible()
    Looks(page, [(PHONE, "light"), (DESKTOP, "dark")], screenshots, axe).check("studio-query")
    for wrong, words in (
        ("SELECT * FROM nowhere", "no such table: nowhere"),
        ("DROP TABLE big", "ask the agent to write"),
        ("SELECT 1; SELECT 2", "one statement at a time"),
        ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n", "5 seconds"),
    ):
        rewrite(editor, wrong)
        query.get_by_role("button", name="Run").click()
        expect(query.get_by_role("alert")).to_contain_text(words, ignore_case=True)
    watched.forgive("422")
    page.reload()
    expect(editor).to_contain_text("WITH RECURSIVE")
    assert door.get(f"/agents/{agent}/database")["items"][0]["row_count"] == 1_000_000
    settled(watched)


def test_a_dead_letter_is_looked_at_retried_and_discarded(
    stack: Stack, door: Gateway, new_page: NewPage, screenshots: Path, axe: Path
) -> None:
    sessions = [str(door.post("/sessions", {})["id"]) for _ in range(2)]
    for session in sessions:
        door.post(f"/sessions/{session}:archive")
    with concurrent.futures.ThreadPoolExecutor() as pool:  # Playwright's own loop runs in this thread
        pool.submit(asyncio.run, wakes_of_archived(stack, door, sessions)).result()
    deadline = time.monotonic() + 60
    while len(found := letters_about(door, sessions)) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    watched = new_page(stack.url)
    page = watched.page
    opened(stack, page, "default", "letters")
    first, second = (found[session] for session in sessions)
    page.goto(f"{stack.url}/#/studio/default/letters/{first}")
    letter = page.get_by_role("article", name=f"Dead letter {first}")
    expect(letter).to_contain_text("session_closed")
    Looks(page, [(PHONE, "light"), (DESKTOP, "dark")], screenshots, axe).check("studio-letter")
    letter.get_by_role("button", name="Retry").click()
    expect(letter.get_by_role("alert")).to_contain_text("was closed")
    watched.forgive("409")
    assert letters_about(door, sessions) == found, "it stays as long as its reason does"
    door.post(f"/sessions/{sessions[0]}:reopen")
    letter.get_by_role("button", name="Retry").click()
    expect(page.get_by_text(f"Letter {first}: the wake was delivered: session {sessions[0]}")).to_be_visible()
    page.goto(f"{stack.url}/#/studio/default/letters/{second}")
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_text(f"Letter {second}: the letter is forgotten")).to_be_visible()
    assert letters_about(door, sessions) == {}
    page.goto(f"{stack.url}/#/studio/default/letters/{second}")
    expect(page.get_by_role("alert")).to_contain_text(f"no dead letter {second}")
    watched.forgive("404")

    page.goto(f"{stack.url}/#/studio/default/runners")
    expect(page.get_by_role("row", name=re.compile("^Tool runners"))).to_be_visible()
    expect(page.get_by_role("region", name="Processes").get_by_text("Session engines")).to_be_visible()
    offers = page.get_by_role("region", name="What runners offer")
    offer = offers.get_by_role("listitem").filter(has_text="db_sql")
    offer.get_by_text(re.compile(r"^\d+ tools$")).click()
    expect(offers.get_by_text("db_sql", exact=True)).to_be_visible()
    Looks(page, [(PHONE, "dark"), (DESKTOP, "light")], screenshots, axe).check("studio-runners")


def letters_about(door: Gateway, sessions: list[str]) -> dict[str, int]:
    """The numbers of the letters that name these sessions."""
    found = door.get("/dead-letters", limit=1000)["items"]
    return {session: one["number"] for session in sessions for one in found if session in one["reason"]}


async def wakes_of_archived(stack: Stack, door: Gateway, sessions: list[str]) -> None:
    """Have a service wake sessions that take nothing more."""
    made = door.post("/wake-credentials", {"name": "librarian"})
    async with waking_service(stack, made) as client:
        for session in sessions:
            told: dict[str, Any] = {
                "specversion": "1.0",
                "id": session,
                "source": "/books",
                "type": "returned",
            }
            told |= {"subject": f"session/{session}", "data": {"message": "A book came back"}}
            await client.request("wake.librarian.returned", json.dumps(told).encode())
