"""The tools, against a real Chromium and a site of this machine."""

import itertools
import struct
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from agent_contracts.errors import ErrorKind
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.outside import host_of
from agent_domain.files.file import FileRef, Workspace
from foldline_testing.agent_tools.world import AGENT, until
from foldline_testing.browser_pool.site import Site
from foldline_testing.browser_pool.world import BrowserWorld

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

_numbers = itertools.count(1)


@pytest_asyncio.fixture(loop_scope="module")
async def session(world: BrowserWorld) -> AsyncIterator[str]:
    name = f"s{next(_numbers)}"
    yield name
    await world.contexts.close(SessionId(name))


async def test_a_page_is_opened_read_and_left(world: BrowserWorld, pages: Site, session: str) -> None:
    opened = await world.get("browser_navigate", session, url=pages.url())
    assert opened == {"url": pages.url(), "title": "Home", "status": 200, "still_loading": False}
    text = await world.get("browser_extract_text", session)
    assert "The canary is yellow." in text["text"]
    assert (await world.get("browser_extract_text", session, selector="h1"))["text"] == "Welcome"
    html = await world.get("browser_extract_html", session, selector="h1", outer=True)
    assert html["html"] == "<h1>Welcome</h1>"
    clicked = await world.get("browser_click", session, selector="a[href='/form']")
    assert clicked == {"ok": True, "url": pages.url("/form"), "title": "Order"}
    back = await world.get("browser_back", session)
    assert back["title"] == "Home"
    assert (await world.get("browser_forward", session))["title"] == "Order"
    assert (await world.refused("browser_forward", session)).kind == ErrorKind.REJECTED
    where = await world.get("browser_current_page", session)
    assert where == {"page": "p1", "url": pages.url("/form"), "title": "Order"}
    assert await world.get("browser_close", session) == {"ok": True, "was_open": True}
    assert await world.get("browser_close", session) == {"ok": True, "was_open": False}


async def test_what_was_read_is_marked_as_from_outside(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    for tool, arguments in (("browser_navigate", {"url": pages.url()}), ("browser_extract_text", {})):
        ended = await world.call(tool, arguments, session)
        assert [one.key for one in ended.outside] == [("web", host_of(pages.url()))], tool


async def test_redirects_statuses_and_downloads_of_navigation(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    assert (await world.get("browser_navigate", session, url=pages.url("/redirect")))["title"] == "News"
    assert (await world.get("browser_navigate", session, url=pages.url("/missing")))["status"] == 404
    loop = await world.refused("browser_navigate", session, url=pages.url("/loop"))
    assert (loop.kind, loop.retryable) == (ErrorKind.UPSTREAM, True)
    assert "redirects without end" in loop.message
    inside = await world.refused("browser_navigate", session, url=pages.url(host="secret.test"))
    assert (inside.kind, "private" in inside.message) == (ErrorKind.BLOCKED, True)
    nobody = await world.refused("browser_navigate", session, url="https://a.test:9443/")
    assert nobody.kind == ErrorKind.UPSTREAM
    file = await world.get("browser_navigate", session, url=pages.url("/file"))
    assert file["status"] is None
    assert [(one["name"], one["path"], one["size"]) for one in file["downloads"]] == [
        ("table.csv", "downloads/table.csv", 8)
    ]


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("file:///etc/passwd", ErrorKind.BLOCKED),
        ("data:text/html,hi", ErrorKind.BLOCKED),
        ("chrome://version", ErrorKind.BLOCKED),
        ("javascript:alert(1)", ErrorKind.BLOCKED),
        ("ftp://a.test/", ErrorKind.BLOCKED),
        ("http://user:pw@a.test/", ErrorKind.BLOCKED),
        ("view-source:http://a.test/", ErrorKind.BLOCKED),
        ("example.com", ErrorKind.INVALID_ARGUMENTS),
        ("http://", ErrorKind.INVALID_ARGUMENTS),
        ("http://a b/", ErrorKind.INVALID_ARGUMENTS),
        ("http://a.test:99999/", ErrorKind.INVALID_ARGUMENTS),
        ("http://a.test/" + "x" * 9_000, ErrorKind.INVALID_ARGUMENTS),
    ],
)
async def test_addresses_that_are_not_opened(
    world: BrowserWorld, session: str, url: str, kind: ErrorKind
) -> None:
    error = await world.refused("browser_navigate", session, url=url)
    assert (error.kind, error.path) == (kind, "/url")


@pytest.mark.usefixtures("anything_may_be_sent")
async def test_a_form_is_filled_by_refs_of_a_snapshot(world: BrowserWorld, pages: Site, session: str) -> None:
    await world.get("browser_navigate", session, url=pages.url("/form"))
    snapshot = (await world.get("browser_snapshot", session))["snapshot"]
    await world.get("browser_type", session, ref=_ref(snapshot, 'textbox "Name"'), text="Ada")
    await world.get("browser_type", session, ref=_ref(snapshot, "combobox"), text="Green")
    await world.get("browser_click", session, ref=_ref(snapshot, "checkbox"))
    await world.get("browser_type", session, selector="textarea", text=", you")
    sent = await world.get("browser_click", session, ref=_ref(snapshot, 'button "Send"'))
    assert sent["title"] == "Ordered"
    assert pages.posted[-1] == {
        "name": ["Ada"],
        "colour": ["g"],
        "gift": ["on"],
        "note": ["Hello, you"],
        "locked": ["x"],
    }
    stale = await world.refused("browser_click", session, ref="e99")
    assert (stale.kind, stale.path) == (ErrorKind.NOT_FOUND, "/ref")
    wrong = await world.refused("browser_click", session, ref="button")
    assert (wrong.kind, wrong.path) == (ErrorKind.INVALID_ARGUMENTS, "/ref")


@pytest.mark.usefixtures("anything_may_be_sent")
async def test_typing_replaces_submits_and_says_why_not(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    await world.get("browser_navigate", session, url=pages.url("/form"))
    await world.get("browser_type", session, selector="textarea", text="x" * 5_000, clear_first=True)
    value = await world.get(
        "browser_evaluate", session, code="document.querySelector('textarea').value.length"
    )
    assert value["result"] == 5_000
    for selector, reason in (("[name=locked]", "read_only"), ("button", "not_editable")):
        error = await world.refused("browser_type", session, selector=selector, text="x")
        assert error.details["reason"] == reason
    no_option = await world.refused("browser_type", session, selector="select", text="Blue")
    assert "'Red', 'Green'" in no_option.message
    typed = await world.get("browser_type", session, selector="#name", text="Bo", submit=True)
    assert typed["title"] == "Ordered"


async def test_a_page_that_changes_by_itself(world: BrowserWorld, pages: Site, session: str) -> None:
    await world.get("browser_navigate", session, url=pages.url("/spa"))
    await world.get("browser_click", session, selector="button")
    assert (await world.get("browser_extract_text", session, selector="#two"))["text"] == "Second view"


async def test_refs_reach_into_frames(world: BrowserWorld, pages: Site, session: str) -> None:
    await world.get("browser_navigate", session, url=pages.url("/frames"))
    snapshot = (await world.get("browser_snapshot", session))["snapshot"]
    ref = _ref(snapshot, 'button "Press me"')
    assert ref.startswith("f")
    await world.get("browser_click", session, ref=ref)
    assert "pressed in the frame" in (await world.get("browser_snapshot", session))["snapshot"]


@pytest.mark.parametrize(
    ("selector", "kind", "reason"),
    [
        ("#nothing", ErrorKind.NOT_FOUND, "not_found"),
        ("#hidden", ErrorKind.REJECTED, "hidden"),
        ("#empty", ErrorKind.REJECTED, "zero_size"),
        ("#disabled", ErrorKind.REJECTED, "disabled"),
        ("#away", ErrorKind.REJECTED, "outside"),
        ("#under", ErrorKind.REJECTED, "covered"),
        ("#deaf", ErrorKind.REJECTED, "ignores_pointer"),
        ("#muted", ErrorKind.REJECTED, "ignores_pointer"),
        ("#sleeping", ErrorKind.REJECTED, "inert"),
        ("#inside", ErrorKind.REJECTED, "disabled"),
    ],
)
async def test_why_an_element_cannot_be_clicked(
    world: BrowserWorld, pages: Site, session: str, selector: str, kind: ErrorKind, reason: str
) -> None:
    await world.get("browser_navigate", session, url=pages.url("/clicks"))
    error = await world.refused("browser_click", session, selector=selector)
    assert (error.kind, error.path) == (kind, "/selector")
    assert error.details["reason"] == reason
    if reason == "covered":
        assert error.details["covered_by"] == '<div id="cover" class="veil">'
        assert error.details["box"]["width"] > 0
    causes = {
        "#muted": '<div id="mute">',
        "#sleeping": '<div id="asleep">',
        "#inside": '<fieldset id="form">',
    }
    assert causes.get(selector, "") in error.message
    assert (await world.get("browser_current_page", session))["title"] == "Clicks"


async def test_selectors_that_are_none(world: BrowserWorld, pages: Site, session: str) -> None:
    await world.get("browser_navigate", session, url=pages.url())
    for selector in ("a[", ">>>", "div:nonsense("):
        error = await world.refused("browser_click", session, selector=selector)
        assert (error.kind, error.path) == (ErrorKind.INVALID_ARGUMENTS, "/selector"), selector
    for arguments in ({}, {"selector": "a", "ref": "e1"}):
        assert (await world.refused("browser_click", session, **arguments)).kind == "invalid_arguments"


async def test_dialogs_are_told_and_answered(world: BrowserWorld, pages: Site, session: str) -> None:
    await world.get("browser_navigate", session, url=pages.url("/dialogs"))
    alert = await world.get("browser_click", session, selector="#alert")
    assert alert["dialogs"] == [{"kind": "alert", "message": "Careful", "answered": "accept"}]
    no = await world.get("browser_click", session, selector="#confirm")
    assert (no["title"], no["dialogs"][0]["answered"]) == ("no", "dismiss")
    yes = await world.get("browser_click", session, selector="#confirm", accept_dialogs=True)
    assert yes["title"] == "yes"
    said = {"accept_dialogs": True, "dialog_text": "Ada"}
    assert (await world.get("browser_click", session, selector="#prompt", **said))["title"] == "Ada"


async def test_downloads_become_files_of_the_session(world: BrowserWorld, pages: Site, session: str) -> None:
    await world.get("browser_navigate", session, url=pages.url("/downloads"))
    [first] = (await world.get("browser_click", session, selector="#small"))["downloads"]
    [second] = (await world.get("browser_click", session, selector="#small"))["downloads"]
    assert (first["path"], second["path"]) == ("downloads/table.csv", "downloads/table-2.csv")
    workspace = Workspace(AgentId(AGENT), SessionId(session))
    file = await world.files.find(workspace, FileRef(path="downloads/table.csv"))
    assert await world.files.read(file) == b"a,b\n1,2\n"
    [slow] = (await world.get("browser_click", session, selector="#slow"))["downloads"]
    assert slow["size"] == 20_000
    assert (await world.get("browser_downloads", session))["under_way"] == 0


async def test_a_download_bomb_is_cancelled(world: BrowserWorld, pages: Site, session: str) -> None:
    await world.get("browser_navigate", session, url=pages.url("/downloads"))
    [bomb] = (await world.get("browser_click", session, selector="#bomb"))["downloads"]
    assert "larger than 50 MB" in bomb["problem"]
    downloads = (await world.contexts.chromium.running()).downloads
    await until(lambda: not any(downloads.iterdir()))
    assert (await world.get("browser_current_page", session))["title"] == "Downloads"


async def test_screenshots_are_files_and_pictures(world: BrowserWorld, pages: Site, session: str) -> None:
    await world.get("browser_navigate", session, url=pages.url())
    ended = await world.call("browser_screenshot", {}, session)
    shown = ended.result
    assert (shown["width"], shown["height"], shown["media_type"]) == (1280, 800, "image/png")
    assert [(one.blob, one.media_type) for one in ended.pictures] == [(shown["sha256"], "image/png")]
    workspace = Workspace(AgentId(AGENT), SessionId(session))
    file = await world.files.find(workspace, FileRef(file_id=shown["file_id"]))
    data = await world.files.read(file)
    assert struct.unpack(">II", data[16:24]) == (1280, 800)
    assert shown["image"] == shown["path"]
    element = await world.get("browser_screenshot", session, selector="h1")
    assert element["height"] < 100
    assert element["path"] == "screenshots/page-2.png"
    await world.get("browser_navigate", session, url=pages.url("/tall"))
    whole = await world.get("browser_screenshot", session, full_page=True)
    assert whole["height"] == 16_384
    assert "the page is larger" in whole["notes"][0]


async def test_code_in_the_page(world: BrowserWorld, pages: Site, session: str) -> None:
    await world.get("browser_navigate", session, url=pages.url("/csp"))
    for code, result in (
        ("document.title", "Strict"),
        ("1 + 1", 2),
        ("() => ({a: [1, null]})", {"a": [1, None]}),
        ("const x = 2; return x * 3;", 6),
        ("await new Promise(done => setTimeout(() => done('late'), 50))", "late"),
        ("undefined", None),
    ):
        assert (await world.get("browser_evaluate", session, code=code))["result"] == result, code
    thrown = await world.refused("browser_evaluate", session, code="null.x")
    assert thrown.kind == ErrorKind.REJECTED
    assert "TypeError" in thrown.message
    broken = await world.refused("browser_evaluate", session, code="const = 1")
    assert (broken.kind, broken.path) == (ErrorKind.INVALID_ARGUMENTS, "/code")
    large = await world.refused("browser_evaluate", session, code="'x'.repeat(3e6)")
    assert large.kind == ErrorKind.TOO_LARGE


async def test_windows_are_pages_to_switch_to(world: BrowserWorld, pages: Site, session: str) -> None:
    await world.get("browser_navigate", session, url=pages.url())
    clicked = await world.get("browser_click", session, selector="a[target]")
    assert [one["page"] for one in clicked["new_pages"]] == ["p2"]
    assert clicked["title"] == "Home"
    listed = await world.get("browser_pages", session, action="switch", page="p2")
    assert [(one["page"], one["title"], one["current"]) for one in listed["pages"]] == [
        ("p1", "Home", False),
        ("p2", "News", True),
    ]
    assert (await world.get("browser_current_page", session))["title"] == "News"
    closed = await world.get("browser_pages", session, action="close", page="p2")
    assert [one["page"] for one in closed["pages"]] == ["p1"]
    missing = await world.refused("browser_pages", session, action="switch", page="p9")
    assert missing.kind == ErrorKind.NOT_FOUND
    for _ in range(7):
        await world.get("browser_pages", session, action="new")
    assert (await world.refused("browser_pages", session, action="new")).kind == ErrorKind.REJECTED


async def test_scrolling_tells_how_far(world: BrowserWorld, pages: Site, session: str) -> None:
    await world.get("browser_navigate", session, url=pages.url("/scroll"))
    down = await world.get("browser_scroll", session, direction="down")
    assert (down["y"], down["max_y"] > 4_000) == (500, True)
    right = await world.get("browser_scroll", session, direction="right", amount=100)
    assert (right["x"], right["y"]) == (100, 500)
    assert (await world.get("browser_scroll", session, direction="up", amount=900))["y"] == 0


@pytest.mark.usefixtures("anything_may_be_sent")
async def test_what_can_be_acted_on_with_selectors_that_work(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    await world.get("browser_navigate", session, url=pages.url("/form"))
    found = (await world.get("browser_extract_interactable", session))["elements"]
    assert [(one["role"], one["name"], one["selector"]) for one in found] == [
        ("textbox", "Name", "#name"),
        ("combobox", "Colour Red Green", 'select[name="colour"]'),
        ("checkbox", "Gift", 'input[name="gift"]'),
        ("textbox", "Note", 'textarea[name="note"]'),
        ("textbox", "locked", 'input[name="locked"]'),
        ("button", "Send", "html > body > form > button"),
    ]
    assert found[0]["box"]["width"] > 0
    assert (await world.get("browser_click", session, selector=found[-1]["selector"]))["title"] == "Ordered"


async def test_the_main_content_is_markdown_and_the_page_may_be_kept(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    await world.get("browser_navigate", session, url=pages.url("/article"))
    found = await world.get("browser_extract_content", session, save_raw_html=True)
    assert "## Colours" in found["content"]
    assert f"[red]({pages.url('/form')})" in found["content"]
    assert "menu" not in found["content"]
    assert "imprint" not in found["content"]
    workspace = Workspace(AgentId(AGENT), SessionId(session))
    file = await world.files.find(workspace, FileRef(path=found["raw_html"]))
    assert b"imprint" in await world.files.read(file)


def _ref(snapshot: str, words: str) -> str:
    [line] = [one for one in snapshot.splitlines() if words in one and "[ref=" in one][:1]
    return line.split("[ref=")[1].split("]")[0]
