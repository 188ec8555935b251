"""Whatever text an agent writes it reads back, character by character: nothing is normalised or trimmed."""

from pathlib import Path
from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.tool_spec import Effect
from agent_platform.log.storable_text import storable_text
from foldline_testing.tool_runner.world import World

TEXTS = {
    "crlf": "a\r\nb\r\n",
    "lone cr": "a\rb\r",
    "line separators": "a\u2028b\u2029c\u0085d\x0be\x0c",
    "precomposed": "\u00e9 \u00c5",
    "decomposed": "e\u0301 A\u030a",
    "zwj emoji": "👩\u200d👩\u200d👧 🏴\u200d☠️ 👍🏽",
    "astral": "𝒳 𠀀 \U0010ffff",
    "right to left": "\u202eשלום\u202c عالم",
    "white space": " \t\u00a0\u3000a \n ",
    "byte order mark": "\ufeffa",
    "control": "\x00\x01\x1b[31m\x7f",
    "escapes": "\\u0041 \\n %s {0} $1 \\1 &amp; <b> '\" `",
}
each_text = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
EDITED = {
    "edit_system_prompt": ("read_system_prompt", "prompt", {}),
    "edit_learned_notes": ("read_learned_notes", "notes", {}),
    "update_notepad": ("read_notepad", "content", {}),
    "update_skill": ("read_skill", "content", {"name": "s"}),
}
SCHEMA: dict[str, Any] = {"type": "object"}


@pytest.fixture
def world() -> World:
    return World()


class Calls:
    """Calls tools one after another."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._number = 0

    async def __call__(self, tool: str, **arguments: Any) -> Any:
        """The event that ends the call."""
        self._number += 1
        call_id = f"c{self._number}"
        return await self._world.run(tool, arguments, call_id=call_id, effect=Effect.RECORDED)


@pytest.fixture
def call(world: World) -> Calls:
    return Calls(world)


@each_text
@pytest.mark.parametrize("tool", EDITED)
async def test_edits_are_exact(call: Calls, tool: str, text: str) -> None:
    read, member, named = EDITED[tool]
    kept = storable_text(text)
    if tool == "update_skill":
        await call("create_skill", name="s", description="d", content="")
    edits: list[tuple[dict[str, Any], str]] = [
        ({"operation": "replace", "content": f"|{text}"}, f"|{kept}"),
        ({"operation": "find_replace", "find": text, "replace": f"{text}{text}"}, f"|{kept * 2}"),
        ({"operation": "find_replace", "find": text, "replace": "-", "replace_all": True}, "|--"),
    ]
    for edit, after in edits:
        assert not hasattr(await call(tool, **named, **edit), "error")
        assert (await call(read, **named)).result[member] == after
    refused = await call(tool, **named, operation="find_replace", find=text, replace="")
    assert (refused.error.kind, refused.error.path) == (ErrorKind.REJECTED, "/find")


@each_text
@pytest.mark.parametrize(
    ("noun", "more"),
    [
        ("tool", {"code": "c", "parameter_schema": SCHEMA}),
        ("function", {"code": "c", "parameter_schema": SCHEMA}),
        ("library", {"code": "c"}),
        ("skill", {"content": "c", "tags": []}),
    ],
)
async def test_definitions_are_exact(call: Calls, noun: str, more: dict[str, Any], text: str) -> None:
    body = "content" if noun == "skill" else "code"
    given = {**more, "description": f"d{text}", body: f"// {text}"}
    if "parameter_schema" in given:
        given["parameter_schema"] = {**SCHEMA, "title": text, "properties": {"p": {"enum": [text]}}}
    if noun == "skill":
        given["tags"] = ["t"]
    assert (await call(f"create_{noun}", name="x", **given)).result == {"name": "x", "version": 1}
    found = (await call(f"read_{noun}", name="x")).result
    assert (found["description"], found[body]) == (f"d{storable_text(text)}", f"// {storable_text(text)}")
    if "parameter_schema" in given:
        kept = storable_text(text)
        assert found["parameter_schema"]["properties"] == {"p": {"enum": [kept]}}
    changed = await call(f"update_{noun}", name="x", description=text)
    assert changed.result["version"] == 2
    plural = {"library": "libraries"}.get(noun, f"{noun}s")
    (listed,) = (await call(f"list_{plural}")).result[plural]
    assert listed["description"] == storable_text(text)


@each_text
async def test_values_of_the_state_are_exact(call: Calls, text: str) -> None:
    kept = storable_text(text)
    await call("set_state", key="k", value={text: [text, {"a": text}]})
    assert (await call("get_state", key="k")).result == {"value": {kept: [kept, {"a": kept}]}}


KEYS = [text for text in TEXTS.values() if not set(text) & set("\r\n\t\x00\x01\x0b\x0c\x1b\x7f\x85")]
KEYS += ["a/b", "%2F", ".", "..", "*", ">", "a.b", "~YQ", " ", "\ufffd", "a\u2028b"]


async def test_keys_of_the_state_are_exact_and_none_is_taken_for_another(call: Calls) -> None:
    for number, key in enumerate(KEYS):
        assert (await call("set_state", key=key, value=number)).result == {"ok": True}
    for number, key in enumerate(KEYS):
        assert (await call("get_state", key=key)).result == {"value": number}
        assert key in (await call("list_state_keys", prefix=key)).result["keys"]
    assert (await call("list_state_keys")).result == {"keys": sorted(KEYS)}


async def test_values_of_the_database_are_exact(tmp_path: Path) -> None:
    world = World(folder=tmp_path)
    call = Calls(world)
    try:
        await call("db_sql", sql="CREATE TABLE t (n INTEGER PRIMARY KEY, a TEXT)")
        texts = [text for name, text in TEXTS.items() if name != "control"]
        for text in texts:
            await call("db_sql", sql="INSERT INTO t (a) VALUES (?)", params=[text])
        rows = (await call("db_sql", sql="SELECT a, length(a) FROM t ORDER BY n")).result["rows"]
        assert rows == [[text, len(text)] for text in texts]
        for number, text in enumerate(texts, 1):
            found = await call("db_sql", sql="SELECT n FROM t WHERE a = ?", params=[text])
            assert found.result["rows"] == [[number]]
    finally:
        await world.databases.close()
