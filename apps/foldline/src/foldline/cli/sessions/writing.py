"""What an agent says, as it comes: Markdown and a spinner on a terminal, plain text for a pipe."""

import re
from collections.abc import Iterable

from rich.console import Console

from foldline.cli.output import clean
from foldline.cli.sessions.turns import ChatPiece

_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_LONGEST = 20_000
"""Characters after which a block that has no end is drawn all the same."""


def write(pieces: Iterable[ChatPiece], to: Console, meanwhile: str) -> None:
    """Print the pieces of a turn until they end; `meanwhile` is said beside the spinner."""
    if not to.is_terminal:
        for piece in pieces:
            if piece.passing:
                continue
            to.print(piece.text, end="", markup=False, highlight=False, soft_wrap=True)
        return
    blocks = Blocks()
    with to.status(meanwhile, spinner_style="dim") as status:
        for piece in pieces:
            if piece.passing:
                status.update(f"{piece.text}. {meanwhile}" if piece.text else meanwhile)
                continue
            if piece.answer:
                _draw(to, blocks.add(piece.text))
                continue
            _draw(to, blocks.rest())
            if piece.text.strip():
                to.print(clean(piece.text.strip("\n")), style="dim", markup=False, highlight=False)
        _draw(to, blocks.rest())


def _draw(to: Console, blocks: Iterable[str]) -> None:
    # Only who has a terminal needs it, and it takes as long to import as all else here.
    from rich.markdown import Markdown

    for block in blocks:
        if block.strip():
            to.print(Markdown(clean(block)))
            to.print()


class Blocks:
    """Text that comes in pieces, given on as soon as a block of Markdown is whole: up to an empty line that
    is not within a fence, and not followed by what may belong to the same list."""

    def __init__(self) -> None:
        self._text = ""

    def add(self, text: str) -> list[str]:
        """The blocks that are whole with this text."""
        self._text += text
        end = _whole(self._text)
        if not end and len(self._text) > _LONGEST:
            end = len(self._text)
        whole, self._text = self._text[:end], self._text[end:]
        return [whole] if whole else []

    def rest(self) -> list[str]:
        """What is left."""
        rest, self._text = self._text, ""
        return [rest] if rest else []


def _whole(text: str) -> int:
    """Where the last whole block ends; 0: none is whole."""
    end, at, fence = 0, 0, ""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        at += len(line)
        if found := _FENCE.match(line):
            mark = found[1]
            if not fence:
                fence = mark
            elif mark[0] == fence[0] and len(mark) >= len(fence):
                fence = ""
        elif not fence and not line.strip() and line.endswith("\n"):
            following = next((one for one in lines[number + 1 :] if one.strip()), "")
            if following and not _goes_on(following):
                end = at
    return end


def _goes_on(line: str) -> bool:
    """Whether a line may belong to the list before it."""
    return bool(re.match(r"\s|[-*+] |\d{1,9}[.)] ", line)) or not line.endswith("\n")
