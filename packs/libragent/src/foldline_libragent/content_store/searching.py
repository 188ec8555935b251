"""Chunks that have the words of a question, or are near to its meaning."""

import array
import base64
import functools
import math
import operator
import re

import msgspec

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_tools.ports.database import AgentDatabase
from agent_tools.ports.models import Embeddings
from agent_tools.ports.running import Compute
from foldline_libragent.content_store.tables import Tables, as_rows

MOST_WORDS = 64
MOST_EMBEDDED = 1_000
"""Chunks of which one search asks for vectors; the next ones go on."""
MOST_COMPARED = 10_000
_AT_ONCE = 64
_PAGE = 250
_WORD = re.compile(r"\w+")

_KEYWORD = """
    SELECT k.id, c.first_line, c.last_line, libragent_words.text, -bm25(libragent_words) AS score
    FROM libragent_words
    JOIN libragent_chunks c ON c.id = libragent_words.rowid
    JOIN libragent_contents k ON k.id = c.content_id AND k.edition = c.edition
    WHERE libragent_words MATCH ? AND k.store_id = ? AND (? IS NULL OR score >= ?)
    ORDER BY score DESC, c.id LIMIT ?"""
_CURRENT = """
    FROM libragent_chunks c JOIN libragent_contents k ON k.id = c.content_id AND k.edition = c.edition
    LEFT JOIN libragent_vectors v ON v.chunk_id = c.id AND v.model = ?
    WHERE k.store_id = ? """
_WITHOUT = f"""
    SELECT c.id, (SELECT text FROM libragent_words WHERE rowid = c.id) {_CURRENT}
    AND v.chunk_id IS NULL ORDER BY c.id LIMIT ?"""
_LEFT = f"SELECT count(*) {_CURRENT} AND v.chunk_id IS NULL"
_VECTORS = f"SELECT c.id, v.vector {_CURRENT} AND v.chunk_id IS NOT NULL AND c.id > ? ORDER BY c.id LIMIT ?"
_NEW = """
    INSERT INTO libragent_vectors SELECT value ->> 'id', ?, value ->> 'vector' FROM json_each(?) WHERE true
    ON CONFLICT (chunk_id) DO UPDATE SET model = excluded.model, vector = excluded.vector"""
_SHOWN = """
    SELECT k.id, c.first_line, c.last_line, (SELECT text FROM libragent_words WHERE rowid = c.id)
    FROM libragent_chunks c JOIN libragent_contents k ON k.id = c.content_id WHERE c.id = ?"""


class Hit(msgspec.Struct, frozen=True):
    """A chunk that was found; a higher score is better."""

    content_id: str
    first_line: int
    last_line: int
    text: str
    score: float


class ContentQuery(msgspec.Struct, frozen=True):
    """What is looked for, in which store; hits of at least this score."""

    store_id: str
    query: str
    most: int
    threshold: float | None


async def by_words(database: AgentDatabase, wanted: ContentQuery) -> list[Hit]:
    """The best chunks that have any of the words, by BM25. `Rejected` for a question without a word."""
    words = list(dict.fromkeys(_WORD.findall(wanted.query.lower())))[:MOST_WORDS]
    if not words:
        raise Rejected("there is no word in it", kind=ErrorKind.INVALID_ARGUMENTS, path="/query")
    tables = Tables(database)
    if not await tables.are_there():
        return []
    match = " OR ".join(f'"{word}"' for word in words)
    threshold = wanted.threshold
    found = await tables.rows(_KEYWORD, match, wanted.store_id, threshold, threshold, wanted.most)
    return [_hit(row[:4], float(str(row[4]))) for row in found]


async def by_meaning(
    database: AgentDatabase, embeddings: Embeddings, compute: Compute, wanted: ContentQuery
) -> tuple[list[Hit], int]:
    """The chunks whose vectors are nearest to the question's by cosine, and how many have none yet.

    `Rejected(kind="not_available")` where no model gives vectors.
    """
    tables = Tables(database)
    asked = await embeddings.of([wanted.query])
    if not await tables.are_there():
        return [], 0
    await _embed(tables, embeddings, asked.model, wanted.store_id)
    ((left,),) = await tables.rows(_LEFT, asked.model, wanted.store_id)
    vector = asked.vectors[0]
    scored: list[tuple[float, int]] = []
    after = 0
    while len(scored) < MOST_COMPARED:
        rows = await tables.rows(_VECTORS, asked.model, wanted.store_id, after, _PAGE)
        if not rows:
            break
        scored += await compute.run(functools.partial(_compared, vector, rows))
        after = int(str(rows[-1][0]))
    least = -math.inf if wanted.threshold is None else wanted.threshold
    best = sorted((one for one in scored if one[0] >= least), reverse=True)[: wanted.most]
    hits = []
    for score, chunk in best:
        (row,) = await tables.rows(_SHOWN, chunk)
        hits.append(_hit(row, score))
    return hits, int(str(left))


async def _embed(tables: Tables, embeddings: Embeddings, model: str, store_id: str) -> None:
    for _ in range(0, MOST_EMBEDDED, _AT_ONCE):
        rows = await tables.rows(_WITHOUT, model, store_id, _AT_ONCE)
        if not rows:
            return
        given = await embeddings.of([str(text) for _, text in rows])
        made: list[dict[str, Json]] = [
            {"id": chunk, "vector": _packed(vector)}
            for (chunk, _), vector in zip(rows, given.vectors, strict=True)
        ]
        await tables.write(_NEW, given.model, as_rows(made))
        if given.model != model:
            return  # the settings changed meanwhile: the next search goes on with the new model


def _packed(vector: tuple[float, ...]) -> str:
    return base64.b64encode(array.array("f", vector).tobytes()).decode()


def _compared(asked: tuple[float, ...], rows: list[list[Json]]) -> list[tuple[float, int]]:
    found = []
    size = math.hypot(*asked)
    for chunk, packed in rows:
        vector = array.array("f")
        vector.frombytes(base64.b64decode(str(packed)))
        length = math.hypot(*vector)
        if len(vector) == len(asked) and length and size:
            near = sum(map(operator.mul, asked, vector)) / (length * size)
            found.append((round(near, 6), int(str(chunk))))
    return found


def _hit(row: list[Json], score: float) -> Hit:
    number, first, last, text = row
    return Hit(f"content_{number}", int(str(first)), int(str(last)), str(text), round(score, 6))
