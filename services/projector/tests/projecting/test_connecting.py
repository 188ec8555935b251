import asyncio
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from agent_contracts.errors import Rejected
from foldline_testing.agent_platform.servers import PostgresForTests
from projections import connecting
from projections.connecting import connected


async def test_a_connection_is_closed_also_when_its_block_is_cancelled_twice(postgres_dsn: str) -> None:
    opened = asyncio.get_running_loop().create_future()

    async def hold() -> None:
        async with connected(postgres_dsn) as connection:
            await connection.lock.acquire()  # so a rollback, which psycopg begins at the end, has to wait
            opened.set_result(connection)
            await asyncio.Event().wait()

    holding = asyncio.create_task(hold())
    connection = await opened
    for _ in range(2):
        holding.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    await asyncio.wait([holding])
    assert connection.closed


async def test_a_database_that_cannot_hold_every_text_is_refused(postgres_server: PostgresForTests) -> None:
    with psycopg.connect(postgres_server.admin_dsn, autocommit=True) as admin:
        admin.execute(
            "CREATE DATABASE ascii ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0"
        )
    dsn = urlunsplit(urlsplit(postgres_server.admin_dsn)._replace(path="/ascii"))
    with pytest.raises(Rejected, match="has the encoding SQL_ASCII, and Foldline needs UTF8"):
        async with connected(dsn):
            pass


async def test_a_server_that_is_too_old_is_refused_in_words(
    postgres_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "OLDEST", 99)
    with pytest.raises(Rejected, match=r"Postgres \d+ is too old: Foldline needs 99 or later"):
        async with connected(postgres_dsn):
            pass
