"""Pieces of answers, with what the model thinks told from what it says."""

import msgspec

from model_caller.answers.answer import AnswerPiece
from model_caller.thinking.splitting import Split, ThinkingSplitter


def split(splitting: ThinkingSplitter, piece: AnswerPiece) -> AnswerPiece:
    """The piece with its text split. A tool call ends a text: the next may begin with thinking again."""
    if piece.thinking:
        splitting.thought()
    found = splitting.take(piece.text) if piece.text else Split()
    if piece.tools:
        found = _both(found, splitting.end())
    if found.text == piece.text and not found.thinking:
        return piece
    return msgspec.structs.replace(
        piece, text=found.text, thinking=piece.thinking + found.thinking, was_thinking=found.was_thinking
    )


def split_end(splitting: ThinkingSplitter) -> AnswerPiece:
    """What was kept back of the text, at the end of the answer."""
    found = splitting.end()
    return AnswerPiece(found.text, thinking=found.thinking, was_thinking=found.was_thinking)


def _both(one: Split, two: Split) -> Split:
    if two.was_thinking:
        return Split(two.text, one.thinking + one.text + two.thinking, was_thinking=True)
    return Split(one.text + two.text, one.thinking + two.thinking, one.was_thinking)
