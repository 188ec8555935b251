"""How a fold is kept in pieces, so that saving it again writes what is new. Pure.

The history is cut into pieces that are never changed: each is stored under the hash of its bytes. The *head*
names them in their order, and holds all else: the state without its history, and the newest messages, which
are few and may still change. Sixteen small pieces become a large one, so that there are never many: a message
is written twice, however long its session.

A piece also says how the session was when it was cut: the state and the newest messages of that moment. With
what is in the pieces before it, that is an earlier fold: who looks at the past begins there.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from pyrsistent import PVector, pvector

from agent_contracts.blob_ref import sha256_of
from agent_contracts.ids import SessionId
from session_domain.decoded_pieces import DecodedPieces
from session_domain.domain.histories import beginning_in_common
from session_domain.domain.messages import SessionMessage
from session_domain.domain.state import EMPTY_HISTORY, SessionState

FEWEST = 16
"""Fewer messages than that are no piece yet: they stay in the head."""
TOGETHER = 16
"""So many small pieces become a large one."""
PIECE_BYTES = 2 * 2**20
"""The most JSON in a piece (but a message is never cut), far below what a message of NATS may have."""
_LEVEL = 6
_HASH = 32


_NONE: Mapping[str, bytes] = {}


class SnapshotPiece(msgspec.Struct, frozen=True):
    """Some messages that follow each other; `name` is the beginning of the SHA-256 of its bytes.

    A `large` one stays as it is. `at` is the log sequence of the last fold in it; 0: it has none.
    """

    name: str
    count: int
    large: bool
    at: int


class SnapshotHead(msgspec.Struct, frozen=True):
    """All but the pieces. `event_id` is that of the newest event that was folded."""

    event_id: str
    state: SessionState
    pieces: tuple[SnapshotPiece, ...]
    newest: tuple[SessionMessage, ...]


class SnapshotInPieces(msgspec.Struct, frozen=True):
    """A fold in pieces: its head as bytes, and the bytes of the pieces that are new, by name."""

    head: bytes
    pieces: tuple[SnapshotPiece, ...]
    new: Mapping[str, bytes]


class Stretch(msgspec.Struct, frozen=True, array_like=True):
    """A part of a piece: messages, and the session as it was `at` a sequence, when these were its last but
    the `newest`; `state` has no history. None: nothing is told of it."""

    messages: tuple[SessionMessage, ...]
    at: int = 0
    state: SessionState | None = None
    newest: tuple[SessionMessage, ...] = ()


class MissingPiece(ValueError):
    """A piece is not what the head says, or not there."""


def in_pieces(
    state: SessionState,
    event_id: str,
    known: Sequence[SnapshotPiece] = (),
    known_history: Sequence[SessionMessage] = (),
    small: Mapping[str, bytes] = _NONE,
) -> SnapshotInPieces:
    """The fold in pieces: those of `known`, which hold `known_history`, as far as it is still the same. The
    bytes of its small ones are needed to put them together."""
    history = state.history
    steady = len(history) - 1  # the last one changes when its calls have ended
    same = min(steady, beginning_in_common(known_history, history))
    pieces: list[SnapshotPiece] = []
    new: dict[str, bytes] = {}
    at = 0
    for piece in known:
        if at + piece.count > same:
            break
        pieces.append(piece)
        at += piece.count
    bare = msgspec.structs.replace(state, history=EMPTY_HISTORY)
    if steady - at >= FEWEST:
        pieces += _cut(history[at:steady], Stretch((), state.last_sequence, bare, (history[steady],)), new)
        at = steady
        _put_together(pieces, small, new)
    head = SnapshotHead(event_id, bare, tuple(pieces), tuple(history[at:]))
    named = {piece.name for piece in pieces}
    return SnapshotInPieces(
        zlib.compress(_encoder.encode(head), _LEVEL),
        head.pieces,
        {name: data for name, data in new.items() if name in named},
    )


def read_head(data: bytes) -> SnapshotHead:
    """Raises `zlib.error` or `msgspec.DecodeError`."""
    return _decoder.decode(zlib.decompress(data))


def joined(head: SnapshotHead, pieces: Mapping[str, bytes]) -> SessionState:
    """The fold. Raises `MissingPiece` (or as `read_head`) where a piece is not what the head says."""
    history: list[SessionMessage] = []
    for piece in head.pieces:
        for one in _stretches(head.state.session_id, piece, pieces):
            history += one.messages
    return msgspec.structs.replace(head.state, history=pvector([*history, *head.newest]))


def fold_before(head: SnapshotHead, pieces: Mapping[str, bytes], sequence: int) -> SessionState | None:
    """The last fold not past `sequence`, if any is in the pieces. Raises as `joined`."""
    if head.state.last_sequence <= sequence:
        return joined(head, pieces)
    history: list[SessionMessage] = []
    found: tuple[int, SessionState, tuple[SessionMessage, ...]] | None = None
    for piece in head.pieces:
        if piece.at > sequence and not piece.large:
            break
        for one in _stretches(head.state.session_id, piece, pieces):
            history += one.messages
            if one.state is not None and one.at <= sequence:
                found = (len(history), one.state, one.newest)
        if piece.at > sequence:
            break
    if found is None:
        return None
    messages, state, newest = found
    return msgspec.structs.replace(state, history=pvector([*history[:messages], *newest]))


def name_of(data: bytes) -> str:
    """Under which a piece is stored."""
    return sha256_of(data)[:_HASH]


def _stretches(
    session_id: SessionId, piece: SnapshotPiece, pieces: Mapping[str, bytes]
) -> tuple[Stretch, ...]:
    data = pieces.get(piece.name)
    if data is None or name_of(data) != piece.name:
        raise MissingPiece(f"piece {piece.name} is missing or damaged")

    def decode() -> tuple[tuple[Stretch, ...], int]:
        text = zlib.decompress(data)
        return _piece.decode(text), len(text)

    stretches = _decoded.of(session_id, piece.name, decode)
    count = sum(len(one.messages) for one in stretches)
    if count != piece.count:
        raise MissingPiece(f"piece {piece.name} has {count} messages, not {piece.count}")
    return stretches


def forget(session_id: SessionId) -> None:
    """The session was erased: nothing of it stays in this process."""
    _decoded.forget(session_id)


def _put_together(pieces: list[SnapshotPiece], small: Mapping[str, bytes], new: dict[str, bytes]) -> None:
    """The last ones become a large one, if they are so many (and their bytes are known)."""
    last = pieces[-TOGETHER:]
    known = {**small, **new}
    if len(last) < TOGETHER or any(piece.large or piece.name not in known for piece in last):
        return
    together: list[SnapshotPiece] = []
    run: list[tuple[SnapshotPiece, bytes]] = []
    for piece in last:
        text = zlib.decompress(known[piece.name])[1:-1]
        if run and sum(len(one) for _, one in run) + len(text) > PIECE_BYTES:
            together.append(_stored(run, new))
            run = []
        run.append((piece, text))
    pieces[-TOGETHER:] = [*together, _stored(run, new)]


def _stored(run: Sequence[tuple[SnapshotPiece, bytes]], into: dict[str, bytes]) -> SnapshotPiece:
    data = zlib.compress(b"[" + b",".join(text for _, text in run) + b"]", _LEVEL)
    count, at = sum(piece.count for piece, _ in run), max(piece.at for piece, _ in run)
    into[name_of(data)] = data
    return SnapshotPiece(name_of(data), count, large=True, at=at)


def _cut(messages: Sequence[SessionMessage], then: Stretch, into: dict[str, bytes]) -> list[SnapshotPiece]:
    """Pieces of these messages. The last one tells how the session was `then`."""
    pieces: list[SnapshotPiece] = []
    runs = list(_runs(messages))
    for number, run in enumerate(runs, 1):
        moment = _encoder.encode(then)[len(b"[[]") : -1] if number == len(runs) else b""
        text = b"[" + b",".join(run) + b"]"
        data = zlib.compress(b"[[" + text + moment + b"]]", _LEVEL)
        large = 2 * len(text) > PIECE_BYTES
        piece = SnapshotPiece(name_of(data), len(run), large, then.at if moment else 0)
        into[piece.name] = data
        pieces.append(piece)
    return pieces


def _runs(messages: Sequence[SessionMessage]) -> Iterator[list[bytes]]:
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
_decoder = msgspec.json.Decoder(SnapshotHead, dec_hook=_from_json)
_decoded = DecodedPieces[tuple[Stretch, ...]]()
_piece = msgspec.json.Decoder(tuple[Stretch, ...], dec_hook=_from_json)
