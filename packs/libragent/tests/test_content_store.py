"""The content store: what is put in can be read by lines, and found by words and by meaning."""

import pytest

from agent_contracts.entities.agent_texts import text_of
from agent_contracts.entities.enabled_packs import text_of_pack
from agent_contracts.errors import ErrorKind
from agent_contracts.ids import SessionId
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import Effect
from agent_platform.entities.entity import EntityKey
from foldline_libragent.content_store import contents
from foldline_libragent.content_store.storing import STATUS, status
from foldline_libragent.pack import PACK
from foldline_testing.agent_tools.models import ScriptedModels
from foldline_testing.agent_tools.world import AGENT, delivery
from foldline_testing.product.libragent_world import LibraWorld, MeaningModels

BIRDS = "Canaries are birds.\nA canary sings in the morning.\nIt likes seeds."
CARS = "The engine of this car is loud.\nIts motor needs oil."


async def test_a_new_store_is_listed_with_what_it_holds(libra: LibraWorld) -> None:
    assert (await libra.get("listStores"))["stores"] == []
    made = await libra.get("createStore", metadata={"name": "birds"})
    added = await libra.get("addContent", store_id=made["store_id"], content=BIRDS)
    info = await libra.get("getStoreInfo", store_id=made["store_id"])
    assert (info["metadata"], info["contents"], info["chunks"]) == ({"name": "birds"}, 1, 1)
    assert info["size"] == len(BIRDS) == added["size"]
    assert [one["store_id"] for one in (await libra.get("listStores"))["stores"]] == [made["store_id"]]


async def test_stores_and_contents_are_seen_by_their_session_alone(libra: LibraWorld) -> None:
    mine = await libra.get("addContent", "s1", content=BIRDS)
    made = await libra.get("createStore", "s1")
    listed = await libra.get("listStores", "s1")
    assert (listed["own"], len(listed["stores"])) == (mine["store_id"], 2)
    assert (await libra.get("listStores", "s2"))["stores"] == []
    assert (await libra.get("listContent", "s2"))["total"] == 0
    assert (await libra.get("keywordSimilaritySearch", "s2", query="canary"))["results"] == []
    store: dict[str, Json] = {"store_id": mine["store_id"]}
    content: dict[str, Json] = {"content_id": mine["content_id"]}
    for tool, arguments in (
        ("getStoreInfo", {"store_id": made["store_id"]}),
        ("listContent", store),
        ("addContent", {**store, "content": CARS}),
        ("keywordSimilaritySearch", {**store, "query": "canary"}),
        ("readContent", content),
        ("updateContent", {**content, "content": CARS}),
        ("deleteContent", content),
    ):
        assert (await libra.refused(tool, "s2", **arguments)).kind == ErrorKind.NOT_FOUND, tool
    assert (await libra.get("readContent", "s1", **content))["text"] == BIRDS


async def test_the_status_counts_the_sessions_stores_and_contents(libra: LibraWorld) -> None:
    async def told(session: str) -> str | None:
        which = text_of_pack(STATUS, SessionId(session))
        found = await libra.entities.current(EntityKey(AGENT, which.kind, which.name))
        return text_of(found.value) if found is not None else None

    assert await told("s1") is None
    await libra.get("createStore", "s1")
    added = await libra.get("addContent", "s1", content=BIRDS)
    await libra.get("addContent", "s1", content=CARS)
    assert await told("s1") == status(2, 2)
    await libra.get("deleteContent", "s1", content_id=added["content_id"])
    assert await told("s1") == status(2, 1)
    assert await told("s2") is None


async def test_content_is_read_back_by_lines(libra: LibraWorld) -> None:
    text = "\n".join(f"line {number} {'x' * 100}" for number in range(1, 101))
    added = await libra.get("addContent", content=text)
    assert (added["lines"], added["chunks"]) == (100, 14)
    assert (await libra.get("readContent", content_id=added["content_id"]))["text"] == text
    some = await libra.get("readContent", content_id=added["content_id"], from_line=99, to_line=500)
    assert (some["from_line"], some["to_line"]) == (99, 100)
    assert some["text"] == "\n".join(text.split("\n")[98:])
    error = await libra.refused("readContent", content_id=added["content_id"], from_line=101)
    assert (error.kind, error.path) == (ErrorKind.INVALID_ARGUMENTS, "/from_line")


async def test_words_are_found_with_their_lines_the_best_first(libra: LibraWorld) -> None:
    filler = "\n".join(f"Nothing of note in line {number}." for number in range(200))
    await libra.get("addContent", content=filler)
    added = await libra.get("addContent", content=f"{filler}\nThe Überzug of the sofa is green.\n{filler}")
    found = (await libra.get("keywordSimilaritySearch", query="uberzug SOFA"))["results"]
    assert found[0]["content_id"] == added["content_id"]
    assert "Überzug of the sofa" in found[0]["text"]
    assert found[0]["first_line"] <= 201 <= found[0]["last_line"]
    assert [one["score"] for one in found] == sorted((one["score"] for one in found), reverse=True)
    few = await libra.get("keywordSimilaritySearch", query="line note", options={"top_n": 3})
    assert len(few["results"]) == 3
    none = await libra.get("keywordSimilaritySearch", query="sofa", options={"threshold": 1e6})
    assert none["results"] == []


@pytest.mark.parametrize("query", ['"', "a AND (", "NEAR(", "text:", "* -- '", "'; DROP TABLE x"])
async def test_what_sqlite_would_take_for_syntax_is_words(libra: LibraWorld, query: str) -> None:
    await libra.get("addContent", content=BIRDS)
    ended = await libra.call("keywordSimilaritySearch", query=query)
    assert getattr(ended, "result", None) is not None or ended.error.kind == ErrorKind.INVALID_ARGUMENTS


async def test_the_old_text_of_an_update_is_found_no_more(libra: LibraWorld) -> None:
    added = await libra.get("addContent", content=BIRDS, metadata={"a": 1})
    updated = await libra.get("updateContent", content_id=added["content_id"], content=CARS)
    assert (updated["edition"], updated["metadata"], updated["size"]) == (2, {"a": 1}, len(CARS))
    assert (await libra.get("keywordSimilaritySearch", query="canary"))["results"] == []
    assert len((await libra.get("keywordSimilaritySearch", query="engine"))["results"]) == 1
    only = await libra.get("updateContent", content_id=added["content_id"], metadata={"b": 2})
    assert (only["edition"], only["metadata"]) == (2, {"b": 2})


async def test_deleted_content_is_gone_everywhere(libra: LibraWorld) -> None:
    added = await libra.get("addContent", content=BIRDS)
    await libra.get("semanticSimilaritySearch", query="birds")
    assert (await libra.get("deleteContent", content_id=added["content_id"]))["deleted"]
    assert (await libra.get("listContent"))["total"] == 0
    assert (await libra.get("keywordSimilaritySearch", query="canary"))["results"] == []
    for table in ("chunks", "words", "vectors"):
        rows = await libra.get("db_sql", sql=f"SELECT count(*) FROM libragent_{table}")
        assert rows["rows"] == [[0]]
    error = await libra.refused("deleteContent", content_id=added["content_id"])
    assert (error.kind, error.path) == (ErrorKind.NOT_FOUND, "/content_id")


async def test_contents_are_listed_a_page_at_a_time(libra: LibraWorld) -> None:
    ids = [(await libra.get("addContent", content=f"text {number}"))["content_id"] for number in range(5)]
    page = await libra.get("listContent", pagination={"offset": 1, "limit": 2})
    assert [one["content_id"] for one in page["contents"]] == ids[1:3]
    assert (page["total"], page["has_more"]) == (5, True)
    last = await libra.get("listContent", pagination={"offset": 4})
    assert ([one["content_id"] for one in last["contents"]], last["has_more"]) == (ids[4:], False)


async def test_a_file_is_kept_by_what_it_says(libra: LibraWorld) -> None:
    written = await libra.get("file_write_text", path="notes/birds.txt", text=BIRDS)
    added = await libra.get("addContent", file_id=written["file_id"])
    assert added["source"] == "notes/birds.txt"
    assert (await libra.get("readContent", content_id=added["content_id"]))["text"] == BIRDS


async def test_a_sentence_is_found_by_its_meaning(libra: LibraWorld) -> None:
    birds = await libra.get("addContent", content=BIRDS)
    await libra.get("addContent", content=CARS)
    found = await libra.get("semanticSimilaritySearch", query="which bird sings?", options={"top_n": 1})
    assert [one["content_id"] for one in found["results"]] == [birds["content_id"]]
    assert found["results"][0]["score"] > 0.9
    assert found["not_searched"] == 0
    least = await libra.get("semanticSimilaritySearch", query="motor", options={"threshold": 0.9})
    assert len(least["results"]) == 1


async def test_vectors_are_asked_for_once_and_anew_for_another_model(libra: LibraWorld) -> None:
    assert isinstance(libra.models, MeaningModels)
    await libra.get("addContent", content=BIRDS)
    await libra.get("semanticSimilaritySearch", query="one")
    await libra.get("semanticSimilaritySearch", query="two")
    assert libra.models.embedded == 3
    libra.models.model = "openai/other"
    await libra.get("semanticSimilaritySearch", query="three")
    assert libra.models.embedded == 5


async def test_without_a_model_for_it_search_by_meaning_says_so(libra: LibraWorld) -> None:
    libra.models = ScriptedModels()
    await libra.get("addContent", content=BIRDS)
    error = await libra.refused("semanticSimilaritySearch", query="birds")
    assert (error.kind, error.retryable) == (ErrorKind.NOT_AVAILABLE, False)


STORE: dict[str, Json] = {"store_id": "nothing"}
NONE: dict[str, Json] = {"options": {"top_n": 0}}
WRONG: list[tuple[str, dict[str, Json], str, str | None]] = [
    ("createStore", {"metadata": "x"}, "invalid_arguments", "/metadata"),
    ("createStore", {"name": "x"}, "invalid_arguments", "/name"),
    ("listStores", {"x": 1}, "invalid_arguments", "/x"),
    ("getStoreInfo", {}, "invalid_arguments", "/store_id"),
    ("getStoreInfo", {"store_id": 1}, "invalid_arguments", "/store_id"),
    ("getStoreInfo", {**STORE, "x": 1}, "invalid_arguments", "/x"),
    ("getStoreInfo", STORE, "not_found", "/store_id"),
    ("addContent", {}, "invalid_arguments", None),
    ("addContent", {"content": "a", "file_id": "f"}, "invalid_arguments", None),
    ("addContent", {"content": " \n"}, "rejected", "/content"),
    ("addContent", {"content": "a", "x": 1}, "invalid_arguments", "/x"),
    ("addContent", {"content": "a", **STORE}, "not_found", "/store_id"),
    ("addContent", {"file_id": "f_0123456789abcdef0123"}, "not_found", "/file_id"),
    ("updateContent", {"content": "a"}, "invalid_arguments", "/content_id"),
    ("updateContent", {"content_id": "content_1"}, "invalid_arguments", None),
    ("updateContent", {"content_id": "content_9", "content": "a"}, "not_found", "/content_id"),
    ("updateContent", {"content_id": "content_1", "content": 1}, "invalid_arguments", "/content"),
    ("deleteContent", {}, "invalid_arguments", "/content_id"),
    ("deleteContent", {"content_id": "x"}, "not_found", "/content_id"),
    ("deleteContent", {"content_id": "content_1", "x": 1}, "invalid_arguments", "/x"),
    ("listContent", {"pagination": {"offset": -1}}, "invalid_arguments", "/pagination/offset"),
    ("listContent", {"pagination": {"limit": 10_000}}, "invalid_arguments", "/pagination/limit"),
    ("listContent", STORE, "not_found", "/store_id"),
    ("listContent", {"x": 1}, "invalid_arguments", "/x"),
    ("readContent", {}, "invalid_arguments", "/content_id"),
    ("readContent", {"content_id": "content_1"}, "not_found", "/content_id"),
    ("readContent", {"content_id": "content_1", "from_line": 0}, "invalid_arguments", "/from_line"),
    ("readContent", {"content_id": "content_1", "x": 1}, "invalid_arguments", "/x"),
    ("keywordSimilaritySearch", {}, "invalid_arguments", "/query"),
    ("keywordSimilaritySearch", {"query": "?!"}, "invalid_arguments", "/query"),
    ("keywordSimilaritySearch", {"query": "a", **STORE}, "not_found", "/store_id"),
    (
        "keywordSimilaritySearch",
        {"query": "a", **NONE},
        "invalid_arguments",
        "/options/top_n",
    ),
    ("semanticSimilaritySearch", {}, "invalid_arguments", "/query"),
    ("semanticSimilaritySearch", {"query": "a", **STORE}, "not_found", "/store_id"),
    ("semanticSimilaritySearch", {"query": "a", "x": 1}, "invalid_arguments", "/x"),
]


@pytest.mark.parametrize(("tool", "arguments", "kind", "path"), WRONG)
async def test_what_does_not_fit_is_said(
    libra: LibraWorld, tool: str, arguments: dict[str, Json], kind: str, path: str | None
) -> None:
    error = await libra.refused(tool, **arguments)
    assert (error.kind, error.path) == (kind, path)


async def test_what_is_larger_than_a_content_may_be_is_refused(libra: LibraWorld) -> None:
    error = await libra.refused("addContent", content="a" * 2_000_001)
    assert error.kind == ErrorKind.INVALID_ARGUMENTS
    added = await libra.get("addContent", content="wörter\n" * 200_000)
    assert added["lines"] == 200_000
    assert len((await libra.get("keywordSimilaritySearch", query="wörter"))["results"]) == 10


async def test_a_call_that_is_run_again_stores_once(libra: LibraWorld) -> None:
    message = await libra.request("addContent", {"content": BIRDS}, call_id="twice", effect=Effect.RECORDED)
    await libra.runner("r1").handle(delivery(message))
    await libra.runner("r2").handle(delivery(message, 2, again=True))
    assert (await libra.get("listContent"))["total"] == 1
    assert len((await libra.get("keywordSimilaritySearch", query="canary"))["results"]) == 1


async def test_a_session_whose_id_is_like_another_one_s_sees_nothing_of_it(libra: LibraWorld) -> None:
    contents: dict[str, str] = {}
    for session in ("s1-2", "x-store-s1", "s1"):
        made = await libra.get("createStore", session)
        added = await libra.get("addContent", session, store_id=made["store_id"], content=BIRDS)
        contents[session] = added["content_id"]
        assert [one["store_id"] for one in (await libra.get("listStores", session))["stores"]] == [
            made["store_id"]
        ]
    for session, content_id in contents.items():
        assert (await libra.get("readContent", session, content_id=content_id))["text"] == BIRDS
        for other in contents.keys() - {session}:
            error = await libra.refused("readContent", other, content_id=content_id)
            assert error.kind == ErrorKind.NOT_FOUND


async def test_a_full_store_takes_nothing_more_and_another_one_does(
    libra: LibraWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "MOST_CONTENTS", 2)
    full, empty = [(await libra.get("createStore"))["store_id"] for _ in range(2)]
    for _ in range(2):
        await libra.get("addContent", store_id=full, content=BIRDS)
    error = await libra.refused("addContent", store_id=full, content=CARS)
    assert (error.kind, "at most 2" in error.message) == (ErrorKind.TOO_LARGE, True)
    await libra.get("addContent", store_id=empty, content=CARS)


def test_the_status_is_among_what_the_pack_tells_models() -> None:
    assert STATUS in PACK.texts
