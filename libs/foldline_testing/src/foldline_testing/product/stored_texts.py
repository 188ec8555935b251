"""All that a Foldline has stored, as bytes to be searched, and the ways in which a value can stand there."""

import base64
import json
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from foldline.supervisor.announcement import read_announcement


def spelled(value: str) -> dict[str, bytes]:
    """A value as programs write it, and the ends of it that no encoding of a neighbour changes."""
    plain = value.encode()
    found = {
        "plain": plain,
        "utf-16": value.encode("utf-16-le"),
        "url": quote(value, safe="").encode(),
        "url, lower": quote(value, safe="").lower().encode(),
        "json": json.dumps(value)[1:-1].encode(),
        "hex": plain.hex().encode(),
        "HEX": plain.hex().upper().encode(),
    }
    for before in range(3):
        coded = base64.b64encode(b"\0" * before + plain)[4:-4]
        found[f"base64 at {before}"] = coded
        found[f"base64url at {before}"] = coded.translate(bytes.maketrans(b"+/", b"-_"))
    return found


def dumped(data_dir: Path) -> bytes:
    """Every row of every table."""
    running = read_announcement(data_dir)
    assert running is not None
    rows: list[bytes] = []
    with psycopg.connect(running.postgres_dsn, autocommit=True) as connection:
        tables = connection.execute(
            "select schemaname, tablename from pg_tables "
            "where schemaname not in ('pg_catalog', 'information_schema')"
        ).fetchall()
        for schema, table in tables:
            every = sql.SQL("select row_to_json(t)::text from {} t").format(sql.Identifier(schema, table))
            rows += [row[0].encode() for row in connection.execute(every)]
    return b"\n".join(rows)


def files_of(folder: Path, but: tuple[str, ...] = ()) -> bytes:
    """Every byte of every file, but for some by their first name below the folder."""
    found = sorted(file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    return b"\n".join(_content(file) for file in found if file.relative_to(folder).parts[0] not in but)


def _content(file: Path) -> bytes:
    """Empty where a server removed the file since the folder was listed, as Postgres does while it works."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""


def around(found: bytes, coded: bytes) -> bytes:
    """Where it stands in what was found."""
    at = found.index(coded)
    return found[max(0, at - 200) : at + 100]
