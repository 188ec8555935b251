"""What a model thinks is told from what it says, however its text is cut into pieces."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model_caller.thinking.marks import PAIRS
from model_caller.thinking.splitting import ThinkingSplitter


def split(*pieces: str) -> tuple[str, str]:
    """The thinking and the answer of a text that comes in these pieces."""
    splitting, text, thinking = ThinkingSplitter(), "", ""
    for found in (*map(splitting.take, pieces), splitting.end()):
        if found.was_thinking:
            thinking, text = thinking + text, ""
        thinking, text = thinking + found.thinking, text + found.text
    return thinking, text


@pytest.mark.parametrize(
    ("text", "thinking", "answer"),
    [
        ("<think>\nhidden</think>\n\nParis.", "\nhidden", "Paris."),
        ("\n <think>hidden</think>Paris.", "hidden", "Paris."),
        ("<think>\n\n</think>\n\nParis.", "\n\n", "Paris."),
        ("<think>a</think>\n<think>b</think>\nParis.", "ab", "Paris."),
        ("<think>never ends: ``` </thin", "never ends: ``` </thin", ""),
        ("<think>a `</think>` b", "a `", "` b"),
        ("<think>a ``` b</think>Paris.", "a ``` b", "Paris."),
        ("hidden\n</think>\n\nParis.", "hidden\n", "Paris."),
        ("hidden</think>Paris.", "hidden", "Paris."),
        ("hidden.</think> Paris.", "hidden.", "Paris."),
        ("hidden. </think>\nParis.", "hidden. ", "Paris."),
        ("</think>\n\nParis.", "", "Paris."),
        ("hidden\n</think>", "hidden\n", ""),
        ("a ``` b ``` `c`\n```\ncode\n```\n</think>Paris.", "a ``` b ``` `c`\n```\ncode\n```\n", "Paris."),
        ("<Think>hidden</THINK>Paris.", "hidden", "Paris."),
        ("<|channel|>analysis<|message|>hidden<|end|><|start|>assistant<|channel|>final<|message|>Paris.",
         "hidden", "Paris."),
        ("<|channel|>analysis<|message|>hidden<|channel|>final<|message|>Paris.", "hidden", "Paris."),
        ("<|channel|>final<|message|>Paris.", "", "Paris."),
        ("I look.\n<think>\nhidden\n</think>\n\nParis.", "\nhidden\n", "I look.\nParis."),
        ("I look.\n\n  <think>\nnever ends", "\nnever ends", "I look.\n\n  "),
    ],
)  # fmt: skip
def test_thinking_is_split_off(text: str, thinking: str, answer: str) -> None:
    assert split(text) == (thinking, answer)
    assert split(*text) == (thinking, answer)


@pytest.mark.parametrize("opening", PAIRS)
def test_every_pair_of_marks_is_known(opening: str) -> None:
    for ending in PAIRS[opening]:
        assert split(f"{opening}hidden{ending}\n\nParis.") == ("hidden", "Paris.")


@pytest.mark.parametrize(
    "text",
    [
        "Models write <think> and </think> around it.",
        "Use the </think> tag.",
        "It ends with “</think>”.",
        "It ends with </think>",
        "It is `</think>` and ``a ` </think>``.",
        "```xml\n<think>hidden</think>\n```\nThat is it.",
        "```\nhidden\n</think>\n",
        "~~~~\n~~~\nhidden</think>\n~~~~\nDone.",
        "Paris. <think>not at the start</think>\n",
        "Paris.\n<think>without a line of its own</think>\n",
        "Paris.\n```\n<think>\nhidden\n</think>\n```\n",
        "Paris.\n<think>",
        "  Paris.",
        "<b>Paris</b> <thinker>",
        "< think>Paris",
        "<thin",
        "[1, 2, 3]",
        "[",
        "   \n",
        "a < b and a << b\n",
    ],
)
def test_what_an_answer_says_stays(text: str) -> None:
    assert split(text) == ("", text)
    assert split(*text) == ("", text)


_TEXTS = st.lists(
    st.sampled_from(
        [
            *(*PAIRS, *(end for ends in PAIRS.values() for end in ends), "<th", "</", "<|", "◁", "`", "``"),
            *("```", "~~~", "\n", " ", "a", "word", ".", "“", "<", "\ud83e", "<|start|>assistant"),
        ]
    ),
    max_size=14,
).map("".join)


@given(_TEXTS, st.lists(st.integers(0, 120), max_size=12))
def test_pieces_don_t_matter(text: str, cuts: list[int]) -> None:
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[one:two] for one, two in pairwise(places)]
    assert split(*pieces) == split(text)
    assert split(*text) == split(text)


@given(_TEXTS)
def test_nothing_is_lost_but_marks_and_blanks(text: str) -> None:
    thinking, answer = split(text)
    assert (thinking + answer).count("word") == text.count("word")


def test_after_a_tool_call_it_starts_anew() -> None:
    splitting = ThinkingSplitter()
    first = splitting.take("I look.<thi")
    held = splitting.end()
    second = splitting.take("<think>hidden</think>\nDone.")
    assert (first.text + held.text, second.thinking, second.text) == ("I look.<thi", "hidden", "Done.")


def test_blanks_after_thinking_that_came_apart_are_not_said() -> None:
    splitting = ThinkingSplitter()
    splitting.thought()
    assert splitting.take("\n\nParis.").text == "Paris."
    assert splitting.take(" Use </think>\n").text == " Use </think>\n"
