"""The tools of files, as a session calls them."""

import base64
import io
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from PIL import Image

from agent_contracts.ids import SessionId
from agent_contracts.tool_spec import Effect
from agent_domain.files.file import FileContent, FileRef, Workspace
from agent_domain.files.files import NewFile
from agent_platform.entities.entity import EntityWriter
from foldline_testing.agent_tools.world import AGENT, SESSION
from foldline_testing.tool_runner.world import World
from tool_runner.documents.documents import Documents

INVALID = "invalid_arguments"
MINE = Workspace(AGENT, SESSION)
PNG = b"\x89PNG\r\n\x1a\n\0\0"


class Tools:
    """Calls tools one after another in one session."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._calls = 0

    async def __call__(self, tool: str, *, session: str = SESSION, **arguments: Any) -> Any:
        """Its result, or the kind of its error and the path."""
        self._calls += 1
        effect = self.world.registry.get(tool).spec.effect  # type: ignore[union-attr]
        event = await self.world.run(
            tool, arguments, call_id=f"c{self._calls}", effect=effect, session_id=SessionId(session)
        )
        error = getattr(event, "error", None)
        return (str(error.kind), error.path) if error else event.result

    async def put(self, path: str, data: bytes, where: Workspace = MINE) -> str:
        """A file that is there."""
        made = await self.world.files.create(
            where, NewFile(path, FileContent(data)), EntityWriter.user(f"u-{path}")
        )
        return made.file_id

    async def bytes_at(self, path: str) -> bytes:
        """What a file of the session holds."""
        files = self.world.files
        return await files.read(await files.find(MINE, FileRef(path=path)))


@pytest.fixture
async def tools() -> AsyncIterator[Tools]:
    documents = Documents()
    yield Tools(World(documents=documents))
    await documents.close()


async def test_a_file_is_made_read_changed_listed_and_deleted(tools: Tools) -> None:
    made = await tools("file_create", path="notes/a.md", text="# One\n")
    assert (made["path"], made["version"], made["size"]) == ("notes/a.md", 1, 6)
    wrote = await tools("file_write_text", file_id=made["file_id"], text="two\n", append=True)
    assert wrote["version"] == 2
    read = await tools("file_read_text", path="notes/a.md")
    assert (read["text"], read["encoding"], read["lines"], read["truncated"]) == (
        "# One\ntwo\n",
        "utf-8",
        2,
        False,
    )
    listed = await tools("file_list", prefix="notes/")
    assert [(one["path"], one["version"], one["scope"]) for one in listed["files"]] == [
        ("notes/a.md", 2, "session")
    ]
    info = await tools("file_info", path="notes/a.md", version=1)
    assert (info["size"], info["media_type"], info["source"], info["made_from"]) == (
        6,
        "text/markdown",
        "tool",
        None,
    )
    assert await tools("file_delete", path="notes/a.md") == {"deleted": True}
    assert await tools("file_delete", path="notes/a.md") == {"deleted": False}
    assert await tools("file_read_text", file_id=made["file_id"]) == ("not_found", "/file_id")


async def test_bytes_come_as_base64(tools: Tools) -> None:
    await tools("file_create", path="a.bin", base64=base64.b64encode(b"\0\xff" * 40).decode())
    assert await tools.bytes_at("a.bin") == b"\0\xff" * 40
    assert await tools("file_create", path="b.bin", base64="not!") == (INVALID, "/base64")
    both = await tools("file_create", path="b.bin", base64="", text="")
    assert both[0] == "invalid_arguments"


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({}, "invalid_arguments"),
        ({"file_id": "f_1", "path": "a"}, "invalid_arguments"),
        ({"file_id": "f_1"}, "not_found"),
        ({"path": "nothing"}, "not_found"),
        ({"path": "../a"}, "invalid_arguments"),
        ({"path": "/etc/passwd"}, "invalid_arguments"),
    ],
)
@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("file_read_text", {}),
        ("file_info", {}),
        ("file_view", {}),
        ("file_write_text", {"text": "x", "create": False}),
        ("file_replace_lines", {"from_line": 1, "to_line": 1, "text": ""}),
        ("file_insert_lines", {"line": 1, "text": "x"}),
        ("file_copy", {"new_path": "b"}),
        ("file_rename", {"new_path": "b"}),
        ("promote_file", {}),
    ],
)
async def test_a_file_that_is_not_there_is_told_of_and_nothing_changes(
    tools: Tools, tool: str, more: dict[str, Any], arguments: dict[str, Any], kind: str
) -> None:
    assert (await tools(tool, **arguments, **more))[0] == kind
    assert await tools.world.files.list(MINE) == []


async def test_another_sessions_file_is_not_there(tools: Tools) -> None:
    file_id = await tools.put("a.txt", b"x")
    for which in ({"file_id": file_id}, {"path": "a.txt"}):
        assert (await tools("file_read_text", session="other", **which))[0] == "not_found"
        assert await tools("file_delete", session="other", **which) == {"deleted": False}
    promoted = await tools("promote_file", path="a.txt")
    assert promoted["file_id"] == file_id
    assert (await tools("file_read_text", session="other", path="a.txt"))["text"] == "x"


@pytest.mark.parametrize(
    ("before", "arguments", "after"),
    [
        (b"a\nb\nc\n", {"from_line": 2, "to_line": 2, "text": "B"}, b"a\nB\nc\n"),
        (b"a\nb\nc\n", {"from_line": 2, "to_line": 3, "text": ""}, b"a\n"),
        (b"a\r\nb\r\nc", {"from_line": 1, "to_line": 1, "text": "A\nAA\n"}, b"A\r\nAA\r\nb\r\nc"),
        (b"a\r\nb\r\nc", {"from_line": 3, "to_line": 3, "text": "C\n"}, b"a\r\nb\r\nC"),
        (b"\xef\xbb\xbfa\nb\n", {"from_line": 1, "to_line": 1, "text": "\u00fc"}, "\ufeffü\nb\n".encode()),
        ("ä\nb\n".encode("utf-16"), {"from_line": 2, "to_line": 2, "text": "€"}, "ä\n€\n".encode("utf-16")),
        (b"gr\xfcn\nb\n", {"from_line": 2, "to_line": 2, "text": "ß"}, b"gr\xfcn\n\xdf\n"),
        (b"a\nb\r\nc\rd", {"from_line": 3, "to_line": 3, "text": "C"}, b"a\nb\r\nC\nd"),
    ],
)  # fmt: skip
async def test_replacing_lines_leaves_every_other_byte_as_it_was(
    tools: Tools, before: bytes, arguments: dict[str, Any], after: bytes
) -> None:
    await tools.put("a.txt", before)
    assert (await tools("file_replace_lines", path="a.txt", **arguments))["version"] == 2
    assert await tools.bytes_at("a.txt") == after


@pytest.mark.parametrize(
    ("before", "line", "after"),
    [
        (b"a\nb\n", 1, b"x\na\nb\n"),
        (b"a\nb\n", 3, b"a\nb\nx\n"),
        (b"a\r\nb", 3, b"a\r\nb\r\nx"),
        (b"", 1, b"x\n"),
    ],
)
async def test_lines_are_inserted(tools: Tools, before: bytes, line: int, after: bytes) -> None:
    await tools.put("a.txt", before)
    await tools("file_insert_lines", path="a.txt", line=line, text="x")
    assert await tools.bytes_at("a.txt") == after


@pytest.mark.parametrize(
    ("tool", "arguments", "refused"),
    [
        ("file_replace_lines", {"from_line": 3, "to_line": 3, "text": "x"}, (INVALID, "/from_line")),
        ("file_replace_lines", {"from_line": 2, "to_line": 3, "text": "x"}, (INVALID, "/to_line")),
        ("file_replace_lines", {"from_line": 2, "to_line": 1, "text": "x"}, (INVALID, "/to_line")),
        ("file_replace_lines", {"from_line": 0, "to_line": 1, "text": "x"}, (INVALID, "/from_line")),
        ("file_insert_lines", {"line": 4, "text": "x"}, (INVALID, "/line")),
        ("file_read_text", {"from_line": 3}, (INVALID, "/from_line")),
        ("file_read_text", {"offset": 99}, (INVALID, "/offset")),
        ("file_write_text", {"text": "x", "version": 7}, ("conflict", "/version")),
        ("file_rename", {"new_path": "b.txt", "version": 7}, ("conflict", "/version")),
        ("file_rename", {"new_path": "c.txt"}, ("conflict", "/new_path")),
        ("file_copy", {"new_path": "c.txt"}, ("conflict", "/new_path")),
        ("file_copy", {"new_path": "a/../b"}, (INVALID, "/new_path")),
        ("file_delete", {"version": 7}, ("conflict", "/version")),
        ("file_info", {"version": 7}, ("not_found", "/version")),
        ("file_view", {}, ("rejected", "/path")),
    ],
)  # fmt: skip
async def test_what_cannot_be_is_its_own_kind_and_changes_nothing(
    tools: Tools, tool: str, arguments: dict[str, Any], refused: tuple[str, str]
) -> None:
    await tools.put("a.txt", b"a\nb\n")
    await tools.put("c.txt", b"c")
    before = await tools.world.files.list(MINE)
    assert await tools(tool, path="a.txt", **arguments) == refused
    assert await tools.world.files.list(MINE) == before


async def test_text_tools_refuse_a_picture(tools: Tools) -> None:
    await tools.put("a.png", PNG)
    for tool, arguments in (
        ("file_read_text", {}),
        ("file_replace_lines", {"from_line": 1, "to_line": 1, "text": ""}),
        ("file_insert_lines", {"line": 1, "text": "x"}),
        ("file_write_text", {"text": "x", "append": True}),
        ("file_write_text", {"text": "x"}),
    ):
        assert (await tools(tool, path="a.png", **arguments))[0] == "rejected", tool
    assert await tools.bytes_at("a.png") == PNG


async def test_a_long_text_is_read_in_parts_that_make_the_whole(tools: Tools) -> None:
    whole = "".join(f"line {n}\n" for n in range(1, 201))
    await tools.put("a.txt", whole.encode())
    parts, lines, offset = [], [], 0
    while True:
        part = await tools("file_read_text", path="a.txt", offset=offset, max_chars=300)
        parts.append(part["text"])
        lines.append(part["from_line"])
        if not part["truncated"]:
            break
        offset = part["next_offset"]
    assert "".join(parts) == whole
    assert [whole.splitlines()[line - 1] for line in lines] == [part.splitlines()[0] for part in parts]
    some = await tools("file_read_text", path="a.txt", from_line=10, to_line=12)
    assert (some["text"], some["from_line"], some["lines"]) == ("line 10\nline 11\nline 12\n", 10, 200)


async def test_a_copy_is_another_file_of_the_same_bytes(tools: Tools) -> None:
    file_id = await tools.put("a.txt", b"1")
    await tools("file_write_text", path="a.txt", text="2")
    copy = await tools("file_copy", path="a.txt", version=1, new_path="b.txt", scope="agent")
    assert (await tools("file_read_text", session="other", path="b.txt"))["text"] == "1"
    assert (await tools("file_info", file_id=copy["file_id"]))["made_from"] == file_id


async def test_writing_with_a_scope_makes_a_file_beside_the_agents(tools: Tools) -> None:
    await tools("file_create", path="a.txt", text="agent", scope="agent")
    await tools("file_write_text", path="a.txt", text="mine", scope="session")
    assert (await tools("file_read_text", path="a.txt"))["text"] == "mine"
    assert (await tools("file_read_text", session="other", path="a.txt"))["text"] == "agent"
    await tools("file_write_text", session="other", path="a.txt", text="changed")
    assert (await tools("file_read_text", session="third", path="a.txt"))["text"] == "changed"


async def test_search_names_the_lines_of_every_file(tools: Tools) -> None:
    await tools.put("a.txt", b"tea\ncoffee\nTea again\n")
    await tools.put("dir/b.csv", b"1,tea\r\n")
    await tools.put("c.png", PNG)

    async def search(**arguments: Any) -> list[tuple[str, int, str]]:
        found = await tools("file_search", **arguments)
        assert not found["truncated"]
        return [(one["path"], one["line"], one["text"]) for one in found["matches"]]

    assert await search(query="tea") == [("a.txt", 1, "tea"), ("dir/b.csv", 1, "1,tea")]
    assert await search(query="^t.a", regex=True, ignore_case=True) == [
        ("a.txt", 1, "tea"),
        ("a.txt", 3, "Tea again"),
    ]
    assert await search(query="tea", paths=["dir/*"]) == [("dir/b.csv", 1, "1,tea")]
    assert await search(query="t.a") == []
    assert await tools("file_search", query="(", regex=True) == (INVALID, "/query")


async def test_an_expression_that_takes_for_ever_is_stopped_for_one_file(
    tools: Tools,
) -> None:
    await tools.put("a.txt", b"a" * 40 + b"!")
    await tools.put("b.txt", b"ab")
    found = await tools("file_search", query="(a+)+b", regex=True)
    assert [one["path"] for one in found["matches"]] == ["b.txt"]
    assert [(one["path"], "takes longer" in one["why"]) for one in found["skipped"]] == [("a.txt", True)]


async def test_a_search_ends_at_a_hundred_lines_and_fifty_files(tools: Tools) -> None:
    await tools.put("many.txt", b"x\n" * 150)
    found = await tools("file_search", query="x")
    assert (len(found["matches"]), found["truncated"]) == (100, True)
    for n in range(51):
        await tools.put(f"f{n:02}.txt", b"y")
    found = await tools("file_search", query="y", paths=["f*"])
    assert (len(found["matches"]), found["files_searched"], found["truncated"]) == (50, 50, True)


def test_writes_are_recorded_reads_pure_and_downloads_external(tools: Tools) -> None:
    effects = {
        tool.spec.name: tool.spec.effect for tool in tools.world.registry if tool.spec.family == "files"
    }
    reads = {"file_list", "file_info", "file_read_text", "file_search", "file_view"}
    assert len(effects) == 14
    assert {name for name, effect in effects.items() if effect is Effect.PURE} == reads
    assert [name for name, effect in effects.items() if effect is Effect.EXTERNAL] == ["file_download"]


async def test_a_picture_is_shown_beside_its_caption(tools: Tools) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (30, 20), "red").save(picture, "PNG")
    await tools.put("a.png", picture.getvalue())
    viewed = await tools("file_view", path="a.png")
    assert (viewed["width"], viewed["height"], viewed["caption"]) == (30, 20, "a.png: PNG, 30 × 20 pixels")
    event = await tools.world.ended("c1")
    (shown,) = event.pictures
    assert (shown.blob, shown.media_type, shown.name) == (viewed["sha256"], "image/png", "a.png")


async def test_what_only_begins_like_a_picture_is_refused(tools: Tools) -> None:
    await tools.put("a.png", PNG)
    assert (await tools("file_view", path="a.png"))[0] == "rejected"


async def test_a_result_too_large_for_the_model_is_a_file_that_it_reads_on(tools: Tools) -> None:
    event = await tools.world.run("selftest_big", {"bytes": 300_000}, call_id="big")
    kept = event.excerpt
    assert kept.file_id is not None
    [listed] = (await tools("file_list"))["files"]
    assert (listed["file_id"], listed["size"]) == (kept.file_id, kept.blob.size)
    assert re.fullmatch(r"results/selftest_big-\d+\.json", listed["path"])
    part = await tools("file_read_text", file_id=kept.file_id, offset=len(kept.head), max_chars=50)
    whole = (await tools.world.blobs.get(kept.blob.sha256)).decode()
    assert len(part["text"]) >= 40
    assert whole[len(kept.head) :].startswith(part["text"])
