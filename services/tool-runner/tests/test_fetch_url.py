"""`fetch_url`: over real sockets, through the guard."""

from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.policies import Grant, Match
from agent_contracts.tool_spec import Effect
from agent_domain.files.file import FileRef, Workspace
from agent_tools.pages.page_text import page_text
from agent_tools.testing.world import AGENT, SESSION
from egress.testing.web import answered, local_server
from tool_runner.testing.world import World

PAGE = "<!doctype html><title>T</title><nav>Menu</nav><main><h1>Hé</h1><p>one <b>two</b></main><script>x"


async def test_an_answer_is_given_raw_as_text_cut_or_as_a_file() -> None:
    answers = {
        "/page": answered(PAGE.encode("latin-1"), "Content-Type: text/html; charset=iso-8859-1", "X-A: 1"),
        "/json": answered(b'{"a":1}', "Content-Type: application/json", status=500),
        "/png": answered(b"\x89PNG\0\xff", "Content-Type: image/png"),
        "/long": answered(b"x" * (3 * 1024 * 1024), "Content-Type: text/plain"),
    }
    world = World()
    async with local_server(lambda request: answers[request.split()[1]]) as server:

        async def fetched(path: str, **arguments: object) -> Any:
            call_id = f"c{len(server.seen)}"
            given = {"url": server.url("a.test", path), **arguments}
            return (await world.run("fetch_url", given, call_id=call_id, effect=Effect.EXTERNAL)).result

        page = await fetched("/page")
        assert (page["status"], page["ok"], page["body"], page["headers"]["x-a"]) == (200, True, PAGE, "1")
        assert (await fetched("/page", **{"as": "text"}))["body"] == "Hé\none two"
        cut = await fetched("/page", **{"as": "text", "max_chars": 2})
        assert (cut["body"], cut["truncated"]) == ("Hé", True)
        world.grants = (Grant(Match(tool="fetch_url", host="a.test:*", method="POST")),)
        failed = await fetched(
            "/json", method="POST", body='{"é":1}', headers={"content-type": "application/json"}
        )
        assert (failed["status"], failed["ok"], failed["body"], failed["truncated"]) == (
            500,
            False,
            '{"a":1}',
            False,
        )
        assert server.seen[-1].encode("latin-1").endswith('{"é":1}'.encode())
        picture = await fetched("/png", **{"as": "text"})
        kept = await world.files.find(Workspace(AGENT, SESSION), FileRef(picture["file_id"]))
        assert (picture["body"], kept.path, kept.source) == ("", picture["path"], "web")
        assert await world.files.read(kept) == b"\x89PNG\0\xff"
        assert (await fetched("/png"))["path"] != kept.path
        call = await world.run(
            "fetch_url", {"url": server.url("a.test", "/long")}, call_id="long", effect=Effect.EXTERNAL
        )
        assert 2 * 1024 * 1024 < call.excerpt.blob.size < 2 * 1024 * 1024 + 1000


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://169.254.169.254/latest/meta-data", ErrorKind.BLOCKED),
        ("http://10.0.0.1/", ErrorKind.BLOCKED),
        ("ftp://a.test/", ErrorKind.BLOCKED),
        ("nonsense", ErrorKind.BLOCKED),
        ("http://a b/", ErrorKind.INVALID_ARGUMENTS),
        ("http://unknown.test/", ErrorKind.UPSTREAM),
    ],
)
async def test_what_cannot_be_fetched_says_why(url: str, kind: ErrorKind) -> None:
    assert (await World().run("fetch_url", {"url": url}, effect=Effect.EXTERNAL)).error.kind == kind


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        ("just & text", "just & text"),
        ("<p>a<p>b<br>c", "a\nb\nc"),
        ("<article>a</article><article>b</article><p>c", "a\nb"),
        ("<ul><li>a<li>b<i>c</i></ul><footer>no</footer>", "a\nbc"),
        ("<pre>a\n  b</pre><p>x\n y", "a\nb\nx y"),
        ("<div>" * 100_000 + "deep", "deep"),
    ],
)
def test_a_page_is_what_it_says(html: str, text: str) -> None:
    assert page_text(html) == text
