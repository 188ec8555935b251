"""A session's row says of each event that changes what waits for a person that it may."""

from itertools import groupby
from pathlib import Path

from agent_contracts.log.address import at_place
from foldline_testing.product.recorded.recording import read, stories_in
from foldline_testing.product.recorded.tables import Tables
from gateway.live.event_view import session_of
from gateway.queries import attention

FOLDER = Path(__file__).parent
STORIES = stories_in(FOLDER)


async def waiting(tables: Tables) -> tuple[set[tuple[str, str, str | None]], dict[str, int | None]]:
    """What waits, and what the rows of sessions say of it."""
    async with tables.database.snapshot() as snapshot:
        page = await attention.page(snapshot, None, None, 100)
        rows = await snapshot.rows("SELECT session_id, attention_place FROM sessions")
    return (
        {(one.key, one.text, one.title) for one in page.items},
        {row["session_id"]: row["attention_place"] for row in rows},
    )


async def test_no_change_of_what_waits_is_missed(postgres_dsn: str) -> None:
    changes = records = told = 0
    async with Tables(postgres_dsn) as tables:
        for story in STORIES:
            writer = await tables.empty()
            known, _ = await waiting(tables)
            for sequence, record in groupby(read(FOLDER / story).messages(), lambda one: one.sequence):
                messages = list(record)
                assert await writer.write(messages) == 0
                now, places = await waiting(tables)
                place = places.get(session_of(messages[0].subject) or "")
                says_so = place is not None and at_place(place).sequence == sequence
                if now != known:
                    changes += 1
                    assert says_so, (story, sequence, now ^ known)
                records, told, known = records + 1, told + says_so, now
    assert changes > 20
    assert told < records / 2  # or it would be read after everything that happens
