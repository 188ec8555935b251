"""`fetch_url`: over real sockets, through the guard."""

from pathlib import Path
from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.policies import Grant, Match
from agent_contracts.tool_spec import Effect
from agent_domain.files.file import FileRef, Workspace
from agent_platform.settings.loading import load_settings
from agent_tools.pages.page_text import page_text
from egress.guard import Egress
from egress.rules import EgressRules, tools_proxies
from foldline_testing.agent_tools.world import AGENT, SESSION
from foldline_testing.egress.web import FixedNames, answered, local_server
from foldline_testing.tool_runner.world import World
from tool_runner.settings import RunnerSettings

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


@pytest.mark.parametrize("said", [True, False, None])
async def test_a_call_goes_through_the_machines_proxy_only_where_its_operator_says_so(
    said: bool | None, tmp_path: Path
) -> None:
    environment = {"FOLDLINE_DATA_DIR": str(tmp_path)}
    if said is not None:
        environment["FOLDLINE_EGRESS_THROUGH_PROXY"] = str(said).lower()
    settings = load_settings(RunnerSettings, environment).settings
    async with local_server(lambda _: answered(b"by the proxy")) as proxy:
        environ = {"HTTP_PROXY": f"http://127.0.0.1:{proxy.port}", "NO_PROXY": "other.example.org"}
        egress = Egress(EgressRules(), FixedNames(), proxies=tools_proxies(settings, environ))
        world = World(egress=egress)
        url = {"url": "http://pages.example.org/x"}
        ended = await world.run("fetch_url", url, call_id="c1", effect=Effect.EXTERNAL)
        other = {"url": "http://other.example.org/x"}
        await world.run("fetch_url", other, call_id="c2", effect=Effect.EXTERNAL)
    if said:
        assert ended.result["body"] == "by the proxy"
        assert [one.split("\r\n")[0] for one in proxy.seen] == ["GET http://pages.example.org:80/x HTTP/1.1"]
    else:
        assert ended.error.kind == ErrorKind.UPSTREAM
        assert proxy.seen == []
