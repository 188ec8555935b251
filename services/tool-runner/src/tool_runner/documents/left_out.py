"""Sentences that say what a reader leaves out of a document. Pure."""

from collections.abc import Iterable, Sequence

_MOST_RUNS = 50
_MOST_NAMES = 10
_LONGEST_NAME = 80


def numbers(found: Iterable[int]) -> str:
    """Numbers in words, what follows each other as a range: `2, 4–6`."""
    runs: list[list[int]] = []
    for number in sorted(found):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    shown = [str(first) if first == last else f"{first}–{last}" for first, last in runs[:_MOST_RUNS]]
    more = len(runs) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """How many of something: `1 picture`, `3 pictures`."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def names(found: Sequence[str]) -> str:
    """The first names of a list, cut where they are long, and how many more there are."""
    shown = [" ".join(name.split())[:_LONGEST_NAME] for name in found[:_MOST_NAMES]]
    more = len(found) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
