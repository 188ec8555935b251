from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from agent_contracts.errors import Transient
from foldline_testing.agent_platform.servers import PostgresForTests
from projections.project.log_projection import LogProjection
from projector.projecting.schemas import create
from projector.projecting.store import writing


class WithMore(LogProjection):
    schema_sql = "CREATE EXTENSION IF NOT EXISTS teleport;" + LogProjection.schema_sql


async def test_a_postgres_without_an_extension_is_told_of_with_what_to_run(postgres_dsn: str) -> None:
    async with writing(postgres_dsn) as connection:
        with pytest.raises(Transient) as caught:
            await create(connection, WithMore(), "projections")
        assert (await (await connection.execute("SELECT to_regnamespace('projections')")).fetchone()) == (
            None,
        )
        await create(connection, LogProjection(), "projections")
    assert 'extension "teleport" is not available' in caught.value.message
    for name in ("pg_trgm", "btree_gin", "unaccent"):
        assert f"CREATE EXTENSION IF NOT EXISTS {name} SCHEMA public;" in caught.value.message


@pytest.mark.parametrize("schema", ["public", "extensions"])
async def test_extensions_that_an_administrator_made_are_used_wherever_they_are(
    postgres_server: PostgresForTests, postgres_dsn: str, schema: str
) -> None:
    path = urlsplit(postgres_dsn).path
    with psycopg.connect(
        urlunsplit(urlsplit(postgres_server.admin_dsn)._replace(path=path)), autocommit=True
    ) as admin:
        admin.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}".encode())
        admin.execute(f"GRANT USAGE ON SCHEMA {schema} TO PUBLIC".encode())
        for name in ("pg_trgm", "btree_gin", "unaccent"):
            admin.execute(f"CREATE EXTENSION {name} SCHEMA {schema}".encode())
    async with writing(postgres_dsn) as connection:
        await create(connection, LogProjection(), "projections")
        found = await connection.execute("SELECT projections.searchable('Crème')")
        assert await found.fetchone() == ("creme",)
