"""The workspace by path: LibrAgent's names for the agent's files."""

import io
import zipfile

import pytest

import foldline_libragent
from agent_contracts.json_value import Json
from agent_domain.files.file import Workspace
from agent_tools.registry import tools_in
from browser_pool.pool_tools import discover
from foldline_testing.agent_tools.world import AGENT, SESSION
from foldline_testing.product.libragent_world import LibraWorld
from foldline_testing.tool_runner.world import all_tools

TREE = {"notes/a.txt": "alpha\nbeta\ngamma\n", "notes/deep/b.md": "beta again", "c.py": "print('beta')\n"}


BETAS = "notes/a.txt:beta\nnotes/deep/b.md:beta again"


async def _tree(libra: LibraWorld) -> None:
    for path, text in TREE.items():
        await libra.get("write_file", path=path, content=text)


async def test_what_is_written_is_read_whole_or_by_lines(libra: LibraWorld) -> None:
    made = await libra.get("write_file", path="./x/y.txt", content="one\ntwo\n")
    assert (made["path"], made["version"], made["size"]) == ("x/y.txt", 1, 8)
    added = await libra.get("write_file", path="x/y.txt", content="three", mode="a")
    assert (added["file_id"], added["version"]) == (made["file_id"], 2)
    whole = await libra.get("read_file", path="x/y.txt")
    assert (whole["content"], whole["total_lines"], whole["version"]) == ("one\ntwo\nthree", 3, 2)
    part = await libra.get("read_file", path="x/y.txt", start_line=2, end_line=2)
    assert (part["content"], part["start_line"], part["end_line"]) == ("two\n", 2, 2)
    assert (await libra.get("read_file", path="x/y.txt", end_line=99))["end_line"] == 3


async def test_folders_are_listed_with_what_is_right_in_them(libra: LibraWorld) -> None:
    await _tree(libra)
    root = await libra.get("list_directory", path=".")
    assert [(one["name"], one["type"]) for one in root["entries"]] == [
        ("notes", "directory"),
        ("c.py", "file"),
    ]
    notes = await libra.get("list_directory", path="notes/")
    assert [(one["path"], one["size"]) for one in notes["entries"]] == [
        ("notes/deep", None),
        ("notes/a.txt", 17),
    ]
    texts = await libra.get("list_directory", path="notes", filter="*.txt")
    assert [one["path"] for one in texts["entries"]] == ["notes/a.txt"]


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"pattern": "*.md"}, ["notes/deep/b.md"]),
        ({"pattern": "*.md", "max_depth": 2}, []),
        ({"pattern": "deep/*", "path": "notes"}, ["notes/deep/b.md"]),
        ({"pattern": "*e*", "file_type": "dir"}, ["notes", "notes/deep"]),
        ({"pattern": "*", "file_type": "file"}, ["c.py", "notes/a.txt", "notes/deep/b.md"]),
        ({"pattern": "[x"}, []),
    ],
)
async def test_files_are_found_by_name(
    libra: LibraWorld, arguments: dict[str, Json], paths: list[str]
) -> None:
    await _tree(libra)
    found = await libra.get("search_files", **arguments)
    assert [one["path"] for one in found["matches"]] == paths


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (
            {"pattern": "BETA", "ignore_case": True, "path": "notes"},
            BETAS,
        ),
        ({"pattern": "^b", "line_numbers": True, "path": "notes/a.txt"}, "notes/a.txt:2:beta"),
        ({"pattern": "gam+a|print"}, "c.py:print('beta')\nnotes/a.txt:gamma"),
        ({"pattern": r"\d", "input": "one\n2\n", "line_numbers": True}, "2:2"),
        ({"pattern": "nothing"}, ""),
    ],
)
async def test_lines_are_found_by_an_expression(
    libra: LibraWorld, arguments: dict[str, Json], output: str
) -> None:
    await _tree(libra)
    found = await libra.get("grep", **arguments)
    assert (found["output"], found["truncated"], found["skipped"]) == (output, False, [])


async def test_an_expression_that_takes_for_ever_ends(libra: LibraWorld) -> None:
    evil = "a" * 40 + "!"
    error = await libra.refused("grep", pattern="(a+)+$", input=evil)
    assert (error.kind, error.path) == ("timeout", "/pattern")
    await libra.get("write_file", path="evil.txt", content=evil)
    found = await libra.get("grep", pattern="(a+)+$", path="evil.txt")
    assert found["skipped"] == ["evil.txt: the expression takes longer than 1 second"]


async def test_lines_are_replaced_by_their_numbers_before(libra: LibraWorld) -> None:
    await libra.get("write_file", path="f.txt", content="1\n2\n3\n4\n5\n")
    changed = await libra.get(
        "replace_lines_in_file",
        path="f.txt",
        replacements=[
            {"start_line": 1, "new_content": "one\nand a half"},
            {"start_line": 4, "end_line": 5, "new_content": "end"},
            {"start_line": 3, "new_content": ""},
        ],
    )
    assert changed["version"] == 2
    assert (await libra.get("read_file", path="f.txt"))["content"] == "one\nand a half\n2\nend\n"


async def test_a_file_comes_in_by_its_id_or_from_the_web(libra: LibraWorld) -> None:
    made = await libra.get("write_file", path="a.txt", content="x")
    copied = await libra.get("import_file", source=made["file_id"], dest_rel_path="b/c.txt")
    assert (copied["path"], copied["size"]) == ("b/c.txt", 1)
    for source in ("/etc/passwd", "http://a.test/x", "file:///etc/passwd"):
        error = await libra.refused("import_file", source=source, dest_rel_path="d")
        assert (error.kind, error.path) == ("invalid_arguments", "/source")
    error = await libra.refused("import_file", source="https://127.0.0.1/x", dest_rel_path="d")
    assert error.kind == "blocked"


async def test_an_exported_file_is_told_as_a_card_shows_it(libra: LibraWorld) -> None:
    made = await libra.get("write_file", path="out/report.csv", content="a,b\n")
    card = await libra.get("export_file", path="out/report.csv", display_name="Report", description="Figures")
    assert card == {**made, "media_type": "text/csv", "display_name": "Report", "description": "Figures"}
    plain = await libra.get("export_file", path="out/report.csv")
    assert (plain["display_name"], plain["description"]) == ("report.csv", "")


FILES = {
    "a/t.csv": 'name,n\n"Bo|b",1\n',
    "t.json": '[{"a": 1, "b": "x"}, {"b": null, "c": [2]}]',
    "one.json": '{"a":1}',
    "p.html": "<p>Hi <b>you</b></p><script>bad()</script>",
    "n.md": "# Title\n\n<script>bad()</script> *x*",
    "run.py": "if 1 < 2:\n    pass\n",
    "bad.json": "{",
    "twice.csv": "a,a\n1,2\n",
}


@pytest.mark.parametrize(
    ("path", "to", "says"),
    [
        ("a/t.csv", "json", '[\n  {\n    "name": "Bo|b",\n    "n": "1"\n  }\n]\n'),
        ("a/t.csv", "md", "| name | n |\n| --- | --- |\n| Bo\\|b | 1 |\n"),
        ("a/t.csv", "html", "<tr><td>Bo|b</td><td>1</td></tr>"),
        ("t.json", "csv", "a,b,c\n1,x,\n,,[2]\n"),
        ("one.json", "txt", '{"a":1}'),
        ("one.json", "md", '```json\n{\n  "a": 1\n}\n```\n'),
        ("n.md", "html", "<h1>Title</h1>\n<p>&lt;script&gt;bad()&lt;/script&gt; <em>x</em></p>"),
        ("run.py", "html", "<pre>if 1 &lt; 2:\n    pass\n</pre>"),
        ("run.py", "md", "if 1 < 2:"),
    ],
)
async def test_a_file_is_exported_in_another_format(libra: LibraWorld, path: str, to: str, says: str) -> None:
    await libra.get("write_file", path=path, content=FILES[path])
    card = await libra.get("export_file", path=path, format=to)
    name = path.rpartition("/")[2].rpartition(".")[0]
    assert (card["path"], card["display_name"]) == (f"exports/{name}.{to}", f"{name}.{to}")
    files = {file.path: file for file in await libra.files.list(Workspace(AGENT, SESSION))}
    assert says in (await libra.files.read(files[card["path"]])).decode()
    assert files[path].version == 1, "the file itself stays as it is"


@pytest.mark.parametrize("to", ["md", "txt"])
async def test_a_page_is_exported_as_the_text_that_its_readers_see(libra: LibraWorld, to: str) -> None:
    await libra.get("write_file", path="p.html", content=FILES["p.html"])
    card = await libra.get("export_file", path="p.html", format=to)
    files = {file.path: file for file in await libra.files.list(Workspace(AGENT, SESSION))}
    assert (await libra.files.read(files[card["path"]])).decode() == "Hi **you**"


@pytest.mark.parametrize(("path", "to"), [("p.html", "html"), ("n.md", "md"), ("a/t.csv", "csv")])
async def test_a_file_that_has_the_format_is_exported_as_it_is(libra: LibraWorld, path: str, to: str) -> None:
    made = await libra.get("write_file", path=path, content=FILES[path])
    assert (await libra.get("export_file", path=path, format=to))["file_id"] == made["file_id"]


async def test_one_file_is_exported_as_a_zip(libra: LibraWorld) -> None:
    await libra.get("write_file", path="n.md", content=FILES["n.md"])
    card = await libra.get("export_file", path="n.md", format="zip", display_name="Notes")
    shown = (card["path"], card["media_type"], card["display_name"])
    assert shown == ("exports/n.zip", "application/zip", "Notes")


@pytest.mark.parametrize(
    ("path", "to", "why", "where"),
    [
        ("run.py", "csv", "run.py can't become csv: it can become txt, md, html, or zip", "/format"),
        ("one.json", "csv", "only a JSON array of objects", "/format"),
        ("bad.json", "csv", "the JSON can't be read", "/path"),
        ("twice.csv", "json", "two columns of the table have one name", "/path"),
        ("n.md", "pdf", "Input should be", "/format"),
    ],
)
async def test_a_format_that_the_file_cannot_have_is_refused(
    libra: LibraWorld, path: str, to: str, why: str, where: str
) -> None:
    await libra.get("write_file", path=path, content=FILES[path])
    error = await libra.refused("export_file", path=path, format=to)
    assert (error.kind, error.path) == ("invalid_arguments", where)
    assert why in error.message


async def test_a_package_has_the_files_and_is_the_same_for_the_same_files(libra: LibraWorld) -> None:
    await _tree(libra)
    paths = ["c.py", "notes/a.txt", "c.py"]
    card = await libra.get("export_zip", files=paths, package_name="../all of it", description="Both")
    assert (card["path"], card["media_type"]) == ("exports/_all of it.zip", "application/zip")
    files = {file.path: file for file in await libra.files.list(Workspace(AGENT, SESSION))}
    data = await libra.files.read(files[card["path"]])
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        assert {name: package.read(name).decode() for name in package.namelist()} == {
            path: TREE[path] for path in ("c.py", "notes/a.txt")
        }
    again = await libra.get("export_zip", files=paths, package_name="again")
    files = {file.path: file for file in await libra.files.list(Workspace(AGENT, SESSION))}
    assert files[again["path"]].blob == files[card["path"]].blob


async def test_typescript_runs_in_the_sandbox(libra: LibraWorld) -> None:
    code = "const n: number = 2; console.log('n is', n); return {double: n * 2}"
    assert await libra.get("execute_typescript", code=code) == {"stdout": "n is 2", "result": {"double": 4}}
    quiet = await libra.get("execute_typescript", code="console.log('no return')")
    assert quiet == {"stdout": "no return", "result": None}
    assert "ReferenceError" in (await libra.refused("execute_typescript", code="return missing")).message


async def test_there_is_no_windows(libra: LibraWorld) -> None:
    assert (await libra.refused("execute_windows_cmd", command="dir")).kind == "not_available"


ABOVE: dict[str, Json] = {"dest_rel_path": "../x"}
WRONG: list[tuple[str, dict[str, Json], str, str | None]] = [
    ("read_file", {}, "invalid_arguments", "/path"),
    ("read_file", {"path": "x", "y": 1}, "invalid_arguments", "/y"),
    ("read_file", {"path": "x"}, "not_found", "/path"),
    ("read_file", {"path": "../x"}, "invalid_arguments", "/path"),
    ("read_file", {"path": "/etc/passwd"}, "invalid_arguments", "/path"),
    ("read_file", {"path": "c.py", "start_line": 0}, "invalid_arguments", "/start_line"),
    ("read_file", {"path": "c.py", "start_line": 9}, "invalid_arguments", "/start_line"),
    ("write_file", {"path": "x"}, "invalid_arguments", "/content"),
    ("write_file", {"path": "x", "content": "", "mode": "x"}, "invalid_arguments", "/mode"),
    ("write_file", {"path": "x/../y", "content": ""}, "invalid_arguments", "/path"),
    ("write_file", {"path": "x", "content": "", "y": 1}, "invalid_arguments", "/y"),
    ("list_directory", {}, "invalid_arguments", "/path"),
    ("list_directory", {"path": "nothing"}, "not_found", "/path"),
    ("list_directory", {"path": "..", "x": 1}, "invalid_arguments", "/x"),
    ("list_directory", {"path": ".."}, "invalid_arguments", "/path"),
    ("search_files", {}, "invalid_arguments", "/pattern"),
    ("search_files", {"pattern": "*", "file_type": "x"}, "invalid_arguments", "/file_type"),
    ("search_files", {"pattern": "*", "path": "no"}, "not_found", "/path"),
    ("search_files", {"pattern": "*", "x": 1}, "invalid_arguments", "/x"),
    ("grep", {}, "invalid_arguments", "/pattern"),
    ("grep", {"pattern": "("}, "invalid_arguments", "/pattern"),
    ("grep", {"pattern": "(", "input": "a"}, "invalid_arguments", "/pattern"),
    ("grep", {"pattern": "a", "path": "no"}, "not_found", "/path"),
    ("grep", {"pattern": "a", "path": "c.py", "input": "a"}, "invalid_arguments", None),
    ("grep", {"pattern": "a", "ignore_case": "yes"}, "invalid_arguments", "/ignore_case"),
    ("replace_lines_in_file", {"path": "c.py"}, "invalid_arguments", "/replacements"),
    ("replace_lines_in_file", {"path": "c.py", "replacements": []}, "invalid_arguments", "/replacements"),
    (
        "replace_lines_in_file",
        {"path": "c.py", "replacements": [{"start_line": 9, "new_content": ""}]},
        "invalid_arguments",
        "/replacements",
    ),
    (
        "replace_lines_in_file",
        {"path": "c.py", "replacements": [{"start_line": 1, "end_line": 1, "new_content": "x"}] * 2},
        "invalid_arguments",
        "/replacements",
    ),
    (
        "replace_lines_in_file",
        {"path": "no", "replacements": [{"start_line": 1, "new_content": "x"}]},
        "not_found",
        "/path",
    ),
    ("import_file", {"source": "f_0123456789abcdef0123"}, "invalid_arguments", "/dest_rel_path"),
    ("import_file", {"source": "f_0123456789abcdef0123", "dest_rel_path": "x"}, "not_found", "/source"),
    (
        "import_file",
        {"source": "https://a.test/", **ABOVE},
        "invalid_arguments",
        "/dest_rel_path",
    ),
    ("export_file", {}, "invalid_arguments", "/path"),
    ("export_file", {"path": "no"}, "not_found", "/path"),
    ("export_file", {"path": "c.py", "x": 1}, "invalid_arguments", "/x"),
    ("export_zip", {}, "invalid_arguments", "/files"),
    ("export_zip", {"files": []}, "invalid_arguments", "/files"),
    ("export_zip", {"files": ["no"]}, "not_found", "/path"),
    ("export_zip", {"files": ["c.py", "../x"]}, "invalid_arguments", "/files/1"),
    ("export_zip", {"files": "c.py"}, "invalid_arguments", "/files"),
    ("execute_typescript", {}, "invalid_arguments", "/code"),
    ("execute_typescript", {"code": "return 1", "timeout": 0}, "invalid_arguments", "/timeout"),
    ("execute_typescript", {"code": "return (", "x": 1}, "invalid_arguments", "/x"),
    ("execute_windows_cmd", {}, "invalid_arguments", "/command"),
    ("execute_windows_cmd", {"command": "dir", "x": 1}, "invalid_arguments", "/x"),
    ("execute_windows_cmd", {"command": 1}, "invalid_arguments", "/command"),
]


@pytest.mark.parametrize(("tool", "arguments", "kind", "path"), WRONG)
async def test_what_does_not_fit_is_said(
    libra: LibraWorld, tool: str, arguments: dict[str, Json], kind: str, path: str | None
) -> None:
    await libra.get("write_file", path="c.py", content="x\n")
    error = await libra.refused(tool, **arguments)
    assert (error.kind, error.path) == (kind, path)


def test_what_a_policy_says_of_a_core_tool_holds_for_the_same_in_other_words() -> None:
    """Each stands for a core tool that there is."""
    core = {(tool.spec.name, tool.spec.family) for tool in (*all_tools(), *discover(()))}
    stands_for = {tool.spec.name: tool.spec.alias_of for tool in tools_in(foldline_libragent)}
    at_workspace = {"execute_python": "run_python", "execute_shell": "run_command"}
    for name, of in stands_for.items():
        if of is not None and name not in at_workspace:
            assert (of.name, of.family) in core, name
    shown = {name: of.name for name, of in stands_for.items() if of is not None}
    assert at_workspace.items() <= shown.items()
    assert (shown["clickElement"], shown["import_file"]) == ("browser_click", "file_download")
    assert len(shown) == 23
