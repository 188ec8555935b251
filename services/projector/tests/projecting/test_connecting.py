import asyncio

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
