"""JSON that stays one line for every reader of lines."""

import json

import pytest

from agent_contracts.json_lines import OneLinePieces, one_line, one_line_text

SAID = {"a\u2028b": "c\u2029d\x85e", "plain": "äé漢\u2027\u202a\u0084 €", "list": ["\u2028", "\\u2028"]}
ENCODED = json.dumps(SAID, ensure_ascii=False)


def test_it_is_one_line_and_says_the_same() -> None:
    line = one_line(ENCODED.encode())
    assert len(line.decode().splitlines()) == 1
    assert json.loads(line) == SAID
    assert "äé漢\u2027\u202a" in line.decode(), "all else stays as it is"
    assert one_line_text(ENCODED).encode() == line
    assert one_line(line) == line


@pytest.mark.parametrize("size", range(1, 8))
def test_pieces_may_end_within_a_character(size: int) -> None:
    whole, pieces = ENCODED.encode(), OneLinePieces()
    cut = [whole[at : at + size] for at in range(0, len(whole), size)]
    sent = [pieces.take(piece, is_last=False) for piece in cut]
    assert b"".join((*sent, pieces.take(b"", is_last=True))) == one_line(whole)
