"""How a fold is kept in pieces, so that saving it again writes what is new. Pure.

The history is cut into pieces that are never changed: each is stored under the hash of its bytes. The *head*
names them in their order, and holds all else: the state without its history, and the newest messages, which
are few and may still change. Sixteen small pieces become a large one, so that there are never many: a message
is written twice, however long its session.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from pyrsistent import PVector, pvector

from agent_contracts.blob_ref import sha256_of
from session_domain.domain.histories import beginning_in_common
from session_domain.domain.state import EMPTY_HISTORY, Message, Session

FEWEST = 16
"""Fewer messages than that are no piece yet: they stay in the head."""
TOGETHER = 16
"""So many small pieces become a large one."""
PIECE_BYTES = 2 * 2**20
"""The most JSON in a piece (but a message is never cut), far below what a message of NATS may have."""
_LEVEL = 6
_HASH = 32


class Piece(msgspec.Struct, frozen=True):
    """Some messages that follow each other; `name` is the beginning of the SHA-256 of its bytes.

    A `large` one stays as it is.
    """

    name: str
    count: int
    large: bool


class Head(msgspec.Struct, frozen=True):
    """All but the pieces. `event_id` is that of the newest event that was folded."""

    event_id: str
    state: Session
    pieces: tuple[Piece, ...]
    newest: tuple[Message, ...]


class InPieces(msgspec.Struct, frozen=True):
    """A fold in pieces: its head as bytes, and the bytes of the pieces that are new, by name."""

    head: bytes
    pieces: tuple[Piece, ...]
    new: Mapping[str, bytes]


class Missing(ValueError):
    """A piece is not what the head says, or not there."""


def in_pieces(
    state: Session, event_id: str, known: Sequence[Piece] = (), known_history: Sequence[Message] = ()
) -> InPieces:
    """The fold in pieces: those of `known`, which hold `known_history`, as far as it is still the same."""
    history = state.history
    steady = len(history) - 1  # the last one changes when its calls have ended
    same = min(steady, beginning_in_common(known_history, history))
    pieces: list[Piece] = []
    new: dict[str, bytes] = {}
    at = 0
    for piece in known:
        if at + piece.count > same:
            break
        pieces.append(piece)
        at += piece.count
    if steady - at >= FEWEST:
        pieces += _stored(history[at:steady], new)
        at = steady
        _put_together(pieces, history, new)
    head = Head(
        event_id,
        msgspec.structs.replace(state, history=EMPTY_HISTORY),
        tuple(pieces),
        tuple(history[at:]),
    )
    named = {piece.name for piece in pieces}
    return InPieces(
        zlib.compress(_encoder.encode(head), _LEVEL),
        head.pieces,
        {name: data for name, data in new.items() if name in named},
    )


def read_head(data: bytes) -> Head:
    """Raises `zlib.error` or `msgspec.DecodeError`."""
    return _decoder.decode(zlib.decompress(data))


def joined(head: Head, pieces: Mapping[str, bytes]) -> Session:
    """The fold. Raises `Missing` (or as `read_head`) where a piece is not what the head says."""
    history: list[Message] = []
    for piece in head.pieces:
        data = pieces.get(piece.name)
        if data is None or name_of(data) != piece.name:
            raise Missing(f"piece {piece.name} of {len(head.pieces)} is missing or damaged")
        messages = _messages.decode(zlib.decompress(data))
        if len(messages) != piece.count:
            raise Missing(f"piece {piece.name} has {len(messages)} messages, not {piece.count}")
        history += messages
    return msgspec.structs.replace(head.state, history=pvector([*history, *head.newest]))


def name_of(data: bytes) -> str:
    """Under which a piece is stored."""
    return sha256_of(data)[:_HASH]


def _put_together(pieces: list[Piece], history: Sequence[Message], new: dict[str, bytes]) -> None:
    """The last ones become a large one, if they are so many."""
    last = pieces[-TOGETHER:]
    if len(last) < TOGETHER or any(piece.large for piece in last):
        return
    end = sum(piece.count for piece in pieces)
    begin = end - sum(piece.count for piece in last)
    pieces[-TOGETHER:] = _stored(history[begin:end], new, large=True)


def _stored(messages: Sequence[Message], into: dict[str, bytes], *, large: bool = False) -> list[Piece]:
    pieces: list[Piece] = []
    for run in _runs(messages):
        data = zlib.compress(b"[" + b",".join(run) + b"]", _LEVEL)
        size = sum(map(len, run))
        piece = Piece(name_of(data), len(run), large or 2 * size > PIECE_BYTES)
        into[piece.name] = data
        pieces.append(piece)
    return pieces


def _runs(messages: Sequence[Message]) -> Iterator[list[bytes]]:
    run: list[bytes] = []
    size = 0
    for message in messages:
        encoded = _encoder.encode(message)
        if run and size + len(encoded) > PIECE_BYTES:
            yield run
            run, size = [], 0
        run.append(encoded)
        size += len(encoded)
    if run:
        yield run


def _as_json(value: object) -> object:
    if isinstance(value, PVector):
        return list(value)
    raise NotImplementedError(f"can't be saved: {type(value).__name__}")


def _from_json(kind: type, value: object) -> object:
    if value == []:
        return EMPTY_HISTORY
    raise NotImplementedError(f"can't be read back: {kind}")


_encoder = msgspec.json.Encoder(enc_hook=_as_json)
_decoder = msgspec.json.Decoder(Head, dec_hook=_from_json)
_messages = msgspec.json.Decoder(list[Message])
