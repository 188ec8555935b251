"""A text in chunks: nothing is lost, and each says where it stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldline_libragent.content_store.tables import SHARED, SIZE, chunks_of, joined, lines_in

TEXTS = st.text(alphabet="ab \n", max_size=5_000)


@given(TEXTS)
def test_the_chunks_of_a_text_are_all_of_it(text: str) -> None:
    chunks = list(chunks_of(text))
    assert joined([(chunk.start, chunk.text) for chunk in chunks]) == text
    assert [chunk.number for chunk in chunks] == list(range(len(chunks)))
    assert all(len(chunk.text) <= SIZE for chunk in chunks)


@given(TEXTS)
def test_a_chunk_stands_in_the_lines_that_it_names(text: str) -> None:
    lines = text.split("\n")
    for chunk in chunks_of(text):
        there = "\n".join(lines[chunk.first_line - 1 : chunk.last_line])
        assert chunk.text.strip("\n") in there or chunk.text.rstrip("\n").lstrip("\n") in there


def test_a_chunk_shares_its_last_200_characters_with_the_next() -> None:
    first, second, _ = chunks_of("".join(chr(0x4E00 + number) for number in range(2_000)))
    assert first.text[-SHARED:] == second.text[:SHARED]
    assert (len(first.text), second.start) == (1_000, 800)


@pytest.mark.parametrize(("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n", 1)])
def test_a_newline_at_the_end_begins_no_line(text: str, lines: int) -> None:
    assert lines_in(text) == lines
