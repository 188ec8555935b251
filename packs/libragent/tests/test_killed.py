"""A runner that dies in the middle of a call: the next one does what is left, and nothing twice."""

from collections.abc import Sequence

import pytest

from agent_contracts.json_value import Json
from agent_contracts.tool_spec import Effect
from agent_tools.ports.database import SqlAnswer
from foldline_testing.agent_tools.world import delivery
from foldline_testing.product.libragent_world import LibraWorld
from tool_runner.agent.database import StoredDatabase

pytestmark = pytest.mark.long

TEXT = "\n".join(f"A canary in line {number}." for number in range(100))
OTHER = TEXT.replace("canary", "finch")


class Killed(BaseException):
    """The process is gone."""


async def _until(
    libra: LibraWorld, monkeypatch: pytest.MonkeyPatch, tool: str, last: int, **args: Json
) -> bool:
    """Run a call by a runner that dies after so many statements, and by another; whether the first died."""
    message = await libra.request(tool, args, call_id=f"{tool}{last}", effect=Effect.RECORDED)
    done, whole = 0, StoredDatabase.sql

    async def sql(self: StoredDatabase, statement: str, params: Sequence[Json]) -> SqlAnswer:
        nonlocal done
        if done == last:
            raise Killed
        done += 1
        return await whole(self, statement, params)

    with monkeypatch.context() as dying:
        dying.setattr(StoredDatabase, "sql", sql)
        try:
            await libra.runner("r1").handle(delivery(message))
        except Killed:
            pass
        else:
            return False
    await libra.runner("r2").handle(delivery(message, 2, again=True))
    return True


async def _kept(libra: LibraWorld) -> list[Json]:
    rows = await libra.get(
        "db_sql",
        sql="SELECT (SELECT count(*) FROM libragent_contents), (SELECT count(*) FROM libragent_chunks), "
        "(SELECT count(*) FROM libragent_words), (SELECT sum(chunks) FROM libragent_contents)",
    )
    found: list[Json] = rows["rows"][0]
    return found


async def test_wherever_it_dies_a_content_is_added_once_and_whole(
    libra: LibraWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = 0
    while await _until(libra, monkeypatch, "addContent", last, content=TEXT):
        last += 1
        contents, chunks, words, told = await _kept(libra)
        assert (contents, chunks, words, told) == (last, 3 * last, 3 * last, 3 * last)
    assert last > 10
    found = await libra.get("keywordSimilaritySearch", query="canary 99", options={"top_n": 50})
    assert len({one["content_id"] for one in found["results"]}) == last + 1


async def test_wherever_it_dies_an_update_leaves_one_text(
    libra: LibraWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = await libra.get("addContent", content=TEXT)
    last, texts = 0, (OTHER, TEXT)
    while await _until(
        libra,
        monkeypatch,
        "updateContent",
        last,
        content_id=added["content_id"],
        content=texts[last % 2],
    ):
        read = await libra.get("readContent", content_id=added["content_id"])
        assert read["text"] == texts[last % 2]
        assert await _kept(libra) == [1, 3, 3, 3]
        last += 1
    assert last > 5
