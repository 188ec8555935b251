"""Which tools fit a question in words: BM25 over names, families, descriptions and arguments. Pure."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from agent_contracts.tool_spec import ToolSpec

READ = 600
"""How many characters of a description are looked at: what a tool is for stands at its beginning."""
LEAST_SHARE = 0.3
"""A tool that fits less than this much of the best one is no answer."""
_NAME, _FAMILY, _TEXT = 4.0, 2.0, 1.0
_K1, _B = 1.2, 0.75
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_STEM = 4
"""So many letters at the beginning make two words one: remind, reminder, reminders."""


def ranked(tools: Sequence[ToolSpec], families: Mapping[str, str], query: str) -> list[ToolSpec]:
    """The tools that fit, best first: those that are named before those that are meant."""
    said = set(re.findall(r"[A-Za-z0-9_-]+", query))
    scores = _scores([_weights(tool, families) for tool in tools], set(_words(query)))
    least = LEAST_SHARE * max(scores, default=0.0)
    found = [
        (tool.name not in said, -score, tool.name, tool)
        for tool, score in zip(tools, scores, strict=True)
        if tool.name in said or (score > 0 and score >= least)
    ]
    return [tool for *_, tool in sorted(found, key=lambda one: one[:3])]


def _scores(documents: Sequence[Mapping[str, float]], query: Iterable[str]) -> list[float]:
    lengths = [sum(document.values()) for document in documents]
    average = sum(lengths) / len(lengths) if lengths else 1.0
    scores = [0.0] * len(documents)
    for word in sorted(query):
        counts = [_count(word, document) for document in documents]
        having = sum(count > 0 for count in counts)
        rarity = math.log(1 + (len(documents) - having + 0.5) / (having + 0.5))
        for index, count in enumerate(counts):
            if count:
                damping = _K1 * (1 - _B + _B * lengths[index] / average)
                scores[index] += rarity * count * (_K1 + 1) / (count + damping)
    return scores


def _count(word: str, document: Mapping[str, float]) -> float:
    exact = document.get(word, 0.0)
    if exact or len(word) < _STEM:
        return exact
    return sum(
        weight
        for other, weight in document.items()
        if len(other) >= _STEM and (other.startswith(word) or word.startswith(other))
    )


def _weights(tool: ToolSpec, families: Mapping[str, str]) -> Mapping[str, float]:
    weights: dict[str, float] = {}
    arguments = tool.parameters.get("properties")
    names = " ".join(arguments) if isinstance(arguments, dict) else ""
    about_family = f"{tool.family} {families.get(tool.family, '')}"
    for text, weight in (
        (tool.name, _NAME),
        (about_family, _FAMILY),
        (tool.description[:READ], _TEXT),
        (names[:READ], _TEXT),
    ):
        for word in _words(text):
            weights[word] = weights.get(word, 0.0) + weight
    return weights


def _words(text: str) -> list[str]:
    found = (word.casefold() for word in _WORD.findall(_HUMP.sub(" ", text)))
    return [_singular(word) for word in found if word not in _SMALL]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > _STEM and word.endswith("s") and not word.endswith("ss") else word


_SMALL = frozenset(
    word
    for line in (
        "a an and any are as at be by can for from get has have how i in into is it its me my of on one or",
        "that the their them they this tool tools want what which with you your",
    )
    for word in line.split()
)
"""Words that say nothing about what a tool is for."""
